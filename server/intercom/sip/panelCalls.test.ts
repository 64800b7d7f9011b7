import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';
import type { SipAgentOptions } from './agentOptions.ts';

const SECRET = 'one secret of this house';
/** Knows others only from their mDNS records. */
const FOUND: Partial<SipAgentOptions> = { mayCall: () => false, isPanel: () => true };
const PAGE = { autoAnswer: true, pageId: 'page-1' };

/** Waits until everything sent before is read: a discovered panel may send OPTIONS. */
async function isRead(peer: ScriptedPeer, at = 0): Promise<void> {
  peer.request('OPTIONS', { 'Call-ID': `are-you-there-${at}` });
  await peer.response(200, at);
  await settled();
}

test('should accept a call from a panel that shares the secret, and identify each other by it', async (t) => {
  const attic = await startAgent(t, { ...FOUND, panelSecret: SECRET });
  const hall = await startAgent(t, { mayCall: () => false, panelSecret: SECRET });
  const target = { kind: 'address', host: LOOPBACK, port: attic.agent.port } as const;
  const call = hall.agent.call(target, sdpFor(), PAGE);
  const { told } = record(call);
  await until(() => attic.incoming.length === 1);
  const [incoming] = attic.incoming;
  assert.deepEqual([incoming!.isProven, incoming!.pageId], [true, 'page-1']);
  const accepted = incoming!.accept(sdpFor());
  await until(() => told.includes('accepted'));
  await accepted;
  assert.equal(call.isProven, true);
  await call.hangup();
});

test('security: should not even ring for a found panel that proves nothing', async (t) => {
  const attic = await startAgent(t, { ...FOUND, panelSecret: SECRET });
  const peer = await ScriptedPeer.open(t, () => attic.agent.port);
  peer.request('INVITE', { 'X-Panel-Page': 'page-1' }, sdpFor());
  peer.request('INVITE', { 'Call-ID': '2', 'X-Panel-Proof': `1800000000 ${'0'.repeat(64)}` }, sdpFor());
  for (const method of ['BYE', 'INFO', 'MESSAGE', 'DANCE']) peer.request(method, { 'Call-ID': method });
  await isRead(peer);
  const clock = new FakeClock();
  const liar = await startAgent(t, {
    clock,
    mayCall: () => false,
    panelSecret: 'the secret of another house',
  });
  const target = { kind: 'address', host: LOOPBACK, port: attic.agent.port } as const;
  const { told } = record(liar.agent.call(target, sdpFor(), PAGE));
  await until(async () => {
    await clock.advance(1_000);
    return told.length > 0;
  });
  await isRead(peer, 1);
  assert.deepEqual([told, peer.seen, attic.incoming], [['unreachable'], ['200', '200'], []]);
});

test('security: should keep no connection of a found panel while there is no secret', async (t) => {
  const { agent } = await startAgent(t, FOUND);
  const socket = connect(agent.port, LOOPBACK);
  t.after(() => socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'close');
});

test('security: should treat a call that may ring anyway as unproven if its proof was for another panel', async (t) => {
  let attic = await startAgent(t, { panelSecret: SECRET });
  const thief = await ScriptedPeer.open(t, () => attic.agent.port);
  const hall = await startAgent(t, { panelSecret: SECRET });
  hall.agent.call({ kind: 'address', host: LOOPBACK, port: thief.port }, sdpFor(), PAGE);
  const invite = await thief.next('INVITE');
  const fields = Object.fromEntries(
    ['From', 'To', 'Call-ID', 'CSeq', 'X-Panel-Page', 'X-Panel-Proof'].map((name) => [
      name,
      invite.headers.get(name.toLowerCase())!,
    ]),
  );
  // Unchanged, and with the address of the other panel.
  for (const uri of [() => invite.uri, () => `sip:127.0.0.1:${attic.agent.port}`]) {
    attic = await startAgent(t, { panelSecret: SECRET });
    thief.request('INVITE', { ...fields, uri: uri() }, invite.body.toString());
    await until(() => attic.incoming.length === 1);
    assert.equal(attic.incoming[0]!.isProven, false, uri());
  }
});

test('security: should let no eavesdropper change a call between panels', async (t) => {
  const attic = await startAgent(t, { panelSecret: SECRET });
  const hall = await startAgent(t, { panelSecret: SECRET });
  const target = { kind: 'address', host: LOOPBACK, port: attic.agent.port } as const;
  const { told } = record(hall.agent.call(target, sdpFor(), PAGE));
  await until(() => attic.incoming.length === 1);
  const [incoming] = attic.incoming;
  const offers: string[] = [];
  incoming!.onOffer = async (sdp) => {
    offers.push(sdp);
    return sdpFor();
  };
  await incoming!.accept(sdpFor());
  await until(() => told.includes('accepted'));
  // Everything an eavesdropper knows; tests have only one address.
  const { callId, localTag, dialog } = incoming as unknown as {
    callId: string;
    localTag: string;
    dialog: { remoteTag: string };
  };
  const eavesdropper = await ScriptedPeer.open(t, () => attic.agent.port);
  for (const [method, cseq] of [
    ['INVITE', '70'],
    ['UPDATE', '71'],
  ] as const) {
    const fields = {
      uri: `sip:panel1@127.0.0.1:${attic.agent.port}`,
      From: `<sip:panel1@127.0.0.1>;tag=${dialog.remoteTag}`,
      To: `<sip:127.0.0.1:${attic.agent.port}>;tag=${localTag}`,
      'Call-ID': callId,
      CSeq: `${cseq} ${method}`,
    };
    eavesdropper.request(method, fields, sdpFor(4_000));
    await eavesdropper.response(403, cseq === '70' ? 0 : 1);
  }
  assert.deepEqual(offers, []);
});
