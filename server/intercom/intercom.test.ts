import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { test } from 'node:test';
import { freeUdpPort } from '../testing/freePort.ts';
import { until } from '../testing/waiting.ts';
import { speaks, startPanel, type TestPanel } from './testing/panel.ts';

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

test('should keep the call when the intercom page of one panel crashes and comes back', async (t) => {
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

test('should keep the call when the intercom page crashes while it answers', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic', { env: { FACEPLATE_SIP_AUTO_ANSWER: 'true' } });
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await until(() => attic.page.asked.length > 0, 'the offer');
  await attic.page.crash();
  attic.page.onReset();
  await hall.becomes('connected (outgoing)');
  await speaks(hall.page, attic.page);
});

test('should tell the caller that the callee is busy, and the callee that the caller gave up', async (t) => {
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
  const file = { 'sip.panelSecret': 'one secret of this house' };
  const hall = await startPanel(t, 'Hall', { mdnsPort, file });
  const others = [
    await startPanel(t, 'Attic', { mdnsPort, file }),
    await startPanel(t, 'Bath', { mdnsPort, file }),
  ];
  await until(async () => (await hall.sip.listPanels()).length === 2);
  assert.deepEqual(
    (await hall.sip.listPanels()).map(({ name }) => name),
    ['Attic', 'Bath'],
  );
  await hall.sip.pageAll();
  await hall.becomes('paging (2 active)');
  for (const other of others) {
    // As soon as our ACK has arrived.
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

test('security: should not ring for an unknown address', async (t) => {
  const hall = await startPanel(t, 'Hall');
  const attic = await startPanel(t, 'Attic', { env: { FACEPLATE_SIP_ALLOW: '192.0.2.1' } });
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await hall.becomes('failed');
  assert.deepEqual(hall.heard('callFailed'), [{ reason: 'unreachable', busy: false }]);
  assert.deepEqual([attic.told, await attic.sip.history()], [[], []]);
});

test('security: should let a found panel ring and announce only if both share the secret', async (t) => {
  const ours = 'one secret of this house';
  /** Two panels that know each other only by mDNS. */
  const startPair = async (...secrets: [string, string]): Promise<[TestPanel, TestPanel]> => {
    const mdnsPort = await freeUdpPort();
    const start = (name: string, secret: string): Promise<TestPanel> =>
      startPanel(t, name, {
        mdnsPort,
        env: { FACEPLATE_SIP_ALLOW: '192.0.2.1' },
        file: { 'sip.panelSecret': secret },
      });
    const pair = [await start('Hall', secrets[0]), await start('Attic', secrets[1])] as const;
    for (const { sip } of pair) await until(async () => (await sip.listPanels()).length === 1);
    return [...pair];
  };
  const strangers = await Promise.all([
    startPair('', ''),
    startPair('', ours),
    startPair('one secret of another', ours),
  ]);
  for (const [hall, attic] of strangers) await hall.sip.placeCallToIp({ ip: attic.address() });
  for (const [hall, attic] of strangers) {
    await hall.becomes('failed');
    assert.deepEqual(
      attic.told.map(({ event }) => event),
      ['panelFound'],
    );
  }
  const [hall, attic] = await startPair(ours, ours);
  await hall.sip.placeCallToIp({ ip: attic.address() });
  await attic.becomes('incoming...');
  await hall.sip.hangup();
  await attic.becomes('idle');
  await hall.sip.pageAll();
  await hall.becomes('paging (1 active)');
  await hall.sip.hangupPageAll();
});

test('should fit an INVITE with credentials and a picture into one datagram of an Ethernet', async (t) => {
  const hall = await startPanel(t, 'Panel in the hall');
  const phone = createSocket('udp4').bind(0, '127.0.0.1');
  t.after(() => phone.close());
  await once(phone, 'listening');
  const message = once(phone, 'message');
  await hall.sip.placeCallToIp({ ip: `127.0.0.1:${phone.address().port}` });
  const [invite] = (await message) as [Buffer];
  assert.match(invite.toString(), /^INVITE [\s\S]*m=audio [\s\S]*m=video /);
  // With longer addresses, and the credentials that a Fritz!Box asks for.
  const credentials = `Authorization: Digest username="panel1", realm="fritz.box", nonce="${'0'.repeat(32)}", uri="sip:**610@192.168.178.1", response="${'0'.repeat(32)}", qop=auth, nc=00000001, cnonce="${'0'.repeat(22)}"\r\n`;
  const length = invite.length + credentials.length + 9 * ('192.168.178.201'.length - '127.0.0.1'.length);
  assert.ok(length <= 1_500 - 28, `${length} bytes`);
});
