import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { MOCKED_BUS_MISSING, MockedBus } from '../testing/mockedBus.ts';
import { NetworkManager } from './networkManager.ts';

/** Set before anything else: nothing in this file may ever reach the machine's own NetworkManager. */
process.env.DBUS_SYSTEM_BUS_ADDRESS = 'unix:path=/nonexistent/faceplate-test-bus';
const NAME = 'org.freedesktop.NetworkManager';
const MANAGER = [NAME, '/org/freedesktop/NetworkManager', NAME] as const;
const MOCK = [NAME, '/org/freedesktop/NetworkManager', 'org.freedesktop.DBus.Mock'] as const;
const DEVICE = '/org/freedesktop/NetworkManager/Devices/wifi';

const mock = await MockedBus.start('networkmanager', NAME);
after(() => mock?.stop());

/** A clock on which each look takes a second, so that no test waits. */
function fastClock() {
  let now = 0;
  return {
    now: () => {
      now += 1_000;
      return now;
    },
    after: (_milliseconds: number, run: () => void) => {
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
}

describe('Wi-Fi of NetworkManager', { skip: mock ? false : MOCKED_BUS_MISSING }, () => {
  const bus = mock as MockedBus;
  let network: NetworkManager;
  let folder: string;
  let calls: () => Promise<string>;

  before(async () => {
    folder = temporaryFolder('wifi');
    await bus.call(MOCK, 'AddWiFiDevice', 'ssi', 'wifi', 'wlan0', '30');
    const points: [string, string, string, string][] = [
      ['weak', 'Lobby', '30', '256'],
      ['strong', 'Lobby', '80', '256'],
      ['open', '<b>Guests</b>', '50', '0'],
      ['office', 'Office', '40', '512'],
    ];
    for (const [id, ssid, strength, security] of points)
      await bus.call(
        MOCK,
        'AddAccessPoint',
        'ssssuuuyu',
        ...[DEVICE, id, ssid, '00:23:F8:7E:12:BB', '2', '2425', '5400', strength, security],
      );
    const noting = (answer: string) =>
      `open(${JSON.stringify(join(folder, 'calls'))}, "a").write(self.__class__.__name__ and "%s\\n" % (args,)); ret = ${answer}`;
    await bus.method(MANAGER, 'CheckpointCreate', ['aouu', 'o'], noting('dbus.ObjectPath("/checkpoint/1")'));
    const ending = (word: string) =>
      `open(${JSON.stringify(join(folder, 'calls'))}, "a").write("${word} %s\\n" % args[0])`;
    await bus.method(MANAGER, 'CheckpointDestroy', ['o', ''], ending('destroyed'));
    await bus.method(MANAGER, 'CheckpointRollback', ['o', ''], ending('rolled back'));
    calls = () => readFile(join(folder, 'calls'), 'utf8').catch(() => '');
  });

  beforeEach(async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = bus.address;
    await network?.stop();
    network = new NetworkManager({ clock: fastClock() });
    await rm(join(folder, 'calls'), { force: true });
  });
  after(() => network.stop());

  test('should say how far the network reaches, in the words of NetworkManager', async () => {
    const said: string[] = [];
    for (const number of ['0', '1', '2', '3', '4', '9']) {
      await bus.call(MOCK, 'SetConnectivity', 'u', number);
      said.push(await network.connectivity());
    }
    assert.deepEqual(said, ['unknown', 'none', 'portal', 'limited', 'full', 'unknown']);
  });

  test('should list each network once, the strongest first', async () => {
    assert.deepEqual(await network.networks(), [
      { ssid: 'Lobby', signal: 80, security: 'wpa2', active: false },
      { ssid: '<b>Guests</b>', signal: 50, security: 'none', active: false },
      { ssid: 'Office', signal: 40, security: 'enterprise', active: false },
    ]);
  });

  test('should refuse what cannot be joined before anything changes', async () => {
    await assert.rejects(network.join('Nowhere', 'a password'), { code: 'NOT_FOUND', field: 'ssid' });
    await assert.rejects(network.join('Lobby', undefined), { code: 'INVALID_REQUEST', field: 'password' });
    await assert.rejects(network.join('Office', 'a password'), { code: 'CONFLICT' });
    assert.equal(await calls(), '');
  });

  test('should join a network, and need no way back then', async () => {
    await network.join('Lobby', 'a password');
    assert.match(await calls(), /destroyed \/checkpoint\/1/);
    assert.doesNotMatch(await calls(), /rolled back/);
  });

  test('should keep a network that is not in reach, in place of what was kept of it, and forget it', async () => {
    const settings = [NAME, '/org/freedesktop/NetworkManager/Settings', `${NAME}.Settings`] as const;
    const kept = async (): Promise<string[]> => {
      const listed = await bus.call(settings, 'ListConnections');
      return [...listed.matchAll(/Settings\/\d+/g)].map(([path]) => path);
    };
    const before = await kept();
    await network.save('Far away', 'first password');
    const [first] = (await kept()).filter((path) => !before.includes(path));
    const forget = await network.save('Far away', 'second password');
    const after = (await kept()).filter((path) => !before.includes(path));
    assert.equal(after.length, 1);
    assert.notEqual(after[0], first);
    await forget();
    assert.deepEqual(await kept(), before);
    assert.equal(await calls(), '');
  });

  test('should go back where it was when it cannot join', async () => {
    const failing = 'raise dbus.exceptions.DBusException("no", name="org.freedesktop.NetworkManager.Failed")';
    await bus.method(MANAGER, 'AddAndActivateConnection', ['a{sa{sv}}oo', 'oo'], failing);
    await assert.rejects(network.join('Lobby', 'another password'), { code: 'HARDWARE_ERROR' });
    assert.match(await calls(), /rolled back \/checkpoint\/1/);
  });
});
