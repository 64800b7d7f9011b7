import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { settingDeclarations } from '../../server/config/settings.ts';
import { commandList } from '../../server/contract/commands.ts';
import { buildManage, commandTable, settingSchemas } from './manageApp.ts';

/** All that the app may be until first use, compressed, in bytes; the views of today need a ninth of it. */
const LIMIT = 400_000;

test('should list exactly the commands that HTTP callers have', () => {
  const callable = commandList.filter(([, { http, access }]) => http && access.http).map(([name]) => name);
  assert.deepEqual(Object.keys(commandTable(commandList)), callable);
  assert.ok(!('token.show' in commandTable(commandList)));
});

test('should know how each setting is edited, without the patterns that only the service needs', () => {
  const schemas = settingSchemas();
  const outside = ['dataDir', 'update.keys', 'kiosk.debugPort'];
  assert.deepEqual(
    Object.keys(schemas).sort(),
    Object.keys(settingDeclarations)
      .filter((key) => !outside.includes(key))
      .sort(),
  );
  const text = JSON.stringify(schemas);
  assert.doesNotMatch(text, /"(?:pattern|format|description)":/);
  assert.ok(text.length < 16_000, `${text.length} bytes`);
});

test('should make an app of at most 400 kB, all views together, without inline code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'manage-app-'));
  try {
    await buildManage(join(import.meta.dirname, '../..'), join(folder, 'app'));
    const names = await readdir(join(folder, 'app'));
    const code = names.filter((name) => /\.(js|css)$/.test(name));
    assert.ok(
      code.every((name) => /-[A-Z0-9]{8}\.(js|css)$/.test(name)),
      code.join(' '),
    );
    let bytes = 0;
    for (const name of code) bytes += gzipSync(await readFile(join(folder, 'app', name))).length;
    assert.ok(bytes < LIMIT, `${bytes} bytes`);
    const page = await readFile(join(folder, 'app/index.html'), 'utf8');
    assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|style=|https?:/);
    assert.deepEqual(await readdir(folder), ['app']);
  } finally {
    await rm(folder, { recursive: true });
  }
});
