import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { makeAcpiTable } from './acpiTable.ts';

const noCompiler = (() => {
  try {
    execFileSync('iasl', ['-v'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'no iasl (Debian package acpica-tools)';
  }
})();

test('should make a table of ACPI for the machine that has one', { skip: noCompiler }, async () => {
  const folder = temporaryFolder('table');
  const file = join(folder, 'backlight.aml');
  await makeAcpiTable(folder, 'arm64');
  assert.equal(existsSync(file), false);
  for (let time = 0; time < 2; time++) await makeAcpiTable(folder, 'amd64');
  const table = readFileSync(file);
  // ACPI 6.5, 5.2.6: signature, length, a sum of all bytes that is zero.
  assert.equal(table.toString('latin1', 0, 4), 'SSDT');
  assert.equal(table.readUInt32LE(4), table.length);
  assert.equal(
    table.reduce((sum, byte) => (sum + byte) % 256, 0),
    0,
  );
});
