import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { unzip } from '../../platform/archive/testing/unzip.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { BackupPanel } from '../testing/testBackup.ts';

const KEY = 'S3cret-of-the-house';
const OWNER = { isOwner: true };
const SETTINGS = {
  kiosk: {
    url: `https://hub.lan/?token=${KEY}`,
    pages: [{ name: 'Hall', url: `https://hub.lan/hall#${KEY}` }],
    inject: [{ origin: 'https://hub.lan', js: `localStorage.key = '${KEY}';` }],
    parameters: `key=${KEY}`,
    quietHour: 5,
  },
  update: { channel: `https://files.lan/channel.json?sig=${KEY}` },
};
const KEYS = ['kiosk.url', 'kiosk.pages', 'kiosk.inject', 'kiosk.parameters', 'update.channel'] as const;
const manifest = {
  ...{ format: 1, version: '1.2.0', createdAt: '2026-01-01T00:00:00Z' },
  ...{ projects: false, secrets: false },
};
/** A backup of another panel, or of an earlier version. */
const backupWith = (settings: object) =>
  zipFile(
    Object.entries({ 'backup.json': manifest, 'settings.json': settings }).map(([name, value]) => ({
      name,
      content: JSON.stringify(value),
    })),
  );

async function fullPanel(): Promise<BackupPanel> {
  const panel = await BackupPanel.make();
  await panel.store.change(SETTINGS, OWNER);
  return panel;
}

const chosen = (panel: BackupPanel) => Object.fromEntries(KEYS.map((key) => [key, panel.store.now()[key]]));

describe('what a backup holds of addresses and scripts', () => {
  test('security: should be no query, fragment or script without a passphrase', async () => {
    await using panel = await fullPanel();
    const files = await unzip(await panel.backup({ projects: false }, false));
    for (const [name, bytes] of files) assert.ok(!Buffer.from(bytes).includes(KEY), name);
    const plain = JSON.parse(String(files.get('settings.json')));
    assert.deepEqual(plain, {
      kiosk: {
        url: 'https://hub.lan/?…',
        pages: [{ name: 'Hall', url: 'https://hub.lan/hall#…' }],
        parameters: '…',
        quietHour: 5,
      },
      update: { channel: 'https://files.lan/channel.json?…' },
    });
  });

  test('security: should come back where the panel still knows it, and be named where it does not', async () => {
    await using panel = await fullPanel();
    const before = chosen(panel);
    const zip = await panel.backup({ projects: false }, false);
    await panel.store.change({ kiosk: { quietHour: 1 } }, OWNER);
    assert.equal((await panel.restore(zip, undefined, false)).skipped, undefined);
    assert.deepEqual(chosen(panel), before);
    assert.equal(panel.store.now()['kiosk.quietHour'], 5);
    await using other = await BackupPanel.make();
    await other.store.change({ kiosk: { url: 'https://other.lan/' } }, OWNER);
    const answer = await other.restore(zip);
    assert.deepEqual([...(answer.skipped ?? [])].sort(), [
      'kiosk.pages',
      'kiosk.parameters',
      'kiosk.url',
      'update.channel',
    ]);
    assert.deepEqual(answer.restored, ['kiosk.quietHour']);
    assert.equal(other.store.now()['kiosk.url'], 'https://other.lan/');
  });

  test('should be whole with a passphrase', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ passphrase: 'open sesame', projects: false });
    await using other = await BackupPanel.make();
    assert.equal((await other.restore(zip, 'open sesame')).skipped, undefined);
    assert.deepEqual(chosen(other), chosen(panel));
  });

  test('should be what an earlier version wrote, with the logins of addresses among the secrets', async () => {
    await using panel = await BackupPanel.make();
    const mine = { origin: 'https://a.lan', username: 'x', password: 'y' };
    await panel.store.change({ kiosk: { logins: [mine] } }, OWNER);
    const answer = await panel.restore(
      backupWith({
        kiosk: { url: 'http://ann:pw@hub.lan/?a=1', inject: SETTINGS.kiosk.inject },
        update: { channel: 'https://up:date@files.lan/channel.json' },
      }),
    );
    assert.deepEqual([...answer.restored].sort(), [
      'kiosk.inject',
      'kiosk.logins',
      'kiosk.url',
      'update.channel',
      'update.login',
    ]);
    const now = panel.store.now();
    assert.equal(now['kiosk.url'], 'http://hub.lan/?a=1');
    assert.deepEqual(now['kiosk.logins'], [
      mine,
      { origin: 'http://hub.lan', username: 'ann', password: 'pw' },
    ]);
    assert.deepEqual(now['update.login'], { username: 'up', password: 'date' });
    // A secret that stands there by itself is still refused.
    const plain = backupWith({ update: { login: { username: 'a', password: 'b' } } });
    await assert.rejects(panel.restore(plain), {
      code: 'INVALID_REQUEST',
      message: /update\.login: is a secret/,
    });
  });
});

describe('the secrets of a panel when somebody restores another server', () => {
  const set = { mqtt: { url: 'mqtts://broker.lan', password: KEY, scopes: [] } };

  test('security: should be cleared, and told, where it is not the owner', async () => {
    await using panel = await BackupPanel.make();
    await panel.store.change(set, OWNER);
    const evil = backupWith({ mqtt: { url: 'mqtts://evil.lan', scopes: [] } });
    const answer = await panel.restore(evil, undefined, false, ['manage']);
    assert.deepEqual(answer.cleared, ['mqtt.password']);
    assert.deepEqual(answer.restored, ['mqtt.url']);
    assert.equal(panel.store.now()['mqtt.password'], '');
    assert.ok(!(await panel.read('settings.json'))?.includes(KEY));
    // The backup does not name it: its default is another place too.
    await panel.store.change(set, OWNER);
    assert.deepEqual((await panel.restore(backupWith({}), undefined, false, ['manage'])).cleared, [
      'mqtt.password',
    ]);
  });

  test('security: should stay with the owner, who leads them out of TLS by no backup either', async () => {
    await using panel = await BackupPanel.make();
    await panel.store.change(set, OWNER);
    assert.equal((await panel.restore(backupWith({ mqtt: { url: 'mqtts://new.lan' } }))).cleared, undefined);
    assert.equal(panel.store.now()['mqtt.password'], KEY);
    const before = await panel.state();
    for (const isOwner of [true, false])
      await assert.rejects(
        panel.restore(backupWith({ mqtt: { url: 'mqtt://new.lan' } }), undefined, isOwner, ['manage']),
        { code: 'CONFLICT', field: 'mqtt.url' },
      );
    assert.deepEqual(await panel.state(), before);
  });
});
