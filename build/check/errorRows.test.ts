import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { catalogue } from '../../server/contract/errors.ts';

const root = join(import.meta.dirname, '..', '..');
const NOT_RAISED = 'no command raises it yet';

/** Rows of the table in docs/testing.md: status, code, case, test. */
const rows = readFileSync(join(root, 'docs/testing.md'), 'utf8')
  .split('\n')
  .map((line) => /^\| (\d{3}) \| `([A-Z_]+)` \| (.*?) ?\| (.+) \|$/.exec(line))
  .filter((match) => match !== null)
  .map(([, status, code, , test]) => ({ status: Number(status), code: code!, test: test! }));

describe('the table of errors and tests in docs/testing.md', () => {
  it('should have one row for every code of the catalogue, with its status, and no others', () => {
    const told = new Map(rows.map(({ code, status }) => [code, status]));
    const known = new Map(Object.entries(catalogue).map(([code, { status }]) => [code, status]));
    const sorted = (codes: Map<string, number>) => [...codes].sort();
    assert.deepEqual(sorted(told), sorted(known));
  });

  it('should name tests that exist', () => {
    for (const { code, test } of rows) {
      if (test === NOT_RAISED) continue;
      const [, file, name] = /^`(\S+)`: (.+)$/.exec(test) ?? assert.fail(`${code}: "${test}" names no test`);
      const isThere = readFileSync(join(root, file!), 'utf8').includes(name!);
      assert.ok(isThere, `${code}: ${file} has no test "${name}"`);
    }
  });
});
