import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { silentLogger } from '../platform/log.ts';
import { temporaryFolder } from '../testing/temporaryFolder.ts';
import { loadSettings } from './loadSettings.ts';
import { OUTSIDE_ONLY, type SettingKey, settingDeclarations } from './settings.ts';
import { SettingsStore } from './settingsStore.ts';

const OWNER = { isOwner: true };
const PHONE = { isOwner: false, scopes: ['view', 'control', 'manage'] as const };

/** Why each other secret is sent nowhere by a setting that somebody else could change. A new one needs its reason here. */
const REASONS: Readonly<Record<string, readonly SettingKey[]>> = {
  'never sent: callers send theirs, and the panel compares': ['token', 'kiosk.pin', 'sip.registrarAccounts'],
  'each entry names its server, and the list is sent as a whole': [
    'kiosk.logins',
    'streams.logins',
    'sip.doors',
  ],
  'proves itself without being sent, and is the owner’s alone to change': ['sip.panelSecret'],
};

test('security: each secret is bound to its place, or has a reason why it has none', () => {
  const reasoned = Object.values(REASONS).flat();
  const found: string[] = [];
  const bound: Record<string, readonly string[]> = {};
  for (const [key, declaration] of Object.entries(settingDeclarations)) {
    if (!('secret' in declaration)) assert.ok(!('place' in declaration), key);
    else if (!('place' in declaration)) found.push(key);
    else {
      const { settings } = declaration.place;
      bound[key] = settings;
      for (const name of settings)
        assert.ok(name in settingDeclarations && !OUTSIDE_ONLY.includes(name as SettingKey), name);
    }
  }
  assert.deepEqual(reasoned.toSorted(), found.toSorted());
  assert.deepEqual(bound, {
    'mqtt.password': ['mqtt.url'],
    'sip.password': ['sip.registrar', 'sip.transport'],
    'update.login': ['update.channel'],
  });
});

describe('a secret and its place', () => {
  let dataDir: string;
  before(() => {
    dataDir = temporaryFolder('places');
  });

  const make = (file: object, environment = {}) => {
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify(file));
    return new SettingsStore(loadSettings(['--dataDir', dataDir], environment, '0.1.0'), silentLogger());
  };
  const isSet = (store: SettingsStore, key: string) => {
    const entry = store.read().settings[key]!;
    return 'set' in entry && entry.set;
  };

  /** For each secret: how the panel is set up, the same server by other words, another server, and the same without TLS. */
  const cases = [
    {
      secret: 'mqtt.password',
      value: 'pw',
      field: 'mqtt.url',
      set: { mqtt: { url: 'mqtts://broker.lan', password: 'pw' } },
      same: [{ 'mqtt.url': 'mqtts://BROKER.lan:8883' }, { 'mqtt.url': 'wss://broker.lan:8883/mqtt' }],
      other: [
        { 'mqtt.url': 'mqtts://evil.lan' },
        { 'mqtt.url': 'mqtts://broker.lan:1' },
        { 'mqtt.url': 'wss://broker.lan/' },
        { 'mqtt.url': '' },
        { 'mqtt.url': null },
      ],
      plain: [{ 'mqtt.url': 'mqtt://broker.lan:8883' }, { 'mqtt.url': 'ws://evil.lan' }],
    },
    {
      secret: 'sip.password',
      value: 'pw',
      field: 'sip.registrar',
      set: { sip: { registrar: 'pbx.lan', transport: 'tls', password: 'pw' } },
      same: [{ 'sip.registrar': 'PBX.lan:5061' }, { 'sip.transport': 'tls' }],
      other: [
        { 'sip.registrar': 'evil.lan' },
        { 'sip.registrar': 'pbx.lan:5062' },
        { 'sip.registrar': null },
      ],
      plain: [
        { 'sip.transport': 'udp' },
        { 'sip.transport': null },
        { 'sip.registrar': 'evil.lan', 'sip.transport': 'tcp' },
      ],
    },
    {
      secret: 'update.login',
      value: { username: 'u', password: 'p' },
      field: 'update.channel',
      set: { update: { channel: 'https://files.lan/a.json', login: { username: 'u', password: 'p' } } },
      same: [{ 'update.channel': 'https://files.lan:443/other/b.json?x=1' }],
      other: [
        { 'update.channel': 'https://evil.lan/a.json' },
        { 'update.channel': 'https://files.lan:8443/a.json' },
      ],
      plain: [{ 'update.channel': 'http://files.lan:443/a.json' }],
    },
  ] as const;

  for (const { secret, value, field, set, same, other, plain } of cases) {
    test(`security: ${secret} goes to no other server without the owner, or whoever sends it along`, async () => {
      for (const change of same) {
        const store = make(set);
        assert.equal((await store.change(change, PHONE)).cleared, undefined, JSON.stringify(change));
        assert.ok(isSet(store, secret), JSON.stringify(change));
      }
      for (const change of other) {
        const store = make(set);
        const answer = await store.change(change, PHONE);
        assert.deepEqual(answer.cleared, [secret], JSON.stringify(change));
        assert.deepEqual((answer.settings[secret] as { set: boolean }).set, false);
        assert.ok(!isSet(store, secret));
        const along = make(set);
        assert.equal((await along.change({ ...change, [secret]: value }, PHONE)).cleared, undefined);
        assert.ok(isSet(along, secret));
        const owners = make(set);
        assert.equal((await owners.change(change, OWNER)).cleared, undefined);
        assert.ok(isSet(owners, secret));
      }
    });

    test(`security: ${secret} leaves TLS for nobody, until it is cleared`, async () => {
      for (const change of plain)
        for (const who of [PHONE, OWNER]) {
          const store = make(set);
          const refusal = { code: 'CONFLICT', field: Object.keys(change)[0] ?? field };
          await assert.rejects(store.change(change, who), refusal);
          await assert.rejects(store.change({ ...change, [secret]: value }, who), refusal);
          await store.change({ [secret]: null }, who);
          await store.change(change, who);
          await store.change({ [secret]: value }, who);
          assert.ok(isSet(store, secret));
        }
      // For provisioning, which judges the whole file first.
      assert.match(make(set).mistakesOf(plain[0]).join(), /would be sent without TLS/);
      assert.deepEqual(make(set).mistakesOf({ ...plain[0], [secret]: null }), []);
    });
  }

  test('security: a secret that was set without a place is for the first one that comes with it', async () => {
    const store = make({ mqtt: { password: 'pw' } });
    assert.deepEqual((await store.change({ 'mqtt.url': 'mqtts://evil.lan' }, PHONE)).cleared, [
      'mqtt.password',
    ]);
  });

  test('security: a secret that the environment holds stays with its server', async () => {
    const store = make({ mqtt: { url: 'mqtts://broker.lan' } }, { FACEPLATE_MQTT_PASSWORD: 'pw' });
    await assert.rejects(store.change({ 'mqtt.url': 'mqtts://evil.lan' }, PHONE), {
      code: 'CONFLICT',
      field: 'mqtt.url',
    });
    await store.change({ 'mqtt.url': 'mqtts://new.lan' }, OWNER);
    assert.equal(store.now()['mqtt.url'], 'mqtts://new.lan');
  });
});
