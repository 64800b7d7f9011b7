import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { settingDeclarations } from '../../server/config/settings.ts';
import { commandList } from '../../server/contract/commands.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { buildManage, commandTable, settingSchemas } from './manageApp.ts';

/** All code of the app, compressed, in bytes. */
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

/** What a browser fetches before the first view is there, compressed, in bytes: the font with it. */
const FIRST_LOAD = 160_000;

test('should load at most 160 kB first, with its font, and each view when it is opened', async () => {
  const folder = temporaryFolder('manage-first');
  await buildManage(join(import.meta.dirname, '../..'), join(folder, 'app'));
  const read = (name: string) => readFile(join(folder, 'app', name));
  const page = String(await read('index.html'));
  const first = new Set([...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name]) => name!));
  for (const name of first)
    if (name.endsWith('.js'))
      for (const [, part] of String(await read(name)).matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g))
        first.add(part!);
  const names = await readdir(join(folder, 'app'));
  // Letters of German, English and Spanish are all in this one; the other is fetched for names with further letters.
  first.add(names.find((name) => /^inter-latin-wght-normal-[A-Z0-9]{8}\.woff2$/.test(name))!);
  // The view that is opened first, and what it needs.
  const views = names.filter((name) => name.endsWith('.js') && !first.has(name));
  assert.ok(views.length > 15, `${views.length} parts are loaded on demand`);
  let bytes = 0;
  for (const name of first) bytes += gzipSync(await read(name)).length;
  assert.ok(bytes < FIRST_LOAD, `${bytes} bytes`);
  console.log(`first load of /manage: ${bytes} bytes, compressed`);
});

test('should make an app of at most 400 kB, all views together, without inline code', async () => {
  const folder = temporaryFolder('manage-app');
  await buildManage(join(import.meta.dirname, '../..'), join(folder, 'app'));
  const names = await readdir(join(folder, 'app'));
  const code = names.filter((name) => /\.(js|css|woff2)$/.test(name));
  assert.ok(
    code.every((name) => /-[A-Z0-9]{8}\.(js|css|woff2)$/.test(name)),
    code.join(' '),
  );
  let bytes = 0;
  for (const name of code) bytes += gzipSync(await readFile(join(folder, 'app', name))).length;
  assert.ok(bytes < LIMIT, `${bytes} bytes`);
  const page = await readFile(join(folder, 'app/index.html'), 'utf8');
  assert.doesNotMatch(page, /<script(?![^>]* src=)|<style|style=|https?:/);
  assert.deepEqual(await readdir(folder), ['app']);
});
