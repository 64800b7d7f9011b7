import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, beforeEach, describe, test } from 'node:test';
import type { FaceplateError } from '../contract/errors.ts';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { manySettingsMistake } from './changeRules.ts';
import { hiddenValue, maskedSettings } from './hiddenValues.ts';
import { loadSettings } from './loadSettings.ts';
import { type SettingKey, settingDeclarations } from './settings.ts';
import { SettingsStore } from './settingsStore.ts';

const PHONE = { isOwner: false, scopes: ['view', 'control', 'manage'] as const };
const KEY = 'S3cret-of-the-house';
const PAGES = [
  { name: 'Hall', url: `https://hub.lan/wall?key=${KEY}&room=1#hall` },
  { name: 'Kitchen', url: `https://hub.lan/wall?key=${KEY}&room=2#kitchen`, seconds: 20 },
  { name: 'Why?', url: 'https://news.lan/' },
];
const FULL = {
  kiosk: {
    url: `https://hub.lan/?token=${KEY}`,
    pages: PAGES,
    parameters: `key=${KEY}`,
    inject: [{ origin: 'https://hub.lan', js: `localStorage.key = '${KEY}';` }],
  },
  projects: { parameters: { lobby: `key=${KEY}&x=1`, hall: `key=${KEY}&x=2` } },
  idle: {
    saver: `https://hub.lan/saver#${KEY}`,
    photos: [`https://a.lan/?k=${KEY}1`, `https://a.lan/?k=${KEY}2`],
  },
  update: { channel: `https://files.lan/channel.json?sig=${KEY}` },
  mqtt: { url: `wss://broker.lan/mqtt?token=${KEY}` },
};

/** A value of each shape that holds an address. */
const shapes = (address: string): unknown[] => [
  address,
  [address],
  [{ name: 'a', url: address }],
  [{ origin: address }],
  { a: address },
];

test('security: no setting that everybody reads takes an address with a login, or shows a query', () => {
  const withQuery = new Set<string>();
  for (const key of Object.keys(settingDeclarations) as SettingKey[]) {
    const { schema, ...declaration } = settingDeclarations[key];
    const takes = (text: string) => shapes(text).filter((value) => schema.safeParse(value).success);
    // Names, words and paths: an address means nothing there.
    if ('secret' in declaration || takes('some words').length > 0) continue;
    for (const scheme of ['http', 'https', 'mqtt', 'mqtts', 'ws', 'wss', 'rtsp', 'ftp']) {
      const logins = ['u:p@', 'u@', ':p@'].flatMap((login) => takes(`${scheme}://${login}hub.lan/`));
      for (const value of [...logins, ...takes(`${scheme}://hub.lan/?${KEY}#${KEY}`)]) {
        withQuery.add(key);
        assert.doesNotMatch(JSON.stringify(hiddenValue(key, value)), new RegExp(`${KEY}|u:p|u@|:p`), key);
      }
    }
  }
  assert.deepEqual([...withQuery].sort(), [
    'idle.photos',
    'idle.saver',
    'kiosk.pages',
    'kiosk.parameters',
    'kiosk.url',
    'mqtt.url',
    'projects.parameters',
    'streams.cameras',
    'update.channel',
  ]);
});

describe('what only the owner reads', () => {
  let dataDir: string;
  let path: string;
  before(() => {
    dataDir = temporaryFolder('addresses');
    path = join(dataDir, 'settings.json');
  });
  beforeEach(() => writeFileSync(path, JSON.stringify(FULL)));

  const load = () => loadSettings(['--dataDir', dataDir], {}, '0.1.0');
  const make = () => new SettingsStore(load(), silentLogger());
  const valuesOf = (store: SettingsStore, reader?: typeof PHONE) =>
    Object.fromEntries(
      Object.entries(store.read(reader).settings).map(([key, entry]) => [
        key,
        'value' in entry ? entry.value : entry.set,
      ]),
    );

  test('security: should be whole to the owner, and "…" to everybody else', () => {
    const store = make();
    const seen = valuesOf(store, PHONE);
    assert.ok(!JSON.stringify(store.read(PHONE)).includes(KEY));
    assert.equal(seen['kiosk.url'], 'https://hub.lan/?…');
    assert.deepEqual(seen['kiosk.pages'], [
      { name: 'Hall', url: 'https://hub.lan/wall?…#…' },
      { name: 'Kitchen', url: 'https://hub.lan/wall?…#…', seconds: 20 },
      { name: 'Why?', url: 'https://news.lan/' },
    ]);
    assert.equal(seen['idle.saver'], 'https://hub.lan/saver#…');
    assert.deepEqual(seen['idle.photos'], ['https://a.lan/?…', 'https://a.lan/?…']);
    assert.equal(seen['mqtt.url'], 'wss://broker.lan/mqtt?…');
    assert.equal(seen['kiosk.parameters'], '…');
    assert.deepEqual(seen['projects.parameters'], { lobby: '…', hall: '…' });
    assert.equal(seen['kiosk.inject'], true);
    const all = valuesOf(store);
    assert.deepEqual(all['kiosk.pages'], PAGES);
    assert.deepEqual(all['kiosk.inject'], FULL.kiosk.inject);
    assert.equal(valuesOf(make(), PHONE).board, 'auto');
  });

  test('security: should stay as it is when it is sent back as it was shown', async () => {
    const store = make();
    const asLoaded = valuesOf(store);
    const seen = valuesOf(store, PHONE);
    const back = [
      'kiosk.url',
      'kiosk.pages',
      'kiosk.parameters',
      'projects.parameters',
      'idle.saver',
      'idle.photos',
      'update.channel',
      'mqtt.url',
    ];
    const answer = await store.change(Object.fromEntries(back.map((key) => [key, seen[key]])), PHONE);
    assert.deepEqual(answer.cleared, undefined);
    assert.ok(!JSON.stringify(answer).includes(KEY));
    assert.deepEqual(valuesOf(store), asLoaded);
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), FULL);
  });

  test('security: should follow the elements of a list, by their name, else by their order', async () => {
    const store = make();
    const [hall, kitchen, news] = valuesOf(store, PHONE)['kiosk.pages'] as typeof PAGES;
    const pages = () => store.now()['kiosk.pages'];
    await store.change({ kiosk: { pages: [news, { ...kitchen, seconds: 30 }, hall] } }, PHONE);
    assert.deepEqual(pages(), [PAGES[2], { ...PAGES[1], seconds: 30 }, PAGES[0]]);
    await store.change({ kiosk: { pages: [kitchen, { name: 'New', url: 'https://new.lan/?a=1' }] } }, PHONE);
    assert.deepEqual(pages(), [
      { ...PAGES[1], seconds: 20 },
      { name: 'New', url: 'https://new.lan/?a=1' },
    ]);
    // Renamed: there is only one that looks like it.
    await store.change({ kiosk: { pages: [{ ...kitchen, name: 'Cook' }] } }, PHONE);
    assert.deepEqual(pages(), [{ ...PAGES[1], name: 'Cook' }]);
    await store.change({ projects: { parameters: { hall: '…', new: 'x=3' } } }, PHONE);
    assert.deepEqual(store.now()['projects.parameters'], { hall: `key=${KEY}&x=2`, new: 'x=3' });
  });

  test('security: should lead nowhere else, and stand for nothing that is not sure', async () => {
    const store = make();
    const refused = (tree: Readonly<Record<string, unknown>>, field: string) =>
      assert.rejects(store.change(tree, PHONE), (error: FaceplateError) => {
        assert.deepEqual([error.code, error.field], ['INVALID_REQUEST', field]);
        assert.ok(!error.message.includes(KEY));
        return true;
      });
    await refused({ kiosk: { url: 'https://evil.lan/?…' } }, 'kiosk.url');
    await refused({ kiosk: { url: 'http://hub.lan/?…' } }, 'kiosk.url');
    await refused({ kiosk: { url: 'https://hub.lan/other?…' } }, 'kiosk.url');
    await refused({ kiosk: { url: 'https://hub.lan/?…&more=1' } }, 'kiosk.url');
    // Which of the two?
    await refused({ kiosk: { pages: [{ name: 'x', url: 'https://hub.lan/wall?…#…' }] } }, 'kiosk.pages');
    await refused({ idle: { photos: ['https://a.lan/?…'] } }, 'idle.photos');
    await refused({ projects: { parameters: { other: '…' } } }, 'projects.parameters');
    await refused({ idle: { saver: 'https://hub.lan/?…' } }, 'idle.saver');
    assert.deepEqual(JSON.parse(readFileSync(path, 'utf8')), FULL);
  });

  test('security: should stand in no roll-out and in no journal', () => {
    const shown = JSON.stringify(maskedSettings(FULL));
    assert.ok(!shown.includes(KEY), shown);
    // A mistake is noted too.
    assert.ok(
      !JSON.stringify(maskedSettings({ kiosk: { url: `hub.lan?${KEY}`, pages: [`x#${KEY}`] } })).includes(
        KEY,
      ),
    );
    for (const tree of [{ kiosk: { url: 'https://hub.lan/?…' } }, { kiosk: { parameters: '…' } }])
      assert.match(manySettingsMistake(tree) ?? '', /^The settings have mistakes: kiosk\./);
    assert.equal(manySettingsMistake({ kiosk: { url: 'https://hub.lan/?a=1' } }), undefined);
  });

  test('security: should move the logins of earlier versions out of the addresses', () => {
    writeFileSync(
      path,
      JSON.stringify({
        kiosk: {
          url: 'http://ann:p%40ss@hub.lan:8123/wall?a=1',
          logins: [{ origin: 'https://a.lan', username: 'x', password: 'y' }],
        },
        idle: { saver: 'https://new:other@a.lan/s', photos: ['http://bob@b.lan/1.jpg', 'http://c.lan/'] },
        update: { channel: 'https://up:date@files.lan/channel.json' },
      }),
    );
    const { settings, file } = load();
    assert.deepEqual(
      [settings['kiosk.url'], settings['idle.saver'], settings['idle.photos'], settings['update.channel']],
      [
        'http://hub.lan:8123/wall?a=1',
        'https://a.lan/s',
        ['http://b.lan/1.jpg', 'http://c.lan/'],
        'https://files.lan/channel.json',
      ],
    );
    assert.deepEqual(settings['kiosk.logins'], [
      { origin: 'https://a.lan', username: 'x', password: 'y' },
      { origin: 'http://hub.lan:8123', username: 'ann', password: 'p@ss' },
      { origin: 'http://b.lan', username: 'bob', password: '' },
    ]);
    assert.deepEqual(settings['update.login'], { username: 'up', password: 'date' });
    assert.ok(file.migrated);
    writeFileSync(path, JSON.stringify(FULL));
    assert.equal(load().file.migrated, undefined);
  });

  test('security: should end the start where a flag or the environment brings a login', () => {
    assert.throws(
      () => loadSettings(['--dataDir', dataDir, '--kiosk.url', 'http://u:p@hub.lan/'], {}, '0.1.0'),
      {
        message: /kiosk\.url: must not contain a login: put it into kiosk\.logins/,
      },
    );
  });
});
