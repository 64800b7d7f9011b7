import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';
import { RateLimits } from './admission.ts';
import { Headers } from './message/headers.ts';
import { NO_BODY, type SipRequest } from './message/message.ts';
import { type RequestUse, TransactionLayer } from './transaction/layer.ts';

/** A 2xx to an INVITE that was never sent. */
function forged(contact: string, branch = `z9hG4bK${randomUUID()}`): string {
  return [
    'SIP/2.0 200 OK',
    `Via: SIP/2.0/UDP 127.0.0.1:5060;branch=${branch}`,
    `From: <sip:panel1@127.0.0.1>;tag=${randomUUID()}`,
    `To: <sip:x@127.0.0.1>;tag=${randomUUID()}`,
    `Call-ID: ${randomUUID()}`,
    'CSeq: 1 INVITE',
    `Contact: ${contact}`,
    'Content-Length: 0',
    '',
    '',
  ].join('\r\n');
}

test('security: should send nothing for a 2xx to a call that it never made', async (t) => {
  const { agent } = await startAgent(t);
  const stranger = await ScriptedPeer.open(t, () => agent.port);
  const victim = await ScriptedPeer.open(t, () => agent.port);
  for (let sent = 0; sent < 600; sent++) {
    stranger.raw(forged(victim.contact));
    // This way the system drops none of them.
    if (sent % 10 === 0) await settled();
  }
  // When this is answered, everything before it has been read.
  victim.request('OPTIONS');
  await victim.response(200);
  await settled();
  assert.deepEqual([victim.seen, stranger.seen], [['200'], []]);
  assert.equal(agent.size, 1, 'nothing but the answer to OPTIONS is kept');
  // No quota is used up: it still pings and calls.
  const alive = agent.ping(LOOPBACK, victim.port);
  victim.answer(await victim.next('OPTIONS'), 200);
  assert.equal(await alive, true);
  agent.call({ kind: 'address', host: LOOPBACK, port: victim.port }, sdpFor());
  await victim.next('INVITE');
});

test('security: should end a late answer where it came from, not where its Contact leads, and for 32 s only', async (t) => {
  const clock = new FakeClock();
  const { agent } = await startAgent(t, { clock });
  const peer = await ScriptedPeer.open(t, () => agent.port);
  const victim = await ScriptedPeer.open(t, () => agent.port);
  const { ends } = record(agent.call({ kind: 'address', host: LOOPBACK, port: peer.port }, sdpFor()));
  const invite = await peer.next('INVITE');
  await clock.advance(32_000);
  assert.deepEqual(ends, [{ cause: 'unreachable' }]);
  const late = (tag: string): void => peer.answer(invite, 200, { Contact: victim.contact }, sdpFor(), tag);
  await clock.advance(31_000);
  late('late');
  assert.equal((await peer.next('ACK')).core.to.params.get('tag'), 'late');
  await peer.next('BYE');
  late('late');
  await peer.next('ACK', 1);
  await clock.advance(1_000);
  late('too late');
  peer.request('OPTIONS');
  await peer.response(200);
  await settled();
  assert.deepEqual(
    ['ACK', 'BYE'].map((what) => peer.seen.filter((one) => one === what).length),
    [2, 1],
  );
  assert.deepEqual(victim.seen, []);
});

test('security: should end at most ten unwanted answers from one address in a minute', async (t) => {
  const clock = new FakeClock();
  const limits = new RateLimits(clock, () => false);
  const { agent } = await startAgent(t, { clock, limits });
  const peer = await ScriptedPeer.open(t, () => agent.port);
  const { told } = record(agent.call({ kind: 'address', host: LOOPBACK, port: peer.port }, sdpFor()));
  const invite = await peer.next('INVITE');
  peer.answer(invite, 200, {}, sdpFor());
  await until(() => told.includes('accepted'));
  for (let phone = 0; phone < 100; phone++) {
    peer.answer(invite, 200, {}, sdpFor(), `phone${phone}`);
    if (phone % 10 === 0) await settled();
  }
  peer.request('OPTIONS');
  await peer.response(200);
  await settled();
  assert.equal(peer.seen.filter((what) => what === 'BYE').length, 10);
});

test('security: should keep requests of one kind from using up the share of another', async () => {
  const clock = new FakeClock();
  const layer = new TransactionLayer({
    clock,
    transport: {
      via: () => new Promise(() => {}),
      fitting: async (hop) => hop,
      noteWithoutTcp: () => {},
      send: async () => {},
    },
    events: { onRequest: () => {}, onAck: () => {}, onStrayResponse: () => {} },
  });
  const hop = { protocol: 'udp', host: '192.0.2.9', port: 5060 } as const;
  const request: SipRequest = {
    kind: 'request',
    method: 'BYE',
    uri: 'sip:x@192.0.2.9',
    headers: new Headers(),
    body: NO_BODY,
  };
  const failed: string[] = [];
  const send = (use: RequestUse): void =>
    void layer.request(
      request,
      hop,
      { onResponse: () => {}, onFailure: (_cause, problem) => failed.push(`${use}: ${problem}`) },
      { use },
    );
  for (const use of ['decline', 'ping', 'call'] as const) for (let sent = 0; sent < 1_000; sent++) send(use);
  await clock.advance(1);
  assert.equal(layer.size, 32 + 260 + 500);
  failed.length = 0;
  for (const use of ['registration', 'keys'] as const) send(use);
  await clock.advance(1);
  assert.deepEqual(failed, []);
  // The quota is free again once they are over.
  await clock.advance(32_000);
  assert.equal(layer.size, 0);
  failed.length = 0;
  send('call');
  await clock.advance(1);
  assert.deepEqual(failed, []);
});
