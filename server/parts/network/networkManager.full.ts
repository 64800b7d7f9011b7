import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, describe, test } from 'node:test';
import { SystemBus } from '../../platform/dbus/systemBus.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import type { NetworkChange } from './contract.ts';
import { NetworkManager } from './networkManager.ts';
import { NETWORK_MANAGER_MISSING, NetworkManagerHouse } from './testing/networkManagerHouse.ts';

/** Set before anything else: nothing in this file may ever reach the machine's own NetworkManager. */
const NOWHERE = 'unix:path=/nonexistent/faceplate-test-bus';
process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;

const house = await NetworkManagerHouse.start();
after(() => house?.stop());

const manual: NetworkChange = {
  interface: 'wire0',
  method: 'manual',
  address: '10.9.0.77',
  prefix: 25,
  gateway: '10.9.0.126',
  dns: ['9.9.9.9', '2620:fe::fe'],
};

describe('NetworkManager', { skip: house ? false : NETWORK_MANAGER_MISSING }, () => {
  const real = house as NetworkManagerHouse;
  let network: NetworkManager;
  beforeEach(async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = real.address;
    network = new NetworkManager();
    await network.start();
  });
  afterEach(async () => {
    await network.stop();
    await network.stop();
  });

  const wire = async () => (await network.interfaces()).find(({ name }) => name === 'wire0');

  test('should tell what an interface has, and leave loopback out', async () => {
    const { mac, ...rest } = (await wire()) ?? assert.fail('no wire0');
    const { addresses } = rest;
    assert.match(String(mac), /^[0-9A-F]{2}(:[0-9A-F]{2}){5}$/);
    assert.deepEqual(rest, {
      name: 'wire0',
      type: 'ethernet',
      state: 'connected',
      method: 'manual',
      addresses: ['10.9.0.2/24', addresses[1]],
      gateway: '10.9.0.1',
      dns: ['10.9.0.1'],
      wifi: null,
    });
    assert.ok(!(await network.interfaces()).some(({ name }) => name === 'lo'));
  });

  test('should change an address, which NetworkManager itself takes back', async () => {
    const pending = await network.change(manual, 2);
    const changed = await wire();
    assert.equal(changed?.addresses[0], '10.9.0.77/25');
    assert.deepEqual([changed?.gateway, changed?.dns], ['10.9.0.126', ['9.9.9.9']]);
    // Also when we are gone.
    await network.stop();
    await until(async () => (await real.addresses()) === '10.9.0.2/24', 'the way back', { everyMs: 200 });
    assert.equal(await pending.keep(), false);
  });

  test('should keep a change that is confirmed', async () => {
    const pending = await network.change({ ...manual, address: '10.9.0.78' }, 2);
    assert.equal(await pending.keep(), true);
    await timeToGoWrong(3_000);
    assert.equal(await real.addresses(), '10.9.0.78/25');
    assert.equal(await pending.keep(), false);
    const back = await network.change({ ...manual, address: '10.9.0.2', prefix: 24 }, 20);
    assert.equal(await back.keep(), true);
  });

  test('should refuse an interface that is not there, or not managed', async () => {
    await assert.rejects(network.change({ ...manual, interface: 'eth9' }, 5), { code: 'NOT_FOUND' });
    await assert.rejects(network.change({ ...manual, interface: 'far0' }, 5), { code: 'CONFLICT' });
  });

  test('should answer UNSUPPORTED_HARDWARE to Wi-Fi where there is none', async () => {
    await assert.rejects(network.networks(), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(network.join('x', undefined), { code: 'UNSUPPORTED_HARDWARE' });
  });
});

describe('NetworkManager that is not there', () => {
  test('should be missing with ENOENT when there is no system bus', async () => {
    process.env.DBUS_SYSTEM_BUS_ADDRESS = NOWHERE;
    const network = new NetworkManager({ bus: new SystemBus(2_000) });
    await assert.rejects(network.start(), { code: 'ENOENT' });
    await network.stop();
  });
});
