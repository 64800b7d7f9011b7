import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { namedCameras } from '../video/named/settingsContract.ts';
import { manySettingsMistake } from './changeRules.ts';
import { maskedSettings } from './hiddenValues.ts';
import { loadSettings } from './loadSettings.ts';
import { SettingsBackup } from './settingsBackup.ts';
import { SettingsStore } from './settingsStore.ts';

const SECRET = 's3cret-of-the-door';
const LOGIN = { user: 'panel', password: SECRET };
const DOOR = { name: 'Door', url: 'onvif://192.168.1.20/', login: LOGIN };
const SHOWN = { user: 'panel', set: true };
const OWNER = { isOwner: true };
const PHONE = { isOwner: false, scopes: ['view', 'control', 'manage'] as const };

describe('logins of streams.cameras', () => {
  let dataDir: string;
  before(() => {
    dataDir = temporaryFolder('cameras');
  });

  const make = (...cameras: object[]) => {
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ streams: { cameras } }));
    const running = loadSettings(['--dataDir', dataDir], {}, '0.1.0');
    return { store: new SettingsStore(running, silentLogger()), running };
  };
  const shownBy = (store: SettingsStore, reader: Parameters<SettingsStore['read']>[0]) =>
    (store.read(reader).settings['streams.cameras'] as { value: { login?: unknown }[] }).value;
  const loginAfter = async (before: object, sent: object, who = PHONE as typeof OWNER) => {
    const { store } = make(before);
    await store.change({ streams: { cameras: [sent] } }, who);
    return namedCameras(store.now()['streams.cameras'])[0]!.login;
  };

  test('security: a login is read by nobody, the owner neither', async () => {
    const { store } = make(DOOR);
    for (const who of [OWNER, PHONE]) {
      assert.deepEqual(shownBy(store, who)[0]!.login, SHOWN);
      const answer = await store.change({ streams: { cameras: [DOOR] } }, who);
      assert.ok(!JSON.stringify([answer, store.read(who)]).includes(SECRET));
    }
    const odd = [DOOR, { ...DOOR, login: SECRET }, { password: SECRET }, SECRET];
    const masked = maskedSettings({ streams: { cameras: odd } });
    assert.ok(!JSON.stringify(masked).includes(SECRET));
    assert.ok(!JSON.stringify(maskedSettings({ 'streams.cameras': SECRET })).includes(SECRET));
    const url = `rtsp://u:${SECRET}@192.168.1.20/x`;
    assert.ok(!JSON.stringify(maskedSettings({ 'streams.cameras': [{ url }] })).includes(SECRET));
  });

  test('an entry of the same name, host and port keeps its login when it comes without', async () => {
    const { login, ...bare } = DOOR;
    const same = [
      bare,
      { ...bare, login: SHOWN },
      { ...bare, name: 'DOOR', talk: 'off', events: ['motion'] },
      { ...bare, url: 'onvif://192.168.1.20:80' },
      { ...bare, url: 'http://192.168.1.20/snap.jpg' },
    ];
    for (const sent of same) assert.deepEqual(await loginAfter(DOOR, sent), login, JSON.stringify(sent));
    const { store } = make(DOOR, { ...bare, name: 'Yard' });
    await store.change({ streams: { cameras: [{ ...bare, name: 'Yard' }, bare] } }, PHONE as never);
    const [yard, door] = namedCameras(store.now()['streams.cameras']);
    assert.deepEqual([yard!.login, door!.login], [undefined, LOGIN]);
    assert.ok(readFileSync(join(dataDir, 'settings.json'), 'utf8').includes(SECRET));
  });

  test('security: a login goes to no other host or port, to no other name, and not out of TLS', async () => {
    const { login: _login, ...bare } = DOOR;
    const others = [
      { ...bare, url: 'onvif://192.168.1.21/' },
      { ...bare, url: 'onvif://192.168.1.20:8080/' },
      { ...bare, url: 'rtsp://192.168.1.20/' },
      { ...bare, name: 'Yard' },
      { ...bare, login: null },
    ];
    for (const who of [OWNER, PHONE] as (typeof OWNER)[])
      for (const sent of others)
        assert.equal(await loginAfter(DOOR, sent, who), undefined, JSON.stringify(sent));
    const secure = { ...DOOR, url: 'rtsps://192.168.1.20:554/' };
    assert.equal(await loginAfter(secure, { ...bare, url: 'rtsp://192.168.1.20/' }), undefined);
    assert.deepEqual(await loginAfter(secure, { ...bare, url: secure.url }), LOGIN);
    const refused = { code: 'INVALID_REQUEST', field: 'streams.cameras' };
    await assert.rejects(loginAfter(DOOR, { ...others[0]!, login: SHOWN }), refused);
    await assert.rejects(loginAfter(DOOR, { ...bare, login: { user: 'root', set: true } }), refused);
  });

  test('security: a query of an address is the owner’s to read, and comes back with what stands for it', async () => {
    const url = `http://192.168.1.20/snap?pwd=${SECRET}`;
    const { store } = make({ ...DOOR, url });
    assert.equal((shownBy(store, OWNER)[0] as { url?: string }).url, url);
    const shown = shownBy(store, PHONE);
    assert.ok(!JSON.stringify(shown).includes(SECRET));
    await store.change({ streams: { cameras: shown } }, PHONE as never);
    assert.deepEqual(namedCameras(store.now()['streams.cameras'])[0], {
      ...DOOR,
      url,
      talk: 'auto',
      talkBytes: 160,
      events: [],
    });
    await assert.rejects(
      store.change({ streams: { cameras: [{ ...shown[0], name: 'Yard' }] } }, PHONE as never),
      {
        code: 'INVALID_REQUEST',
      },
    );
  });

  test('names are unique, addresses are those of cameras and have no login', async () => {
    const refusals = [
      [{ ...DOOR, name: '' }],
      [{ ...DOOR, name: 'a/b' }],
      [{ ...DOOR, name: 'x'.repeat(41) }],
      [DOOR, { ...DOOR, name: 'dOOR' }],
      [{ ...DOOR, url: 'camera:Yard' }],
      [{ ...DOOR, url: 'ftp://192.168.1.20/' }],
      [{ ...DOOR, url: 'rtsp://u:p@192.168.1.20/' }],
      [{ ...DOOR, url: 'https://u@192.168.1.20/' }],
      [{ ...DOOR, talkBytes: 100 }],
      [{ ...DOOR, events: ['rain'] }],
      Array.from({ length: 33 }, (_, at) => ({ ...DOOR, name: `${at}` })),
    ];
    for (const cameras of refusals)
      await assert.rejects(make().store.change({ streams: { cameras } }, OWNER), {
        code: 'INVALID_REQUEST',
        field: 'streams.cameras',
      });
    const { store } = make();
    const schemes = ['rtsp', 'rtsps', 'onvif', 'http', 'https'];
    const cameras = schemes.map((scheme) => ({ name: scheme, url: `${scheme}://cam.lan/x?a=b` }));
    await store.change({ streams: { cameras } }, OWNER);
    assert.equal(store.now()['streams.cameras'].length, schemes.length);
  });

  test('security: a backup has logins among its secrets, and a roll-out has none', async () => {
    const { store, running } = make(DOOR);
    const { plain, secret } = new SettingsBackup(running, store).kept();
    assert.ok(!JSON.stringify(plain).includes(SECRET) && JSON.stringify(plain).includes(DOOR.url));
    assert.ok(JSON.stringify(secret).includes(SECRET));
    const path = join(dataDir, 'backup.json');
    writeFileSync(path, JSON.stringify(plain));
    const options = { secrets: false, isOwner: false, scopes: [] };
    const backup = new SettingsBackup(running, store);
    await backup.carryOut(backup.plan(path, options));
    assert.deepEqual(namedCameras(store.now()['streams.cameras'])[0]!.login, LOGIN);
    const other = make();
    const fresh = new SettingsBackup(other.running, other.store);
    await fresh.carryOut(fresh.plan(path, options));
    assert.equal(other.store.now()['streams.cameras'].length, 1);
    assert.match(manySettingsMistake({ streams: { cameras: [DOOR] } }) ?? '', /streams\.cameras/);
    const { login: _login, ...bare } = DOOR;
    assert.equal(manySettingsMistake({ streams: { cameras: [bare] } }), undefined);
  });
});
