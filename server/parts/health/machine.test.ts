import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { Machine, wifiOf } from './machine.ts';

const root = temporaryFolder('machine');
let folders = 0;

/** A folder with these files below it. */
function tree(files: Readonly<Record<string, string>>): string {
  const folder = join(root, String(++folders));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

test('should report this machine', async () => {
  const facts = await new Machine({ dataDir: root }).read();
  assert.ok(facts.uptime > 0);
  assert.equal(facts.load.length, 3);
  assert.ok(facts.memory.total > facts.memory.free && facts.memory.free > 0);
  assert.ok(facts.disk.total > facts.disk.free && facts.disk.free > 0);
  assert.equal(facts.disk.problem, null);
  assert.ok(!facts.network.some(({ name }) => name === 'lo'));
  for (const [name, entries = []] of Object.entries(networkInterfaces())) {
    if (entries.some(({ internal }) => internal)) continue;
    const found = facts.network.find((entry) => entry.name === name);
    assert.deepEqual(
      found?.addresses,
      entries.map(({ address }) => address),
    );
  }
});

test('should give the temperature of the hottest sensor that makes sense, else null', async () => {
  const temperature = async (zones: Record<string, string>) => {
    const files = Object.entries(zones).map(([zone, text]) => [`class/thermal/${zone}/temp`, text]);
    return (await new Machine({ dataDir: root, sys: tree(Object.fromEntries(files)) }).read()).temperature;
  };
  assert.equal(await temperature({ thermal_zone0: '48123\n', thermal_zone1: '51850\n' }), 51.9);
  assert.equal(await temperature({ thermal_zone0: '-5000\n', thermal_zone1: '-274000\n' }), -5);
  assert.equal(await temperature({ thermal_zone0: '2000000\n', cooling_device0: '20000\n' }), null);
  assert.equal(await temperature({ thermal_zone0: '' }), null);
  assert.equal(await temperature({}), null);
});

test('should list interfaces that are down, and no loopback', async () => {
  const sys = tree({
    'class/net/dead0/type': '1\n',
    'class/net/dead0/address': '02:00:00:00:00:01\n',
    'class/net/dead0/operstate': 'down\n',
    'class/net/tun9/type': '65534\n',
    'class/net/tun9/address': '\n',
    'class/net/tun9/operstate': 'unknown\n',
    'class/net/loop/type': '772\n',
  });
  const { network } = await new Machine({ dataDir: root, sys }).read();
  assert.deepEqual(network, [
    { name: 'dead0', addresses: [], mac: '02:00:00:00:00:01', up: false, wifi: null },
    { name: 'tun9', addresses: [], mac: null, up: false, wifi: null },
  ]);
});

test('should report the signal of Wi-Fi where `iw` is missing, and no disk where there is none', async () => {
  const sys = tree({
    'class/net/wlan9/type': '1\n',
    'class/net/wlan9/operstate': 'up\n',
    'class/net/wlan9/phy80211/name': 'phy0\n',
  });
  const proc = tree({
    'net/wireless':
      'Inter-| sta-|   Quality        |\n face | tus | link level noise |\n wlan9: 0000   54.  -60.  -256        0      0\n',
  });
  const facts = await new Machine({ dataDir: join(root, 'missing'), sys, proc }).read();
  const problem = 'The data folder cannot be written: ENOENT (no such file or directory).';
  assert.deepEqual(facts.disk, { total: 0, free: 0, problem });
  assert.deepEqual(facts.network[0]?.wifi, { ssid: null, signal: 80 });
});

test('should read what `iw` prints', () => {
  const connected = `Connected to 02:00:00:00:01:00 (on wlan0)
	SSID: Haus: <b>oben</b>
	freq: 5180
	signal: -47 dBm
	tx bitrate: 144.4 MBit/s`;
  assert.deepEqual(wifiOf('wlan0', connected, ''), { ssid: 'Haus: <b>oben</b>', signal: 100 });
  assert.deepEqual(wifiOf('wlan0', connected.replace('-47', '-71'), ''), {
    ssid: 'Haus: <b>oben</b>',
    signal: 58,
  });
  assert.equal(wifiOf('wlan0', 'Not connected.\n', 'wlan0: 0000 54. -60. -256'), null);
  assert.deepEqual(wifiOf('wlan0', undefined, ''), { ssid: null, signal: null });
});
