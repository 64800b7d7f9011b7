import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLogger, silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { SimulatedNetwork } from './driver.ts';
import { NetworkService } from './service.ts';

const log = silentLogger();
const manual = {
  interface: 'eth0',
  method: 'manual',
  address: '10.0.0.9',
  prefix: 24,
  gateway: '10.0.0.1',
} as const;

async function started() {
  const clock = new FakeClock();
  const network = new NetworkService({ driver: new SimulatedNetwork(clock), log, clock });
  await network.start();
  const wired = async () => (await network.state()).interfaces[0];
  return { clock, network, wired };
}

describe('network service', () => {
  test('should change an address, and keep it when it is confirmed', async () => {
    const { clock, network, wired } = await started();
    const { interfaces } = await network.change(manual);
    assert.deepEqual(interfaces[0]?.addresses, ['10.0.0.9/24']);
    assert.deepEqual(await network.confirm(), { status: 'confirmed' });
    await clock.advance(61_000);
    assert.deepEqual((await wired())?.addresses, ['10.0.0.9/24']);
    await assert.rejects(network.confirm(), { code: 'CONFLICT' });
  });

  test('should be as before after 60 s that nobody confirms', async () => {
    const { clock, network, wired } = await started();
    await network.change(manual);
    await clock.advance(59_000);
    assert.equal((await wired())?.method, 'manual');
    await clock.advance(1_000);
    assert.deepEqual((await wired())?.addresses, ['192.168.1.20/24']);
    await assert.rejects(network.confirm(), { code: 'CONFLICT' });
  });

  test('should refuse a second change, and joining, while one waits', async () => {
    const { clock, network } = await started();
    await network.change(manual);
    await assert.rejects(network.change({ interface: 'eth0', method: 'auto' }), { code: 'CONFLICT' });
    await assert.rejects(network.join({ ssid: 'Guests' }), { code: 'CONFLICT' });
    await clock.advance(60_000);
    await network.change({ interface: 'eth0', method: 'auto' });
  });

  test('should join a Wi-Fi network', async () => {
    const { network } = await started();
    const { networks } = await network.join({ ssid: 'Workshop', password: 'a password' });
    assert.deepEqual(
      networks.filter(({ active }) => active).map(({ ssid }) => ssid),
      ['Workshop'],
    );
    await assert.rejects(network.join({ ssid: 'Nowhere' }), { code: 'NOT_FOUND', field: 'ssid' });
    await assert.rejects(network.join({ ssid: 'Workshop' }), { code: 'INVALID_REQUEST', field: 'password' });
  });

  test('should know a network that wants a login first, and say so in the log once', async () => {
    const driver = new SimulatedNetwork();
    const lines: string[] = [];
    const noted = createLogger('info', { write: (line: string) => lines.push(line) } as never);
    const clock = new FakeClock();
    const network = new NetworkService({ driver, log: noted, clock });
    await network.start();
    assert.equal((await network.state()).connectivity, 'full');
    assert.equal(await network.isPortal(), false);
    driver.connectivity = async () => 'portal';
    for (let time = 0; time < 3; time++) assert.equal(await network.isPortal(), true);
    assert.equal((await network.state()).connectivity, 'portal');
    driver.connectivity = async () => 'full';
    assert.equal(await network.isPortal(), false);
    assert.deepEqual(
      lines.map((line) => /"msg":"(.*?)"/.exec(line)?.[1]),
      [
        'network: it wants a login in a browser before it lets the panel out',
        'network: it wants no login any more',
      ],
    );
    // One that does not answer holds up nothing.
    driver.connectivity = () => new Promise(() => {});
    const asked = network.isPortal();
    await clock.advance(1_000);
    assert.equal(await asked, false);
  });

  test('should answer NOT_FOUND for an unknown interface, UNSUPPORTED_HARDWARE without a driver', async () => {
    const { network } = await started();
    await assert.rejects(network.change({ interface: 'eth7', method: 'auto' }), { code: 'NOT_FOUND' });
    const none = new NetworkService({ driver: null, log });
    await none.start();
    await assert.rejects(none.state(), { code: 'UNSUPPORTED_HARDWARE' });
  });
});
