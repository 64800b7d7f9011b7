import assert from 'node:assert/strict';
import { hostname, type NetworkInterfaceInfo } from 'node:os';
import { type TestContext, test } from 'node:test';
import type { Service } from 'bonjour-service';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeUdpPort } from '../../testing/freePort.ts';
import { until } from '../../testing/waiting.ts';
import { silentLogger } from '../log.ts';
import {
  AGAIN_MS,
  type Announced,
  coveredInterfaces,
  LOOK_EVERY_MS,
  PanelAnnouncer,
  PROBE_MS,
} from './panelAnnouncer.ts';
import { otherDevice } from './testing/otherDevice.ts';

const LOOPBACK = '127.0.0.1';
const FACTS: Announced = {
  name: 'Küche 1.2',
  host: '0.0.0.0',
  interfaceName: 'lo',
  port: 8080,
  text: { version: '1.2.3', board: 'simulated', path: '/manage/', id: '00c0ffee0001' },
};
const entry = (address: string, internal = false) =>
  ({
    address,
    family: address.includes(':') ? 'IPv6' : 'IPv4',
    internal,
    netmask: '',
    mac: '',
    cidr: null,
  }) as NetworkInterfaceInfo;

/** Somebody who looks for panels on the loopback network of the test; `heard` lists what comes and goes. */
function look(t: TestContext, port: number) {
  const bonjour = otherDevice(port);
  t.after(() => new Promise((resolve) => bonjour.destroy(resolve)));
  const heard: string[] = [];
  const found: Service[] = [];
  bonjour
    .find({ type: 'faceplate' }, (service) => {
      heard.push(`+${service.name}`);
      found.push(service);
    })
    .on('down', (service: Service) => heard.push(`-${service.name}`));
  return { heard, found };
}

function announce(t: TestContext, port: number, facts = FACTS) {
  const clock = new FakeClock();
  const now = {
    facts: facts as Announced | undefined,
    interfaces: { lo: [entry(LOOPBACK, true)] } as Record<string, NetworkInterfaceInfo[]>,
  };
  const announcer = new PanelAnnouncer({
    announced: () => now.facts,
    interfaces: () => now.interfaces,
    clock,
    log: silentLogger(),
    port,
  });
  t.after(() => announcer.stop());
  return { announcer, clock, now };
}

test('should announce name, port, address and facts, and say goodbye', async (t) => {
  const port = await freeUdpPort();
  const { heard, found } = look(t, port);
  const { announcer, clock } = announce(t, port);
  await announcer.start();
  await clock.advance(PROBE_MS + AGAIN_MS);
  await until(() => heard.length > 0);
  assert.deepEqual(heard, ['+Küche 1-2']);
  assert.equal(found[0]!.port, 8080);
  assert.equal(found[0]!.host, `${hostname().split('.')[0]}.local`);
  assert.deepEqual(found[0]!.addresses, [LOOPBACK]);
  assert.deepEqual({ ...found[0]!.txt }, FACTS.text);
  await announcer.stop();
  await until(() => heard.length > 1);
  assert.deepEqual(heard.slice(1), ['-Küche 1-2']);
});

test('should answer who asks later', async (t) => {
  const port = await freeUdpPort();
  const { announcer, clock } = announce(t, port);
  await announcer.start();
  await clock.advance(PROBE_MS + AGAIN_MS);
  const { heard } = look(t, port);
  await until(() => heard.length > 0);
});

test('should announce anew under another name, port or fact, and only then', async (t) => {
  const port = await freeUdpPort();
  const { heard, found } = look(t, port);
  const { announcer, clock, now } = announce(t, port);
  await announcer.start();
  await clock.advance(PROBE_MS + AGAIN_MS);
  await until(() => heard.length === 1);
  announcer.refresh();
  await clock.advance(PROBE_MS + AGAIN_MS);
  assert.deepEqual(heard, ['+Küche 1-2']);
  now.facts = { ...FACTS, name: 'Bad', text: { ...FACTS.text, https: '8443' } };
  announcer.refresh();
  await until(() => heard.includes('-Küche 1-2'));
  await until(async () => {
    await clock.advance(PROBE_MS);
    return heard.includes('+Bad');
  });
  assert.equal((found.at(-1)!.txt as Record<string, string>).https, '8443');
});

test('should notice by itself that addresses came and went', async (t) => {
  const port = await freeUdpPort();
  const { heard } = look(t, port);
  const { announcer, clock, now } = announce(t, port);
  const { lo } = now.interfaces;
  now.interfaces = {};
  await announcer.start();
  await clock.advance(LOOK_EVERY_MS + PROBE_MS);
  assert.deepEqual(heard, []);
  now.interfaces = { lo: lo! };
  await clock.advance(LOOK_EVERY_MS + PROBE_MS);
  await until(() => heard.length === 1);
  now.interfaces = {};
  await clock.advance(LOOK_EVERY_MS);
  await until(() => heard.length === 2);
  assert.deepEqual(heard, ['+Küche 1-2', '-Küche 1-2']);
});

test('should add its id where another panel has its name, and never take it away', async (t) => {
  const port = await freeUdpPort();
  const { heard } = look(t, port);
  const first = announce(t, port);
  await first.announcer.start();
  await first.clock.advance(PROBE_MS + AGAIN_MS);
  await until(() => heard.length === 1);
  const text = { ...FACTS.text, id: '00c0ffee0002' };
  const second = announce(t, port, { ...FACTS, text });
  await second.announcer.start();
  await until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    await second.clock.advance(PROBE_MS / 5);
    return heard.length === 2;
  });
  assert.deepEqual(heard, ['+Küche 1-2', '+Küche 1-2 (00c0ffee0002)']);
});

test('should start where nothing can be announced, and stop before its start', async (t) => {
  const port = await freeUdpPort();
  const { heard } = look(t, port);
  const nothing = announce(t, port);
  nothing.now.facts = undefined;
  await nothing.announcer.start();
  await nothing.clock.advance(PROBE_MS + AGAIN_MS);
  assert.deepEqual(heard, []);
  // An address of no interface: multicast is impossible there.
  const nowhere = announce(t, port);
  nowhere.now.interfaces = { lo: [entry('192.0.2.1')] };
  await nowhere.announcer.start();
  await nowhere.clock.advance(PROBE_MS + AGAIN_MS);
  await nowhere.announcer.stop();
  const early = announce(t, port);
  await early.announcer.stop();
});

test('should cover the interfaces that the server listens on, and loopback only by its name', () => {
  const interfaces = {
    lo: [entry(LOOPBACK, true), entry('::1', true)],
    eth0: [entry('192.168.1.5'), entry('2001:db8::5'), entry('fe80::5')],
    eth1: [entry('10.0.0.5'), entry('10.0.0.6')],
    six: [entry('2001:db8::6')],
  };
  const covered = (host: string, only = '') =>
    coveredInterfaces(host, only, interfaces).map(
      ({ name, speaksFrom, addresses }) => `${name} ${speaksFrom}: ${addresses.join(' ')}`,
    );
  const eth0 = 'eth0 192.168.1.5: 192.168.1.5';
  const eth1 = 'eth1 10.0.0.5: 10.0.0.5 10.0.0.6';
  assert.deepEqual(covered('0.0.0.0'), [eth0, eth1]);
  assert.deepEqual(covered('::'), [`${eth0} 2001:db8::5`, eth1]);
  assert.deepEqual(covered('10.0.0.6'), ['eth1 10.0.0.5: 10.0.0.6']);
  assert.deepEqual(covered('2001:db8::5'), ['eth0 192.168.1.5: 2001:db8::5']);
  for (const host of ['127.0.0.1', 'localhost', '192.0.2.1']) assert.deepEqual(covered(host), []);
  assert.deepEqual(covered('127.0.0.1', 'lo'), ['lo 127.0.0.1: 127.0.0.1']);
  assert.deepEqual(covered('localhost', LOOPBACK), ['lo 127.0.0.1: 127.0.0.1']);
  assert.deepEqual(covered('0.0.0.0', 'lo'), ['lo 127.0.0.1: 127.0.0.1']);
  assert.deepEqual(covered('0.0.0.0', '10.0.0.6'), ['eth1 10.0.0.6: 10.0.0.5 10.0.0.6']);
  for (const only of ['eth0', 'eth9']) assert.deepEqual(covered('10.0.0.5', only), []);
});
