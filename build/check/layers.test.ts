import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modules, type Rule } from './layerRules.ts';
import { checkLayers, findImports } from './layers.ts';

/** Rules small enough that every allowance is used by `goodTree`. */
const smallRules: readonly Rule[] = [
  { path: 'server/contract/', packages: ['zod'], node: false },
  { path: 'server/works/*/', imports: ['server/contract/'], testImports: ['server/tools/'] },
  { path: 'server/tools/*/', types: ['server/works/*/driver.ts'] },
  { path: 'server/testing/' },
];

const goodTree: Readonly<Record<string, string>> = {
  'server/contract/led.ts': "import { z } from 'zod';",
  'server/works/led/driver.ts': 'export interface LedDriver {}',
  'server/works/led/service.ts': "import { led } from '../../contract/led.ts';",
  'server/works/led/service.test.ts': "import { Sysfs } from '../../tools/led/sysfs.ts';",
  'server/tools/led/sysfs.ts': "import type { LedDriver } from '../../works/led/driver.ts';",
  'server/testing/fake.ts': "import { open } from 'node:fs/promises';",
};

function problemsWith(changes: Record<string, string>, rules = smallRules): string[] {
  return checkLayers(new Map(Object.entries({ ...goodTree, ...changes })), rules);
}

describe('import rules', () => {
  it('should accept a tree that keeps them', () => {
    assert.deepEqual(problemsWith({}), []);
  });

  it('should refuse an import of another module and say what is allowed', () => {
    const [problem, ...rest] = problemsWith({
      'server/works/led/extra.ts': "\nimport { x } from '../gpio/service.ts';",
    });
    assert.match(problem!, /^server\/works\/led\/extra\.ts:2: server\/works\/led\/ may not import/);
    assert.match(problem!, /it may import server\/contract\//);
    assert.deepEqual(rest, []);
  });

  it('should read braces in a path as a choice, which stands for no other folder', () => {
    const rules: readonly Rule[] = [
      { path: 'server/base/' },
      { path: 'server/base/bus/' },
      { path: 'server/works/', imports: ['server/base/{,net/}*.ts'] },
    ];
    const importing = (target: string) =>
      checkLayers(
        new Map([
          ['server/base/log.ts', ''],
          ['server/base/bus/bus.ts', ''],
          ['server/works/led.ts', `import { x } from '../base/${target}';`],
        ]),
        rules,
      );
    assert.deepEqual(importing('log.ts'), []);
    assert.deepEqual(importing('net/digest.ts'), []);
    assert.match(importing('bus/bus.ts')[0]!, /may not import server\/base\/bus\/bus\.ts/);
  });

  it('should refuse a value where only types are allowed', () => {
    const [problem] = problemsWith({
      'server/tools/led/bad.ts': "import { LedDriver } from '../../works/led/driver.ts';",
    });
    assert.match(problem!, /by its types only/);
  });

  it('should judge a contract by its name: who may import the contract may import it, and it runs anywhere', () => {
    const contract = 'server/works/led/contract.ts';
    const user = { 'server/works/gpio/extra.ts': "import { led } from '../led/contract.ts';" };
    assert.deepEqual(problemsWith({ [contract]: '', ...user }), []);
    const [node] = problemsWith({ [contract]: "import { open } from 'node:fs/promises';" });
    assert.match(node!, /also runs outside Node/);
    const [service] = problemsWith({ [contract]: "import { x } from './service.ts';" });
    assert.match(service!, /may not import server\/works\/led\/service\.ts/);
  });

  it('should keep the code of the browser, which is told by its name, out of the service beside it', () => {
    const view = 'server/works/led/view.tsx';
    const pages = [...smallRules, { path: 'server/pages/manage/', node: false }];
    assert.deepEqual(problemsWith({ [view]: '' }, pages), []);
    const [used] = problemsWith(
      { [view]: '', 'server/works/led/extra.ts': "import { View } from './view.tsx';" },
      pages,
    );
    assert.match(used!, /may not import server\/works\/led\/view\.tsx/);
    const [uses] = problemsWith({ [view]: "import { x } from './service.ts';" }, pages);
    assert.match(uses!, /server\/pages\/manage\/ may not import server\/works\/led\/service\.ts/);
  });

  it('should let tests, and only tests, import the test helpers', () => {
    const source = "import { fake } from '../../testing/fake.ts';";
    assert.deepEqual(problemsWith({ 'server/tools/led/sysfs.test.ts': source }), []);
    const [problem] = problemsWith({
      'server/works/led/extra.ts': "import { fake } from '../../testing/fake.ts';",
    });
    assert.match(problem!, /may not import server\/testing\/fake\.ts/);
  });

  it('should let the helpers of a area use the area, and what its modules may use, but nothing else', () => {
    const helper = 'server/works/testing/panel.ts';
    const uses = (source: string) => problemsWith({ [helper]: source });
    assert.deepEqual(uses("import { led } from '../led/service.ts';"), []);
    assert.deepEqual(uses("import { led } from '../../contract/led.ts';"), []);
    assert.deepEqual(uses("import { fake } from '../../testing/fake.ts';"), []);
    const [problem] = uses("import { x } from '../../video/service.ts';");
    assert.match(problem!, /may not import server\/video\/service\.ts/);
  });

  it('should not let a product file import the helpers of its own area', () => {
    const [problem] = problemsWith({
      'server/works/testing/panel.ts': '',
      'server/works/led/extra.ts': "import { panel } from '../testing/panel.ts';",
    });
    assert.match(problem!, /it is a test helper, and this file is not a test/);
  });

  it('should name the home of a package that is imported elsewhere', () => {
    const [problem] = problemsWith({ 'server/works/led/extra.ts': "import { z } from 'zod';" });
    assert.match(problem!, /the package zod has its home in server\/contract\//);
  });

  it('should refuse a package without a home, also by a path inside it', () => {
    const [problem] = problemsWith({ 'server/testing/extra.ts': "import x from '@scope/name/deep.js';" });
    assert.match(problem!, /the package @scope\/name has no home/);
  });

  it("should refuse Node's modules where code runs outside Node", () => {
    const [problem] = problemsWith({ 'server/contract/extra.ts': "import { readFile } from 'node:fs';" });
    assert.match(problem!, /also runs outside Node/);
  });

  it('should refuse a file that no rule covers', () => {
    const [problem] = problemsWith({ 'server/attic/old.ts': '' });
    assert.match(problem!, /no rule covers this file/);
  });

  it('should refuse an unused allowance', () => {
    const [problem] = problemsWith({ 'server/contract/led.ts': '' });
    assert.match(problem!, /server\/contract\/ lists zod in "packages", but nothing there uses it/);
  });

  it('should refuse a rule for a folder that has no files', () => {
    const [problem] = problemsWith({}, [
      ...smallRules,
      { path: 'server/attic/', imports: ['server/contract/'] },
    ]);
    assert.equal(problem, 'build/check/layerRules.ts: server/attic/ covers no file. Remove its row.');
  });

  it('should prefer the exact module to the one with a star', () => {
    const exact = { path: 'server/works/stream/', imports: ['server/testing/'] };
    const source = "import { fake } from '../../testing/fake.ts';";
    assert.deepEqual(problemsWith({ 'server/works/stream/service.ts': source }, [...smallRules, exact]), []);
  });
});

describe('findImports', () => {
  it('should find every form of import and tell types from values', () => {
    // Split, so that the check of this project does not take the sample for a real import.
    const dynamic = 'import';
    const source = [
      "import 'a';",
      "import b from 'b';",
      'import {',
      '  c,',
      "} from 'c';",
      "import d, * as e from 'd';",
      "import type { F } from 'f';",
      "export * from 'g';",
      "export type { H } from 'h';",
      `const i = await ${dynamic}('i');`,
      `type J = typeof ${dynamic}('j');`,
    ].join('\n');
    const found = findImports(source).map(
      ({ specifier, typeOnly }) => `${specifier}${typeOnly ? ' type' : ''}`,
    );
    assert.deepEqual(found, ['a', 'b', 'c', 'd', 'f type', 'g', 'h type', 'i', 'j type']);
  });

  it('should not take code and comments for imports', () => {
    const dynamic = 'import';
    const source = [
      "export const from = 'x';",
      `// ${dynamic}('y')`,
      ` * ${dynamic}('z')`,
      'export function f() {}',
      "  import from 'w'",
    ].join('\n');
    assert.deepEqual(findImports(source), []);
  });
});

describe('the rules of this project', () => {
  it('should keep electron and the test browser out of the server', () => {
    for (const { path, packages = [], typePackages = [] } of modules.filter(({ path }) =>
      path.startsWith('server/'),
    )) {
      const found = [...packages, ...typePackages].filter((name) => /electron|playwright/.test(name));
      assert.deepEqual(found, [], path);
    }
  });
});
