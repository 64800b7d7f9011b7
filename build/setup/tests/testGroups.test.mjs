import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { groupTests } from './testGroups.mjs';

const root = mkdtempSync(join(tmpdir(), 'groups-'));
after(() => rmSync(root, { recursive: true }));

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

test('should run alone what changes, measures or starts a process, also by what it imports', () => {
  const { alone, groups } = grouped({
    'build/a.test.mjs': '',
    'server/shared.test.ts': `import { a } from './product.ts';\nimport type { B } from './testing/runs.ts';`,
    'server/product.ts': `import { spawn } from 'node:child_process';`,
    'server/env.test.ts': `process.env.TZ = 'Europe/Berlin';`,
    'server/child.test.ts': `import { spawn } from 'node:child_process';`,
    'server/browser.test.ts': 'await TestKiosk.open();',
    'server/helper.test.ts': `import {\n  a,\n  b,\n} from './testing/runs.ts';`,
    'server/testing/runs.ts': `import { spawn } from 'node:child_process';`,
    'server/zone.test.ts': `import './deep.ts';`,
    'server/deep.ts': `import { c } from './testing/zone.ts';`,
    'server/testing/zone.ts': `process.env.TZ = 'Europe/Berlin';`,
    'server/dtls.test.ts': `import { d } from './dtls.ts';`,
    'server/dtls.ts': `import { e } from 'werift';`,
  });
  assert.deepEqual(groups, [['server/shared.test.ts']]);
  assert.equal(alone.length, 7);
});
