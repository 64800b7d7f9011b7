import assert from 'node:assert/strict';
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { freeSipPort } from '../testing/sip/ports.ts';
import { until } from '../testing/waiting.ts';
import { speaks, startPanel, type TestPanel, type TestPanelOptions } from './testing/panel.ts';

/** Panels set to TLS, on loopback. */

const LOOPBACK = '127.0.0.1';

function startTls(t: TestContext, name: string, options: TestPanelOptions = {}): Promise<TestPanel> {
  return startPanel(t, name, { ...options, env: { FACEPLATE_SIP_TRANSPORT: 'tls', ...options.env } });
}

async function udpSocket(address: string): Promise<{ socket: Socket; port: number }> {
  const socket = createSocket('udp4').bind(0, address);
  await once(socket, 'listening');
  return { socket, port: socket.address().port };
}

/** Where a panel accepts TLS: the port after the UDP port. */
const tlsPlace = (panel: TestPanel) => ({ host: LOOPBACK, port: panel.port + 1 });
const tlsAddress = (panel: TestPanel): string => `${LOOPBACK}:${panel.port + 1}`;

/** What the settings page does when a person trusts the refused certificate. */
async function trust(caller: TestPanel, called: TestPanel): Promise<void> {
  const place = tlsPlace(called);
  const entry = caller.certificates.list().certificates.find(({ port }) => port === place.port);
  await caller.certificates.trust({ ...place, fingerprint: entry?.refused?.fingerprint ?? 'none refused' });
}

async function lastError(panel: TestPanel): Promise<string> {
  return (await panel.sip.getStatus()).lastError ?? '';
}

test('security: should call another panel over TLS only after its certificate was trusted', async (t) => {
  const hall = await startTls(t, 'Hall');
  const attic = await startTls(t, 'Attic');
  await hall.sip.placeCallToIp({ ip: tlsAddress(attic) });
  await hall.becomes('failed');
  assert.match(await lastError(hall), /certificate is not trusted/);
  assert.deepEqual([attic.told, await attic.sip.history()], [[], []]);
  const [refused] = hall.certificates.list().certificates;
  assert.deepEqual(
    [refused?.host, refused?.port, refused?.state, refused?.refused?.subject],
    [LOOPBACK, attic.port + 1, 'refused', 'CN=Attic'],
  );

  await trust(hall, attic);
  await hall.sip.placeCallToIp({ ip: tlsAddress(attic) });
  await attic.becomes('incoming...');
  assert.equal((await attic.sip.getStatus()).incomingCallerName, 'Hall');
  await attic.sip.answer();
  await hall.becomes('connected (outgoing)');
  await speaks(hall.page, attic.page);
  await speaks(attic.page, hall.page);
  // The called panel trusts no certificate; it sends BYE on the connection of the call.
  await attic.sip.hangup();
  await hall.becomes('idle');

  await attic.sip.placeCallToIp({ ip: tlsAddress(hall) });
  await attic.becomes('failed');
  assert.match(await lastError(attic), /certificate is not trusted/);
});

test('should also be called over UDP while it accepts TLS', async (t) => {
  const attic = await startTls(t, 'Attic');
  const bath = await startPanel(t, 'Bath');
  await bath.sip.placeCallToIp({ ip: attic.address() });
  await attic.becomes('incoming...');
  await bath.sip.hangup();
  await attic.becomes('idle');
});

test('security: should not call unencrypted when the remote party accepts no TLS', async (t) => {
  const hall = await startTls(t, 'Hall');
  const { socket, port } = await udpSocket(LOOPBACK);
  t.after(() => socket.close());
  let datagrams = 0;
  socket.on('message', () => datagrams++);
  await hall.sip.placeCallToIp({ ip: `${LOOPBACK}:${port}` });
  await hall.becomes('failed');
  assert.equal(datagrams, 0);
});

test('security: should recognise a panel after a restart, and refuse another one in its place', async (t) => {
  const env = { FACEPLATE_SIP_PORT: String(await freeSipPort()) };
  const hall = await startTls(t, 'Hall');
  const attic = await startTls(t, 'Attic', { env });
  const ip = tlsAddress(attic);
  await hall.sip.placeCallToIp({ ip });
  await hall.becomes('failed');
  await trust(hall, attic);
  await attic.sip.stop();
  await attic.sip.start();
  await hall.sip.placeCallToIp({ ip });
  await attic.becomes('incoming...');
  await hall.sip.hangup();
  await attic.becomes('idle');
  await attic.sip.stop();
  const other = await startTls(t, 'Somebody', { env });
  await hall.sip.placeCallToIp({ ip });
  await until(async () => /not the one that was trusted before/.test(await lastError(hall)), 'the refusal');
  assert.deepEqual(other.told, []);
  assert.equal(hall.certificates.list().certificates[0]?.state, 'changed');
});

test('should find panels at their TLS port, and speak to all of them at once', async (t) => {
  const { socket, port: mdnsPort } = await udpSocket('0.0.0.0');
  await new Promise<void>((resolve) => socket.close(resolve));
  const file = { 'sip.panelSecret': 'one secret of this house' };
  const hall = await startTls(t, 'Hall', { mdnsPort, file });
  const attic = await startTls(t, 'Attic', { mdnsPort, file });
  await until(async () => (await hall.sip.listPanels()).length === 1, 'the other panel');
  assert.deepEqual(await hall.sip.listPanels(), [{ name: 'Attic', ...tlsPlace(attic) }]);
  await hall.sip.pageAll();
  await hall.becomes('idle');
  await trust(hall, attic);
  await hall.sip.pageAll();
  await hall.becomes('paging (1 active)');
  await attic.becomes('connected (incoming)');
  assert.equal((await attic.sip.getStatus()).incomingIsBroadcast, true);
  await speaks(hall.page, attic.page);
  await hall.sip.hangupPageAll();
  await attic.becomes('idle');
});
