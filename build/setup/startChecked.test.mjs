import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { lockHash } from './machine/npmPackages.mjs';
import { runStart } from './tests/runStart.mjs';

const root = join(import.meta.dirname, '../..');

describe('npm start after a start that has checked all', () => {
  let project;
  const bundled = () => join(project, 'bundled');
  const source = (page) => join(project, 'server/pages', page, 'main.ts');

  /** A project with packages of its own, and a bundler of pages that only says that it ran. */
  before(() => {
    project = temporaryFolder('starter-checked');
    cpSync(import.meta.dirname, join(project, 'build/setup'), { recursive: true });
    writeFileSync(join(project, 'package.json'), '{"type":"module"}');
    writeFileSync(join(project, 'package-lock.json'), '{}');
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(join(root, 'node_modules/.bin'), join(project, 'node_modules/.bin'));
    writeFileSync(join(project, 'node_modules/.faceplate-lock'), lockHash(project));
    mkdirSync(join(project, 'build/bundle'), { recursive: true });
    for (const file of ['layerPage', 'manageApp'])
      writeFileSync(join(project, `build/bundle/${file}.ts`), '');
    writeFileSync(
      join(project, 'build/bundle/manage.ts'),
      `import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(bundled())}, 'x');
for (const page of ['manage', 'glass', 'keys']) {
  mkdirSync(\`dist/\${page}\`, { recursive: true });
  writeFileSync(\`dist/\${page}/index.html\`, '');
}
`,
    );
    for (const folder of ['contract', 'config', 'parts', 'video', 'intercom', 'kiosk', 'surfaces/mqtt'])
      mkdirSync(join(project, 'server', folder), { recursive: true });
    for (const folder of ['pages/glass/look', 'pages/keys', 'pages/manage', 'kiosk/glass', 'kiosk/keyboard'])
      mkdirSync(join(project, 'server', folder), { recursive: true });
    writeFileSync(join(project, 'server/pages/glass/look/tokens.css'), '');
    for (const page of ['manage', 'glass', 'keys']) writeFileSync(source(page), '');
    writeFileSync(join(project, 'server/main.ts'), "console.log('node');\n");
  });

  const start = (args = ['--host', 'none'], env = {}) => runStart({ project, args, env });
  const runs = () => readFileSync(bundled(), 'utf8').length;
  const isNoted = () => existsSync(join(project, 'dist/start/checked.json'));

  it('should note what it has checked, and check it again where that has changed', async () => {
    assert.equal((await start()).out, 'node');
    assert.deepEqual([runs(), isNoted()], [1, true]);
    await start();
    assert.equal(runs(), 1);
    for (const change of [
      () => writeFileSync(source('keys'), 'export {};'),
      () => rmSync(join(project, 'dist/glass/index.html')),
      () => writeFileSync(join(project, 'server/parts/new.ts'), ''),
    ]) {
      const before = runs();
      change();
      await start();
      await start();
      assert.equal(runs(), before + 1);
    }
  });

  it('should see other packages', async () => {
    writeFileSync(join(project, 'package-lock.json'), '{"lockfileVersion":3}');
    const { messages } = await start(['--host', 'none'], { npm_execpath: join(project, 'no.js') });
    assert.match(messages, /Installing the npm packages/);
    writeFileSync(join(project, 'node_modules/.faceplate-lock'), lockHash(project));
  });

  it('should look for the browser at the first start that shows a window', async () => {
    await start();
    const bin = join(project, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'chromium'), '', { mode: 0o755 });
    const kiosk = () => start(['--host', 'chromium'], { PATH: `${bin}:${process.env.PATH}` });
    const noted = () => readFileSync(join(project, 'dist/start/checked.json'), 'utf8');
    assert.ok(!noted().includes(bin));
    await kiosk();
    assert.ok(noted().includes(join(bin, 'chromium')));
    const before = noted();
    await start();
    assert.equal(noted(), before);
  });
});
