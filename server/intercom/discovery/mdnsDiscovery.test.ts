import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { otherDevice } from '../../platform/mdns/testing/otherDevice.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeUdpPort } from '../../testing/freePort.ts';
import { until } from '../../testing/waiting.ts';
import { MdnsDiscovery, ROUND_MS } from './mdnsDiscovery.ts';

const LOOPBACK = '127.0.0.1';

/** One panel on the loopback network of the test; `heard` lists its events, such as `+Kitchen`. */
async function startPanel(t: TestContext, mdnsPort: number, id: string, options: Partial<Panel> = {}) {
  const panel: Panel = { name: id, port: 5060, isOnLink: () => true, answers: true, ...options };
  const clock = new FakeClock();
  const heard: string[] = [];
  const pinged: string[] = [];
  const discovery = new MdnsDiscovery({
    interfaceAddress: LOOPBACK,
    port: mdnsPort,
    isOnLink: panel.isOnLink,
    ping: async (host, port) => {
      pinged.push(`${host}:${port}`);
      return panel.answers;
    },
    tlsPort: () => panel.tlsPort,
    callsOverTls: panel.callsOverTls ?? false,
    clock,
    log: silentLogger(),
  });
  discovery.onFound = ({ name, host, port }) => heard.push(`+${name} ${host}:${port}`);
  discovery.onLost = ({ name }) => heard.push(`-${name}`);
  t.after(() => discovery.stop());
  await discovery.start({ id, name: panel.name, port: panel.port });
  return { discovery, heard, pinged, clock, panel };
}
interface Panel {
  name: string;
  port: number;
  isOnLink: (address: string) => boolean;
  answers: boolean;
  tlsPort?: number;
  callsOverTls?: boolean;
}

test('should find each other, not themselves, and hear a goodbye', async (t) => {
  const port = await freeUdpPort();
  const first = await startPanel(t, port, 'panel-one', { name: 'Küche 1.2' });
  const second = await startPanel(t, port, 'panel-two', { port: 5070 });
  await until(() => first.heard.length > 0 && second.heard.length > 0);
  assert.deepEqual(first.heard, ['+panel-two 127.0.0.1:5070']);
  assert.deepEqual(second.heard, ['+Küche 1.2 127.0.0.1:5060']);
  await second.discovery.stop();
  await until(() => first.heard.length > 1);
  assert.deepEqual(first.heard.slice(1), ['-panel-two']);
});

test('should ping every 30 s and lose a panel after three misses, and find it again', async (t) => {
  const port = await freeUdpPort();
  const first = await startPanel(t, port, 'panel-one');
  await startPanel(t, port, 'panel-two');
  await until(() => first.heard.length > 0);
  await first.clock.advance(ROUND_MS - 1);
  assert.deepEqual(first.pinged, []);
  await first.clock.advance(1);
  assert.deepEqual(first.pinged, ['127.0.0.1:5060']);
  first.panel.answers = false;
  await first.clock.advance(2 * ROUND_MS);
  assert.deepEqual(first.heard, ['+panel-two 127.0.0.1:5060']);
  await first.clock.advance(ROUND_MS);
  assert.equal(first.heard[1], '-panel-two');
  first.panel.answers = true;
  // It still announces itself, so that the next query finds it.
  await until(() => first.heard.length > 2);
  assert.equal(first.heard[2], '+panel-two 127.0.0.1:5060');
});

test('should give the port of TLS to panels that call over TLS, and still ping over UDP', async (t) => {
  const port = await freeUdpPort();
  const secure = { tlsPort: 5061, callsOverTls: true };
  const first = await startPanel(t, port, 'panel-one', secure);
  const second = await startPanel(t, port, 'panel-two', { ...secure, port: 5070, tlsPort: 5071 });
  const plain = await startPanel(t, port, 'panel-end');
  await until(() => [first, second, plain].every(({ heard }) => heard.length === 2));
  assert.deepEqual(first.heard.toSorted(), ['+panel-end 127.0.0.1:5060', '+panel-two 127.0.0.1:5071']);
  assert.deepEqual(plain.heard.toSorted(), ['+panel-one 127.0.0.1:5060', '+panel-two 127.0.0.1:5070']);
  await first.clock.advance(ROUND_MS);
  assert.deepEqual(first.pinged.toSorted(), ['127.0.0.1:5060', '127.0.0.1:5070']);
});

test('should follow a panel that came back with TLS without a goodbye', async (t) => {
  const port = await freeUdpPort();
  const first = await startPanel(t, port, 'panel-one', { callsOverTls: true });
  const announcer = otherDevice(port);
  t.after(() => new Promise((resolve) => announcer.destroy(resolve)));
  const publish = (name: string, more: Record<string, string>) =>
    announcer.publish({
      name,
      type: 'faceplate-sip',
      protocol: 'udp',
      port: 5060,
      probe: false,
      txt: { id: 'panel-two', name: 'Two', ...more },
    });
  publish('before', { tls: '0' });
  await until(() => first.heard.length === 1);
  publish('after', { tls: '5061' });
  await until(() => first.heard.length === 2);
  assert.deepEqual(first.heard, ['+Two 127.0.0.1:5060', '+Two 127.0.0.1:5061']);
});

test('security: should accept no panel from an address that is not on-link', async (t) => {
  const port = await freeUdpPort();
  const first = await startPanel(t, port, 'panel-one', { isOnLink: () => false });
  const second = await startPanel(t, port, 'panel-two');
  await until(() => second.heard.length > 0);
  await first.clock.advance(ROUND_MS);
  assert.deepEqual([first.heard, first.pinged], [[], []]);
});

test('security: should not let another device take the place of a panel that still answers', async (t) => {
  const port = await freeUdpPort();
  const first = await startPanel(t, port, 'panel-one');
  await startPanel(t, port, 'panel-two');
  await until(() => first.heard.length > 0);
  const impostor = otherDevice(port);
  t.after(() => new Promise((resolve) => impostor.destroy(resolve)));
  const publish = (name: string, txt: Record<string, string>) =>
    impostor.publish({ name, type: 'faceplate-sip', protocol: 'udp', port: 6666, probe: false, txt });
  publish('impostor', { id: 'panel-two', name: 'Impostor' });
  publish('phone', { name: 'A phone without an id' });
  publish('last', { id: 'panel-end', name: 'End' });
  await until(() => first.heard.some((line) => line.startsWith('+End')));
  assert.deepEqual(first.heard, ['+panel-two 127.0.0.1:5060', '+End 127.0.0.1:6666']);
});

test('should stop before start and twice, and start again', async (t) => {
  const port = await freeUdpPort();
  const { discovery, clock } = await startPanel(t, port, 'panel-one');
  await discovery.stop();
  await discovery.stop();
  assert.equal(clock.pending, 0);
  const other = await startPanel(t, port, 'panel-two');
  await discovery.start({ id: 'panel-one', name: 'Again', port: 5060 });
  await until(() => other.heard.length > 0);
  assert.deepEqual(other.heard, ['+Again 127.0.0.1:5060']);
});
