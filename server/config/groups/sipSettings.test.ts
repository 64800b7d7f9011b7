import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { loadSettings, SettingsError } from '../loadSettings.ts';
import { SettingsStore } from '../settingsStore.ts';

const OWNER = { isOwner: true };

let dataDir = '';
beforeEach(() => {
  dataDir = temporaryFolder('settings');
});

const load = (environment: NodeJS.ProcessEnv = {}, args: string[] = []) =>
  loadSettings(['--dataDir', dataDir, ...args], environment, '0.0.0');
const mistakes = (environment: NodeJS.ProcessEnv, args: string[] = []): readonly string[] => {
  try {
    load(environment, args);
  } catch (error) {
    if (error instanceof SettingsError) return error.mistakes;
    throw error;
  }
  return [];
};

describe('settings of the intercom', () => {
  it('should by default be off, on port 5060, open to nobody, and looking for panels', () => {
    const { settings } = load();
    const chosen = [
      'enabled',
      'port',
      'transport',
      'allow',
      'allowLan',
      'autoAnswer',
      'discovery',
      'doors',
    ] as const;
    assert.deepEqual(
      chosen.map((key) => settings[`sip.${key}`]),
      [false, 5060, 'udp', [], false, false, true, []],
    );
  });

  it('should read lists and doors from the environment', () => {
    const { settings } = load({
      FACEPLATE_SIP_DEVICE_NAME: 'Küche',
      FACEPLATE_SIP_ALLOW: '10.0.0.1, 10.0.1.0/24',
      FACEPLATE_SIP_DOORS: '[{"name":"Front","peer":"10.0.0.9","dtmf":"1"}]',
      FACEPLATE_SIP_REGISTRAR: '[fd00::1]:5061',
    });
    assert.equal(settings['sip.deviceName'], 'Küche');
    assert.deepEqual(settings['sip.allow'], ['10.0.0.1', '10.0.1.0/24']);
    assert.deepEqual(settings['sip.doors'], [{ name: 'Front', peer: '10.0.0.9', dtmf: '1', gapMs: 500 }]);
    assert.equal(settings['sip.registrar'], '[fd00::1]:5061');
  });

  it('should say what is wrong, and where in a list of doors', () => {
    for (const [environment, words] of [
      [
        { FACEPLATE_SIP_DOORS: '[{"name":"a","peer":"b c","dtmf":"1"}]' },
        /FACEPLATE_SIP_DOORS: 0\.peer: must be/,
      ],
      [{ FACEPLATE_SIP_DOORS: '[{' }, /FACEPLATE_SIP_DOORS: /],
      [{ FACEPLATE_SIP_DOORS: '{"name":"a"}' }, /FACEPLATE_SIP_DOORS: /],
      [{ FACEPLATE_SIP_REGISTRAR: 'sip:pbx' }, /host or an address/],
      [{ FACEPLATE_SIP_REGISTRAR: 'pbx\nx' }, /host or an address/],
      [{ FACEPLATE_SIP_DEVICE_NAME: 'a"b' }, /without "/],
      [{ FACEPLATE_SIP_ALLOW: 'pbx.local' }, /./],
      [{ FACEPLATE_SIP_HOST: 'eth0' }, /IP address/],
    ] as const) {
      assert.match(mistakes(environment)[0] ?? '', words, JSON.stringify(environment));
    }
  });

  it('security: should never show doors, accounts and the password, and take none of them as flags', async () => {
    const file = {
      password: 'hidden-1',
      registrarAccounts: [{ username: 'door', password: 'hidden-2' }],
      doors: [{ name: 'Front', peer: '10.0.0.9', preview: 'rtsp://u:hidden-3@10.0.0.9/' }],
    };
    writeFileSync(join(dataDir, 'settings.json'), JSON.stringify({ sip: file }));
    const store = new SettingsStore(load(), silentLogger());
    const { settings } = store.read();
    for (const key of ['password', 'registrarAccounts', 'doors']) {
      const told = settings[`sip.${key}`];
      assert.ok(told !== undefined && 'set' in told && told.set && !('value' in told), key);
      assert.match(mistakes({}, [`--sip.${key}`, 'x'])[0] ?? '', /not taken as flags/);
    }
    assert.ok(!JSON.stringify(store.read()).includes('hidden'));
    await assert.rejects(
      store.change({ sip: { doors: [{ name: 'x', peer: 'hidden 4' }] } }, OWNER),
      (error: Error) => {
        assert.match(error.message, /sip\.doors: 0\.peer/);
        assert.doesNotMatch(error.message, /hidden/);
        return true;
      },
    );
    const changed = await store.change({ sip: { doors: null } }, OWNER);
    assert.ok('set' in changed.settings['sip.doors']! && !changed.settings['sip.doors'].set);
  });
});
