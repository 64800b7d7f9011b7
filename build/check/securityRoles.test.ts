import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const ROLES = ['stranger', 'broker', 'page', 'glass', 'stick', 'view', 'control', 'phone', 'owner'];

/** The lines of the roles in docs/security.md: what one cannot do, and the test that holds it. */
function lines() {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const from = page.indexOf('## What each role can and cannot do');
  const roles = page
    .slice(from, page.indexOf('\n## ', from + 1))
    .split('\n### ')
    .slice(1);
  return roles.map((text) => {
    const rows = text.split('\n').filter((line) => /^\| (?!cannot|---)/.test(line));
    return { role: text.split('\n')[0]!, rows };
  });
}

test('docs/security.md should say of each role what it cannot do, each line with a test that is there', () => {
  const roles = lines();
  for (const name of ROLES)
    assert.ok(
      roles.some(({ role }) => role.toLowerCase().includes(name)),
      `no role ${name}`,
    );
  for (const { role, rows } of roles) {
    assert.ok(rows.length > 0, role);
    for (const row of rows) {
      const [, file, title] = /\| `([^`]+\.ts)`: (.+) \|$/.exec(row) ?? [];
      assert.ok(file && title, `no test: ${row}`);
      const source = readFileSync(join(root, file), 'utf8');
      // A title, and not any text of the file.
      const titles = source.match(/(['"`])(?:(?!\1).)+\1/g) ?? [];
      assert.ok(
        titles.some((each) => each.includes(title)),
        `${file} has no test "${title}"`,
      );
    }
  }
});
