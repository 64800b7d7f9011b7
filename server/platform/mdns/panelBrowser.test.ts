import assert from 'node:assert/strict';
import type { NetworkInterfaceInfo } from 'node:os';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { freeUdpPort } from '../../testing/freePort.ts';
import { timeToGoWrong, until } from '../../testing/waiting.ts';
import { silentLogger } from '../log.ts';
import { AGAIN_MS, type Announced, PanelAnnouncer, PROBE_MS } from './panelAnnouncer.ts';
import { ASK_EVERY_MS, MAX_NEIGHBOURS, PanelBrowser } from './panelBrowser.ts';
import { otherDevice } from './testing/otherDevice.ts';

const LOOPBACK = '127.0.0.1';
const ID = '00c0ffee0001';
const interfaces = () => ({
  lo: [
    {
      address: LOOPBACK,
      family: 'IPv4',
      internal: true,
      netmask: '',
      mac: '',
      cidr: null,
    } as NetworkInterfaceInfo,
  ],
});

async function browse(t: TestContext, port: number, { ownId = '00c0ffee0000', isOnLink = true } = {}) {
  const clock = new FakeClock();
  const browser = new PanelBrowser({
    where: () => ({ host: '0.0.0.0', interfaceName: 'lo' }),
    ownId,
    isOnLink: () => isOnLink,
    clock,
    log: silentLogger(),
    port,
    interfaces,
  });
  t.after(async () => {
    await browser.stop();
    assert.equal(clock.pending, 0);
  });
  await browser.start();
  return { browser, clock };
}

async function announce(t: TestContext, port: number, facts: Partial<Announced> = {}) {
  const clock = new FakeClock();
  const text = { version: '1.2.3', board: 'simulated', path: '/manage/', id: ID, https: '8443' };
  const announcer = new PanelAnnouncer({
    announced: () => ({ name: 'Küche', host: '0.0.0.0', interfaceName: 'lo', port: 8080, text, ...facts }),
    interfaces,
    clock,
    log: silentLogger(),
    port,
  });
  t.after(() => announcer.stop());
  await announcer.start();
  await clock.advance(PROBE_MS + AGAIN_MS);
  return announcer;
}

test('should find a panel that announces itself, and lose it with its goodbye', async (t) => {
  const port = await freeUdpPort();
  const { browser } = await browse(t, port);
  let changes = 0;
  const end = browser.onChange(() => changes++);
  const announcer = await announce(t, port);
  await until(() => browser.panels().length === 1);
  assert.deepEqual(browser.panels(), [
    { id: ID, name: 'Küche', version: '1.2.3', board: 'simulated', address: `${LOOPBACK}:8080`, https: 8443 },
  ]);
  await announcer.stop();
  await until(() => browser.panels().length === 0);
  assert.equal(changes, 2);
  end();
});

test('should find a panel that was there before, and not itself', async (t) => {
  const port = await freeUdpPort();
  await announce(t, port);
  const { browser } = await browse(t, port);
  await until(() => browser.panels().length === 1);
  const own = await browse(t, port, { ownId: ID });
  const stranger = await browse(t, port, { isOnLink: false });
  await timeToGoWrong(200);
  assert.deepEqual(own.browser.panels(), []);
  assert.deepEqual(stranger.browser.panels(), []);
});

test('should forget a panel that no longer answers, and begin and end again', async (t) => {
  const port = await freeUdpPort();
  const { browser, clock } = await browse(t, port);
  const device = otherDevice(port);
  device.publish({ name: 'Hall', type: 'faceplate', port: 80, txt: { id: ID }, probe: false });
  await until(() => browser.panels().length === 1);
  await new Promise<void>((resolve) => device.destroy(resolve));
  await clock.advance(6 * ASK_EVERY_MS);
  assert.deepEqual(browser.panels(), []);
  await browser.stop();
  await announce(t, port);
  await timeToGoWrong(100);
  assert.deepEqual(browser.panels(), []);
  await browser.start();
  await until(() => browser.panels().length === 1);
});

test('security: panels without end, and without a proper id, should not fill the memory', async (t) => {
  const port = await freeUdpPort();
  const { browser, clock } = await browse(t, port);
  const device = otherDevice(port);
  t.after(() => new Promise((resolve) => device.destroy(resolve)));
  const { mdns } = (device as unknown as { server: { mdns: { respond(answers: unknown[]): void } } }).server;
  const say = (id: string, label: string) => {
    const name = `${label}._faceplate._tcp.local`;
    mdns.respond([
      { name, type: 'SRV', ttl: 120, data: { port: 80, target: 'x.local' } },
      {
        name,
        type: 'TXT',
        ttl: 120,
        data: [Buffer.from(`id=${id}`), Buffer.from(`version=${'v'.repeat(200)}`)],
      },
    ]);
  };
  say('<script>', 'odd');
  say('', 'none');
  for (let at = 0; at < MAX_NEIGHBOURS + 100; at++) {
    say(at.toString(16).padStart(12, '0'), `panel-${at}`);
    if (at % 40 !== 0) continue;
    // The limits are by the second.
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await until(() => browser.panels().length >= MAX_NEIGHBOURS);
  await timeToGoWrong(200);
  const panels = browser.panels();
  assert.equal(panels.length, MAX_NEIGHBOURS);
  assert.ok(panels.every(({ id, version }) => /^[0-9a-f]{12}$/.test(id) && (version?.length ?? 0) <= 64));
});
