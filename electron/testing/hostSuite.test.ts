import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { makeSuite } from './runSuite.ts';

const suite = join(import.meta.dirname, '../../server/kiosk/testing/suite');

/** Loads the bundle as Electron does, which becomes ready later, and prints what it would run. */
const LOADER = `const { rows } = await import(process.argv[1]);
console.log(JSON.stringify(rows));`;

test('the suite for a real Electron should load over a double of it, with every test of every part', async () => {
  const folder = temporaryFolder('suite');
  const electron = join(import.meta.dirname, 'electronModule.ts');
  const env = { ...process.env, ...(await makeSuite(folder, { electron })) };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', LOADER, join(folder, 'runner.mjs')],
    { env },
  );
  const rows = JSON.parse(stdout) as { part: string; name: string }[];
  const imports = (await readFile(join(suite, 'hostSuite.ts'), 'utf8')).matchAll(/'\.\/(\w+Tests\.ts)'/g);
  const files = [...imports].map(([, file]) => file!);
  assert.ok(files.length > 10, String(files));
  for (const file of files) {
    const source = await readFile(join(suite, file), 'utf8');
    const part = /describe\('(.+?)'/.exec(source)?.[1];
    const literal = [...source.matchAll(/\btest\(\s*(?:'(.+?)'|"(.+?)"),/g)].map(([, a, b]) => a ?? b);
    const names = rows.filter((row) => row.part === part).map(({ name }) => name);
    assert.ok(literal.length > 0, file);
    for (const name of literal) assert.ok(names.includes(name!), `${file}: ${name}`);
  }
});
