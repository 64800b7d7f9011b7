import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { WeriftPage } from './callMedia/testing/weriftPage.ts';
import { loadSettings } from './config/loadSettings.ts';
import type { SipEvent } from './contract/sip.ts';
import { createIntercom } from './intercom.ts';
import { EventBus } from './observe/eventBus.ts';
import { silentLogger } from './observe/log.ts';
import { until } from './testing/scriptedCamera.ts';

const LOOPBACK = '127.0.0.1';

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '0.0.0.0');
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  await once(socket, 'close');
  return port;
}

/** A panel's intercom as the settings make it: real signalling, media and discovery on loopback, a page without a browser. */
async function startPanel(
  t: TestContext,
  name: string,
  options: { mdnsPort?: number; env?: NodeJS.ProcessEnv } = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), 'faceplate-intercom-'));
  const environment = {
    FACEPLATE_SIP_ENABLED: 'true',
    FACEPLATE_SIP_PORT: '0',
    FACEPLATE_SIP_HOST: LOOPBACK,
    FACEPLATE_SIP_DEVICE_NAME: name,
    FACEPLATE_SIP_ALLOW: LOOPBACK,
    FACEPLATE_SIP_DISCOVERY: String(options.mdnsPort !== undefined),
    FACEPLATE_SIP_DISCOVERY_INTERFACE: LOOPBACK,
    ...options.env,
  };
  const { settings } = loadSettings(['--dataDir', dataDir], environment);
  const log = silentLogger();
  const bus = new EventBus(log);
  const told: SipEvent[] = [];
  bus.onAny((event, payload) => {
    if (event === 'sip') told.push(payload as SipEvent);
  });
  const page = new WeriftPage();
  const stream = {
    open: () => Promise.reject(new Error('no cameras here')),
    close: () => Promise.reject(new Error('no cameras here')),
  };
  const needs = { settings, version: '1.0.0', bus, log, stream, page };
  const { sip, port } = createIntercom({
    ...needs,
    ...(options.mdnsPort !== undefined && { mdnsPort: options.mdnsPort }),
  });
  t.after(async () => {
    await sip.stop();
    await page.crash();
    rmSync(dataDir, { recursive: true, force: true });
  });
  await sip.start();
  const status = async () => (await sip.getStatus()).callStatus;
  return {
    sip,
    page,
    told,
    status,
    address: () => `${LOOPBACK}:${port()}`,
    becomes: (words: string) => until(async () => (await status()) === words),
    heard: (event: SipEvent['event']) =>
      told.filter((one) => one.event === event).map(({ payload }) => payload),
  };
}

/** Speaks into the microphone of a page until another one hears it. */
async function speaks(from: WeriftPage, to: WeriftPage): Promise<void> {
  let timestamp = 0;
  await until(() => from.connections.size > 0 && to.connections.size > 0);
  const before = to.latest.received.audio.length;
  await until(async () => {
    timestamp += 160;
    from.latest.send('audio', timestamp, Buffer.alloc(160, 0x55));
    return to.latest.received.audio.length > before + 5;
  });
}

test('should ring, talk both ways and hang up between two panels', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic');
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await attic.becomes('incoming...');
  await hall.becomes('ringing');
  assert.equal((await attic.sip.getStatus()).incomingCallerName, 'Hall');
  assert.equal((await attic.sip.answer()).callStatus, 'connected (incoming)');
  await hall.becomes('connected (outgoing)');
  await speaks(hall.page, attic.page);
  await speaks(attic.page, hall.page);
  assert.equal((await hall.sip.hangup()).callStatus, 'idle');
  await attic.becomes('idle');
  assert.deepEqual(
    attic.told.map(({ event, payload }) => ('reason' in payload ? payload.reason : event)),
    ['incomingCall', 'callConnected', 'remote_bye'],
  );
  await until(() => hall.page.connections.size === 0 && attic.page.connections.size === 0);
});

test('should go on talking when the intercom page of one panel crashes and comes back', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic', { env: { FACEPLATE_SIP_AUTO_ANSWER: 'true' } });
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await hall.becomes('connected (outgoing)');
  await speaks(hall.page, attic.page);
  await attic.page.crash();
  attic.page.onReset();
  await speaks(hall.page, attic.page);
  assert.equal(await hall.status(), 'connected (outgoing)');
});

test('should tell a caller that it is busy, and the callee that it gave up', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic');
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await attic.becomes('incoming...');
  await attic.sip.reject();
  await hall.becomes('failed');
  assert.deepEqual(hall.heard('callFailed'), [{ reason: 'busy', busy: true }]);
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await attic.becomes('incoming...');
  await hall.sip.hangup();
  await attic.becomes('idle');
  assert.deepEqual(
    attic.heard('callEnded').map((payload) => 'reason' in payload && payload.reason),
    ['rejected', 'remote'],
  );
});

test('should find the other panels, and speak to all of them at once', async (t) => {
  const mdnsPort = await freeUdpPort();
  const hall = await startPanel(t, 'Hall', { mdnsPort });
  const others = [await startPanel(t, 'Attic', { mdnsPort }), await startPanel(t, 'Bath', { mdnsPort })];
  await until(async () => (await hall.sip.listPanels()).length === 2);
  assert.deepEqual(
    (await hall.sip.listPanels()).map(({ name }) => name),
    ['Attic', 'Bath'],
  );
  await hall.sip.pageAll();
  await hall.becomes('paging (2 active)');
  for (const other of others) {
    // As soon as our ACK has come.
    await other.becomes('connected (incoming)');
    assert.equal((await other.sip.getStatus()).incomingIsBroadcast, true);
    await speaks(hall.page, other.page);
    assert.ok(other.page.asked.every(({ microphone, camera }) => !microphone && !camera));
  }
  await hall.sip.hangupPageAll();
  for (const other of others) await other.becomes('idle');
  assert.deepEqual(
    hall.heard('pagingStatusChanged').map((payload) => 'activeCount' in payload && payload.activeCount),
    [1, 2, 1, 0],
  );
  await others[0]!.sip.stop();
  await until(() => hall.heard('panelLost').length === 1);
});

test('security: should not ring for an address that is not known', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic', { env: { FACEPLATE_SIP_ALLOW: '192.0.2.1' } });
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await hall.becomes('failed');
  assert.deepEqual(hall.heard('callFailed'), [{ reason: 'unreachable', busy: false }]);
  assert.deepEqual([attic.told, await attic.sip.history()], [[], []]);
});
