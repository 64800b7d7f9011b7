import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOST_ROWS } from './hostRows.ts';

const root = join(import.meta.dirname, '../..');

test('should name for each part of the suite where the Electron host shows it, by tests that are there', () => {
  const imported = readFileSync(join(root, 'server/kiosk/testing/suite/hostSuite.ts'), 'utf8');
  const suites = [...imported.matchAll(/'\.\/(\w+Tests\.ts)'/g)].map((match) => match[1]!);
  assert.ok(suites.length > 5);
  assert.deepEqual(HOST_ROWS.flatMap(({ suite }) => suite ?? []).sort(), suites.sort());
  for (const { what, double } of HOST_ROWS) {
    assert.ok(double.length > 0, what);
    for (const [file, name] of double)
      assert.ok(readFileSync(join(root, file), 'utf8').includes(name), `${file}: ${name}`);
  }
});
