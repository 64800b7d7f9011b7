import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { groupTests } from './testGroups.mjs';

const root = temporaryFolder('groups');

/** @param {Record<string, string>} sources */
function grouped(sources) {
  for (const [file, source] of Object.entries(sources)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), source);
  }
  const tests = Object.keys(sources).filter((file) => file.includes('.test.'));
  const files = groupTests(root, tests, join(root, 'groups'));
  const groups = files.filter((file) => file.endsWith('.group.mjs'));
  return {
    alone: files.filter((file) => !groups.includes(file)),
    groups: groups.map((file) =>
      [...readFileSync(file, 'utf8').matchAll(/describe\("(.+?)"/g)].map(([, name]) => name),
    ),
  };
}

test('should put the tests of the service into few processes, each file as a suite', () => {
  const names = Array.from({ length: 45 }, (_, at) => `server/parts/p${at}.test.ts`);
  const { alone, groups } = grouped(Object.fromEntries(names.map((name) => [name, ''])));
  assert.deepEqual(alone, []);
  assert.deepEqual(groups.flat(), names);
  assert.deepEqual(
    groups.map(({ length }) => length),
    [20, 20, 5],
  );
});

test('should run alone what changes or measures its process, also by what it imports', () => {
  const { alone, groups } = grouped({
    'server/shared.test.ts': `import { a } from './product.ts';\nimport type { B } from './testing/zone.ts';`,
    'server/product.ts': `import { spawn } from 'node:child_process';`,
    'server/reads.test.ts': `const steps = process.env.STEPS ?? { ...process.env };`,
    'build/generator.test.mjs': "const text = `\nimport { a } from './made.ts';\n`;",
    'server/env.test.ts': `process.env.TZ = 'Europe/Berlin';`,
    'server/key.test.ts': `process.env[name] = 'x';`,
    'server/deleted.test.ts': `delete process.env.TZ;`,
    'server/memory.test.ts': `const before = process.memoryUsage().rss;`,
    'server/clock.test.ts': `t.mock.timers.enable();`,
    'server/browser.test.ts': 'await TestKiosk.open();',
    'server/zone.test.ts': `import './deep.ts';`,
    'server/deep.ts': `import {\n  c,\n  d,\n} from './testing/zone.ts';`,
    'server/testing/zone.ts': `process.env.TZ = 'Europe/Berlin';`,
    'server/testing/world.test.ts': '',
  });
  assert.deepEqual(groups, [['server/shared.test.ts', 'server/reads.test.ts', 'build/generator.test.mjs']]);
  assert.equal(alone.length, 8);
});

test('should put what starts programs, and what uses werift, into groups of their own', () => {
  const { alone, groups } = grouped({
    'server/plain.test.ts': `const text = "import { e } from 'werift';";`,
    'server/child.test.ts': `import { spawn } from 'node:child_process';\nprocess.kill(child.pid);`,
    'server/helper.test.ts': `import {\n  a,\n  b,\n} from './testing/runs.ts';`,
    'server/testing/runs.ts': `import { spawn } from 'node:child_process';`,
    'server/dtls.test.ts': `import { d } from './dtls.ts';`,
    'server/dtls.ts': `import {\n  e,\n} from 'werift';`,
    'server/both.test.ts': `import { spawn } from 'node:child_process';\nimport { d } from './dtls.ts';`,
  });
  assert.deepEqual(alone, []);
  assert.deepEqual(groups, [
    ['server/plain.test.ts'],
    ['server/child.test.ts', 'server/helper.test.ts'],
    ['server/dtls.test.ts', 'server/both.test.ts'],
  ]);
});
