import assert from 'node:assert/strict';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { unzip } from '../../platform/archive/testing/unzip.ts';
import { zipFile } from '../../testing/zipFile.ts';
import { BackupPanel } from '../testing/testBackup.ts';
import { seal } from './contents.ts';

const page = (text: string) =>
  zipFile([
    { name: 'index.html', content: text },
    { name: 'js/a.js', content: 'a' },
  ]);
const LED = '{"version":1,"value":{"on":true,"red":1,"green":2,"blue":3}}\n';
const PIN = '{"version":1,"value":{"hash":"aGFzaA==","salt":"c2FsdA==","wrong":0}}\n';
const TOKENS = `${JSON.stringify({
  version: 2,
  value: {
    tokens: [
      {
        id: 'a1',
        name: 'phone',
        scopes: ['view'],
        createdAt: '2026-01-01T00:00:00.000Z',
        by: 'owner',
        expiresAt: null,
        lastUsedAt: null,
        lastAddress: null,
        hash: 'deadbeef',
      },
    ],
    owner: { lastUsedAt: null, lastAddress: null },
  },
})}\n`;
const PINNED = JSON.stringify({
  version: 1,
  value: {
    pinned: [
      {
        host: 'hub.lan',
        port: 443,
        fingerprint: Array.from({ length: 32 }, () => 'AB').join(':'),
        subject: 'CN=evil',
        issuer: 'CN=evil',
        validFrom: '2026-01-01T00:00:00Z',
        validTo: '2036-01-01T00:00:00Z',
      },
    ],
  },
});
const SECRET = 'a-password-nobody-may-read';

const manifest = {
  format: 1,
  version: '1.2.0',
  createdAt: '2026-01-01T00:00:00Z',
  projects: false,
  secrets: false,
};
const json = (name: string, value: unknown) => ({ name, content: JSON.stringify(value) });
const bare = (...more: { name: string; content?: string }[]) =>
  zipFile([json('backup.json', manifest), json('settings.json', {}), ...more]);

/** A panel with settings, state, secrets and two projects. */
async function fullPanel(): Promise<BackupPanel> {
  const panel = await BackupPanel.make();
  await panel.store.change({ kiosk: { quietHour: 4 }, sip: { password: SECRET } }, { isOwner: true });
  await panel.write('led.json', LED);
  await panel.write('pin.json', PIN);
  await panel.write('tokens.json', TOKENS);
  await panel.write('token', 'the-token-of-the-owner\n');
  await panel.write('id', '0123456789ab\n');
  await panel.test.install('Lobby', page('lobby'));
  await panel.test.install('Door', page('door'));
  await panel.test.service.activate({ id: 'lobby' });
  return panel;
}

const names = async (zip: Buffer) => [...(await unzip(zip)).keys()].sort();

describe('backup', () => {
  test('should hold settings, state and projects, as a zip file that others read', async () => {
    await using panel = await fullPanel();
    const found = await names(await panel.backup());
    assert.deepEqual(found, [
      'backup.json',
      'projects.json',
      'projects/door/index.html',
      'projects/door/js/a.js',
      'projects/lobby/index.html',
      'projects/lobby/js/a.js',
      'settings.json',
      'state/led.json',
    ]);
    assert.deepEqual(await names(await panel.backup({ projects: false })), [
      'backup.json',
      'settings.json',
      'state/led.json',
    ]);
    assert.deepEqual(await readdir(join(panel.dataDir, 'backup.tmp')), []);
  });

  test('security: should hold no secret in the open, and never the token or the id', async () => {
    await using panel = await fullPanel();
    for (const zip of [
      await panel.backup({ projects: false }),
      await panel.backup({ projects: false, passphrase: 'open sesame' }),
    ])
      for (const secret of [SECRET, 'the-token-of-the-owner', '0123456789ab', 'aGFzaA==', 'deadbeef'])
        for (const file of (await unzip(zip)).values()) assert.ok(!file.includes(secret), secret);
  });

  test('security: should make a backup with secrets for the owner alone', async () => {
    await using panel = await fullPanel();
    await assert.rejects(panel.backup({ passphrase: 'open sesame' }, false), { code: 'FORBIDDEN' });
  });

  test('should bring everything back on a new panel, secrets with the passphrase', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ passphrase: 'grüße 🚪' });
    await using other = await BackupPanel.make();
    await other.test.install('Old', page('old'));
    const header = Buffer.from('grüße 🚪').toString('latin1');
    const answer = await other.restore(zip, header);
    assert.deepEqual(answer.restored.toSorted(), [
      'kiosk.quietHour',
      'led',
      'pin',
      'projects',
      'sip.password',
      'tokens',
    ]);
    assert.deepEqual(answer.restartNeeded.toSorted(), ['led', 'pin', 'sip.password', 'tokens']);
    // What is live acts at once.
    assert.equal(other.store.now()['kiosk.quietHour'], 4);
    const shown = other.test.service.list().projects.map(({ id, active }) => [id, active]);
    assert.deepEqual(shown, [
      ['door', false],
      ['lobby', true],
    ]);
    await other.restart();
    assert.equal(await other.read('led.json'), LED);
    assert.equal(await other.read('pin.json'), PIN);
    assert.equal(await other.read('tokens.json'), TOKENS);
    assert.equal(other.store.now()['sip.password'], SECRET);
    assert.equal(await other.read('token'), undefined);
    assert.equal(await other.read('restore'), undefined);
    const [folder = ''] = (await other.test.onDisk()).filter((name) => /^lobby\/[^/]+$/.test(name));
    assert.equal(await other.read(`projects/${folder}/index.html`), 'lobby');
    assert.ok(!(await other.test.onDisk()).includes('old'));
  });

  test('should take a passphrase that a browser sent as Latin-1', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ passphrase: 'grüße', projects: false });
    await panel.restore(zip, 'grüße');
  });

  test('should put settings back that were changed since, but secrets only with the passphrase', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ projects: false });
    await panel.store.change(
      { kiosk: { quietHour: 9, deadPageCheck: false }, sip: { password: 'another' } },
      { isOwner: true },
    );
    assert.deepEqual(await panel.restore(zip), { restored: ['kiosk.quietHour', 'led'], restartNeeded: [] });
    assert.equal(panel.store.now()['kiosk.quietHour'], 4);
    assert.equal(panel.store.now()['kiosk.deadPageCheck'], true);
    assert.match((await panel.read('settings.json')) ?? '', /another/);
  });

  test('should skip and name what a flag or the environment holds', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ projects: false });
    await using held = await BackupPanel.make({ environment: { FACEPLATE_KIOSK_QUIET_HOUR: '7' } });
    assert.deepEqual(await held.restore(zip), {
      restored: ['led'],
      restartNeeded: ['led'],
      skipped: ['kiosk.quietHour'],
    });
    assert.equal(held.store.now()['kiosk.quietHour'], 7);
  });

  test("security: should leave the owner's settings alone when another caller restores", async () => {
    await using panel = await BackupPanel.make();
    await panel.store.change({ terminal: { enabled: false } }, { isOwner: true });
    const zip = zipFile([
      json('backup.json', manifest),
      json('settings.json', { terminal: { enabled: true } }),
    ]);
    const answer = await panel.restore(zip, undefined, false);
    assert.deepEqual(answer, { restored: [], restartNeeded: [], skipped: ['terminal.enabled'] });
    assert.equal(panel.store.now()['terminal.enabled'], false);
    // A backup without the key would otherwise bring the default back.
    await panel.restore(bare(), undefined, false);
    assert.equal(panel.store.now()['terminal.enabled'], false);
  });

  test('security: should give callers on a broker no scope that the restorer lacks', async () => {
    await using panel = await BackupPanel.make();
    const held = ['manage', 'view', 'control'] as const;
    const restored = (mqtt: object) =>
      panel.restore(
        zipFile([json('backup.json', manifest), json('settings.json', { mqtt })]),
        undefined,
        false,
        held,
      );
    assert.deepEqual(await restored({ scopes: ['view', 'terminal'], groups: ['hall'] }), {
      restored: ['mqtt.groups'],
      restartNeeded: [],
      skipped: ['mqtt.scopes'],
    });
    assert.deepEqual(panel.store.now()['mqtt.scopes'], ['view', 'control']);
    // Another broker would get what the owner gave to this one.
    await panel.store.change({ mqtt: { scopes: ['view', 'doors'], url: 'mqtt://house' } }, { isOwner: true });
    assert.deepEqual((await restored({ scopes: ['view', 'doors'], url: 'mqtt://else' })).skipped, [
      'mqtt.url',
      'mqtt.scopes',
    ]);
    assert.equal(panel.store.now()['mqtt.url'], 'mqtt://house');
    await panel.store.change({ mqtt: { scopes: ['view', 'manage'] } }, { isOwner: true });
    assert.deepEqual((await restored({ url: 'mqtt://else' })).restored, ['mqtt.url']);
    assert.deepEqual(panel.store.now()['mqtt.scopes'], ['view', 'manage']);
  });

  test('security: should leave what lets code or a person in alone when another caller restores', async () => {
    await using panel = await BackupPanel.make();
    await panel.store.change({ kiosk: { user: 'house' } }, { isOwner: true });
    const settings = {
      kiosk: {
        user: 'root',
        quietHour: 5,
        browserArguments: ['--disable-gpu'],
        inject: [{ origin: 'http://a.lan', js: 'alert(1)' }],
        secureOrigins: ['http://a.lan'],
        authorities: ['/tmp/ca.pem'],
        // Of an earlier version.
        debugPort: 9222,
      },
      bridge: { origins: ['http://a.lan'], aliases: ['x'], allowInstall: true },
      apps: { installDir: '/tmp' },
      board: '/tmp/board.json',
      host: 'none',
      mqtt: {
        authorities: ['/tmp/ca.pem'],
        certificate: '/tmp/c',
        key: '/tmp/k',
        fleet: true,
        groups: ['hall'],
      },
      http: { host: '127.0.0.1', allowedHosts: ['a.lan'], allowedOrigins: ['http://a.lan'] },
    };
    const zip = zipFile([json('backup.json', manifest), json('settings.json', settings)]);
    const answer = await panel.restore(zip, undefined, false);
    assert.deepEqual([...answer.restored].sort(), ['kiosk.quietHour', 'mqtt.groups']);
    assert.equal(answer.skipped?.length, 18);
    const kept = JSON.parse((await panel.read('settings.json')) ?? '');
    assert.deepEqual(kept, { kiosk: { user: 'house', quietHour: 5 }, mqtt: { groups: ['hall'] } });
    assert.equal((await panel.restore(zip)).restored.length, 20);
  });

  test('security: should restore secrets for the owner alone, and with the right passphrase alone', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ passphrase: 'open sesame', projects: false });
    await panel.store.change({ kiosk: { quietHour: 5 } }, { isOwner: true });
    const before = await panel.state();
    await assert.rejects(panel.restore(zip, 'open sesame', false), { code: 'FORBIDDEN' });
    await assert.rejects(panel.restore(zip), { code: 'INVALID_REQUEST', field: 'passphrase' });
    await assert.rejects(panel.restore(zip, 'open sesam'), { code: 'INVALID_REQUEST', field: 'passphrase' });
    assert.deepEqual(await panel.state(), before);
  });

  test('security: should bring pins of certificates back for the owner alone, and tell others what was left', async () => {
    const zip = bare(
      { name: 'state/certificates.json', content: PINNED },
      { name: 'state/led.json', content: LED },
    );
    await using panel = await BackupPanel.make();
    assert.deepEqual(await panel.restore(zip, undefined, false, ['manage']), {
      restored: ['led'],
      restartNeeded: ['led'],
      skipped: ['certificates'],
    });
    await panel.restart();
    assert.equal(await panel.read('certificates.json'), undefined);
    assert.equal(await panel.read('led.json'), LED);
    assert.deepEqual((await panel.restore(zip)).restored, ['led', 'certificates']);
    await panel.restart();
    assert.equal(await panel.read('certificates.json'), PINNED);
    // What is there already is no change.
    assert.equal((await panel.restore(zip, undefined, false, ['manage'])).skipped, undefined);
  });

  test('security: should check sealed state files as well', async () => {
    await using panel = await fullPanel();
    const state = { pin: '{"version":1,"value":{"hash":5,"salt":"","wrong":0}}' };
    const sealed = await seal(JSON.stringify({ settings: {}, state }), 'open sesame');
    const zip = zipFile([
      json('backup.json', { ...manifest, secrets: true }),
      json('settings.json', {}),
      { name: 'secrets.bin', content: sealed },
    ]);
    await assert.rejects(panel.restore(zip, 'open sesame'), {
      code: 'INVALID_REQUEST',
      message: /^pin\.json of the backup is not what a panel writes/,
    });
  });

  test('should take state of an earlier version, and leave a damaged file out of a backup', async () => {
    await using panel = await BackupPanel.make();
    const early = '{"on":true,"red":1,"green":2,"blue":3}';
    assert.deepEqual((await panel.restore(bare({ name: 'state/led.json', content: early }))).restored, [
      'led',
    ]);
    await panel.write('led.json', '[1]');
    assert.ok(!(await names(await panel.backup())).includes('state/led.json'));
  });

  const projectsOf = (id: string, name: string) => ({
    active: null,
    projects: { [id]: { name, version: '0123456789ab', installedAt: '2026-01-01T00:00:00Z' } },
  });
  const withProjects = { ...manifest, projects: true };
  const refusals: Record<string, [Buffer, RegExp?]> = {
    'a foreign zip': [page('no backup'), /no backup of a panel/],
    'no zip': [Buffer.from('hello')],
    'a later format': [zipFile([json('backup.json', { ...manifest, format: 2 })]), /later version/],
    'a later version': [
      zipFile([json('backup.json', { ...manifest, version: '1.3.0' }), json('settings.json', {})]),
      /1\.3\.0.*1\.2\.0/,
    ],
    'a name that leaves the folder': [bare({ name: '../led.json', content: LED })],
    'the token': [bare({ name: 'token', content: 'x' }), /no backup has: token/],
    'a state file that is none': [bare({ name: 'state/token.json', content: '{}' }), /no backup has/],
    'a secret in the open': [
      zipFile([json('backup.json', manifest), json('settings.json', { sip: { password: 'x' } })]),
      /sip\.password: is a secret/,
    ],
    'the token among the settings': [
      zipFile([json('backup.json', manifest), json('settings.json', { token: 'x'.repeat(20) })]),
      /token: cannot be in a backup/,
    ],
    'a setting that does not fit': [
      zipFile([json('backup.json', manifest), json('settings.json', { kiosk: { quietHour: 99 } })]),
      /quietHour/,
    ],
    ...Object.fromEntries(
      [
        ['led', '[1]'],
        ['led', '{"version":1,"value":[1]}'],
        ['led', '{"version":1,"value":{"on":true,"red":256,"green":2,"blue":3}}'],
        ['led', '{"version":1,"latest":9,"value":{"on":"yes"}}'],
        ['rtc', '{"version":1,"value":{"enabled":true,"onTime":"99:00","offTime":"22:00","onDays":[]}}'],
        [
          'certificates',
          '{"version":1,"value":{"pinned":[{"host":"hub.lan","port":443,"fingerprint":"any"}]}}',
        ],
        ['certificates', PINNED.replace('"port":443', '"port":443,"and":"more"')],
      ].map(([name, content = '']): [string, [Buffer, RegExp]] => [
        `a state file that no panel writes: ${name} ${content.slice(0, 60)}`,
        [bare({ name: `state/${name}.json`, content }), new RegExp(`^${name}\\.json of the backup is not`)],
      ]),
    ),
    'state that is no JSON': [bare({ name: 'state/led.json', content: 'x' }), /led\.json.*JSON/],
    'a project under a foreign id': [
      zipFile([
        json('backup.json', withProjects),
        json('settings.json', {}),
        json('projects.json', projectsOf('settings', 'Settings')),
        { name: 'projects/settings/index.html' },
      ]),
      /cannot have the id settings/,
    ],
    'a project without a page': [
      zipFile([
        json('backup.json', withProjects),
        json('settings.json', {}),
        json('projects.json', projectsOf('a', 'A')),
      ]),
      /no index\.html/,
    ],
    'a file of no project': [
      zipFile([
        json('backup.json', withProjects),
        json('settings.json', {}),
        json('projects.json', { active: null, projects: {} }),
        { name: 'projects/b/index.html' },
      ]),
      /no project/,
    ],
    'a text of more than 8 MiB': [
      zipFile([
        json('backup.json', manifest),
        { name: 'settings.json', content: ' '.repeat(8 * 1024 ** 2 + 1) },
      ]),
      /more than 8 MiB/,
    ],
  };
  for (const [what, [zip, words = /./]] of Object.entries(refusals))
    test(`security: should refuse ${what} and change nothing`, async () => {
      await using panel = await fullPanel();
      const before = await panel.state();
      await assert.rejects(panel.restore(zip), { code: 'INVALID_REQUEST', message: words });
      assert.deepEqual(await panel.state(), before);
      assert.deepEqual(
        (await readdir(panel.dataDir)).filter((name) => name.startsWith('restore')),
        [],
      );
    });

  test('security: should refuse a project of more bytes than a project may have, and change nothing', async () => {
    const limits = { files: 10, bytes: 1024 ** 2 };
    await using small = await BackupPanel.make();
    await small.test.install('Big', page('x'.repeat(1024 ** 2 + 1)));
    const zip = await small.backup();
    await using bounded = await BackupPanel.make();
    Object.defineProperty(bounded.test.service, 'limits', { value: limits });
    await assert.rejects(bounded.restore(zip), { code: 'INVALID_REQUEST', message: /more than 1 MiB/ });
    assert.deepEqual(bounded.test.service.list().projects, []);
  });

  test('security: should refuse each truncated backup and change nothing', async () => {
    await using panel = await fullPanel();
    const zip = await panel.backup({ passphrase: 'open sesame' });
    const before = await panel.state();
    for (const part of [0.1, 0.5, 0.9, 0.999])
      await assert.rejects(panel.restore(zip.subarray(0, Math.floor(zip.length * part)), 'open sesame'), {
        code: 'INVALID_REQUEST',
      });
    assert.deepEqual(await panel.state(), before);
  });

  test('should do one thing at a time', async () => {
    await using panel = await fullPanel();
    const first = panel.backup();
    await assert.rejects(panel.backup(), { code: 'CONFLICT' });
    await first;
  });

  test('should remove at its start what a crash left', async () => {
    await using panel = await BackupPanel.make();
    await mkdir(join(panel.dataDir, 'backup.tmp'));
    await writeFile(join(panel.dataDir, 'backup.tmp/x.zip'), 'x');
    await panel.service.start();
    assert.ok(!(await readdir(panel.dataDir)).includes('backup.tmp'));
  });
});
