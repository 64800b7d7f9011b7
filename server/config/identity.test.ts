import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadPanelId } from './loadSettings.ts';
import { settingDeclarations, systemLanguage } from './settings.ts';

const dataDir = temporaryFolder('id');
const path = join(dataDir, 'id');

test('should make an id of 12 hex digits once, and keep it', async () => {
  const made = await loadPanelId(dataDir, silentLogger());
  assert.match(made, /^[0-9a-f]{12}$/);
  assert.equal(readFileSync(path, 'utf8'), `${made}\n`);
  assert.equal(statSync(path).mode & 0o777, 0o600);
  assert.equal(await loadPanelId(dataDir, silentLogger()), made);
});

test('should make another id where the file holds none, also where it cannot be written', async () => {
  for (const text of ['', 'x', '0123456789AB', '0123456789ab0']) {
    writeFileSync(path, text);
    const made = await loadPanelId(dataDir, silentLogger());
    assert.match(made, /^[0-9a-f]{12}$/);
    assert.equal(readFileSync(path, 'utf8'), `${made}\n`);
  }
  assert.match(await loadPanelId(join(path, 'no folder'), silentLogger()), /^[0-9a-f]{12}$/);
});

test('should take names of 1 to 63 bytes, by default the host name', () => {
  const { schema, default: usual } = settingDeclarations['device.name'];
  assert.equal(usual, hostname().slice(0, 63));
  for (const name of ['x', 'Küche 1.2', 'x'.repeat(63), 'é'.repeat(31)])
    assert.ok(schema.safeParse(name).success, name);
  for (const name of ['', 'x'.repeat(64), 'é'.repeat(32), 'a\nb', 'a"b', '<b>'])
    assert.ok(!schema.safeParse(name).success, name);
});

test('should speak the language of the system, else English', () => {
  for (const [environment, language] of [
    [{ LANG: 'de_AT.UTF-8' }, 'de'],
    [{ LANG: 'de_AT.UTF-8', LC_MESSAGES: 'es' }, 'es'],
    [{ LANG: 'de', LC_MESSAGES: 'de', LC_ALL: 'es_ES@euro' }, 'es'],
    [{ LANG: 'de', LC_ALL: '' }, 'de'],
    [{ LANG: 'C.UTF-8' }, 'en'],
    [{ LANG: 'fr_FR' }, 'en'],
    [{ LANG: 'est' }, 'en'],
    [{}, 'en'],
  ] as const)
    assert.equal(systemLanguage(environment), language, JSON.stringify(environment));
});
