import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock, settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import type { OutgoingCall } from '../ports.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';
import type { SipAgent } from './agent.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import type { ReceivedRequest } from './message/message.ts';

interface Calling {
  readonly agent: SipAgent;
  readonly peer: ScriptedPeer;
  readonly call: OutgoingCall;
  readonly told: string[];
  readonly ends: unknown[];
  readonly invite: ReceivedRequest;
}

/** Our call has arrived at a peer whose answers are all written by the test. */
async function calling(
  t: TestContext,
  options: Partial<SipAgentOptions> = {},
  headers = {},
): Promise<Calling> {
  const { agent } = await startAgent(t, options);
  const peer = await ScriptedPeer.open(t, () => agent.port);
  const call = agent.call({ kind: 'address', host: LOOPBACK, port: peer.port }, sdpFor(), headers);
  const { told, ends } = record(call);
  return { agent, peer, call, told, ends, invite: await peer.next('INVITE') };
}

async function connected(
  t: TestContext,
  options: Partial<SipAgentOptions> = {},
  fields = {},
): Promise<Calling> {
  const all = await calling(t, options);
  all.peer.answer(all.invite, 200, fields, sdpFor());
  await all.peer.next('ACK');
  await until(() => all.told.includes('accepted'));
  return all;
}

/** Fields of a request of the peer within the dialog. */
function within({ invite }: Calling, cseq: string): Record<string, string> {
  return {
    uri: 'sip:panel1@127.0.0.1',
    From: '<sip:door@127.0.0.1>;tag=theirs',
    To: invite.headers.get('from')!,
    'Call-ID': invite.core.callId,
    CSeq: cseq,
  };
}

test('should say who calls, what it supports and that the remote party may answer automatically', async (t) => {
  const { peer, ends, invite } = await calling(
    t,
    { deviceName: 'Hall\r\nContact: <sip:x>' },
    { autoAnswer: true, pageId: 'p1' },
  );
  assert.equal(invite.core.from.displayName, 'HallContact: <sip:x>');
  assert.deepEqual(
    ['user-agent', 'call-info', 'alert-info', 'answer-mode', 'x-panel-page', 'supported'].map((name) =>
      invite.headers.get(name),
    ),
    [
      'Faceplate/0.0.0',
      '<sip:127.0.0.1>;answer-after=0',
      '<http://127.0.0.1>;info=alert-autoanswer;delay=0',
      'Auto',
      'p1',
      '100rel, timer',
    ],
  );
  assert.equal(invite.headers.all('contact').length, 1);
  peer.answer(invite, 486);
  await until(() => ends.length === 1);
});

test('should report ringing, early media and the answer, and who answered', async (t) => {
  const { peer, call, told, invite } = await calling(t);
  peer.answer(invite, 100);
  peer.answer(invite, 180);
  peer.answer(invite, 183, {}, sdpFor());
  peer.answer(
    invite,
    200,
    { Server: 'Faceplate/2.0', To: '"The door" <sip:door@127.0.0.1>;tag=theirs' },
    sdpFor(),
  );
  await until(() => told.includes('accepted'));
  assert.deepEqual(told, ['180', '183 sdp', 'accepted']);
  assert.deepEqual(
    [call.peer.isFaceplate, call.peer.displayName, call.peer.port],
    [true, 'The door', peer.port],
  );
  // A repeated 2xx: our ACK got lost.
  peer.answer(invite, 200, {}, sdpFor());
  await peer.next('ACK', 1);
});

test('should give up a host without a sign of life after 6 s, and cancel if it wakes up', async (t) => {
  const clock = new FakeClock();
  const all = await calling(t, { clock });
  await clock.advance(5_999);
  assert.deepEqual(all.told, []);
  await clock.advance(1);
  assert.deepEqual(all.told, ['unreachable']);
  const sent = all.peer.seen.length;
  await clock.advance(5_000);
  all.peer.answer(all.invite, 180);
  const cancel = await all.peer.next('CANCEL');
  assert.equal(cancel.core.via.params.get('branch'), all.invite.core.via.params.get('branch'));
  // Nothing was repeated in between.
  assert.equal(all.peer.seen.slice(sent).filter((what) => what === 'INVITE').length, 0);
});

test('should count any answer as a sign of life', async (t) => {
  const clock = new FakeClock();
  const { peer, told, invite } = await calling(t, { clock });
  peer.answer(invite, 100);
  // When this is answered, the datagram before it has been read.
  peer.request('OPTIONS');
  await peer.response(200);
  await clock.advance(60_000);
  assert.deepEqual(told, []);
});

test('should send CANCEL only after a provisional response (section 9.1)', async (t) => {
  const { peer, call, told, invite } = await calling(t);
  const gone = call.hangup();
  await settled();
  assert.ok(!peer.seen.includes('CANCEL'));
  peer.answer(invite, 100);
  const cancel = await peer.next('CANCEL');
  peer.answer(cancel, 200);
  peer.answer(invite, 487);
  await gone;
  assert.deepEqual(told, []);
  assert.equal((await peer.next('ACK')).core.cseq.number, 1);
});

test('should end a call whose answer crossed the CANCEL: ACK and BYE', async (t) => {
  const { peer, call, told, invite } = await calling(t);
  peer.answer(invite, 180);
  await until(() => told.length === 1);
  const gone = call.hangup();
  await peer.next('CANCEL');
  peer.answer(invite, 200, {}, sdpFor());
  await peer.next('ACK');
  await peer.next('BYE');
  await gone;
  assert.deepEqual(told, ['180']);
});

test('should keep the first of two phones that were lifted and send the second one ACK and BYE', async (t) => {
  const { peer, told, invite } = await connected(t);
  peer.answer(invite, 200, {}, sdpFor(), 'second');
  const bye = await peer.next('BYE');
  assert.equal(bye.core.to.params.get('tag'), 'second');
  assert.deepEqual(told, ['accepted']);
});

test('should report refusals with their status', async (t) => {
  const { peer, ends, invite } = await calling(t);
  peer.answer(invite, 486);
  await until(() => ends.length === 1);
  assert.deepEqual(ends, [{ cause: 'refused', status: 486, reason: 'Busy Here' }]);
  await peer.next('ACK');
});

test('should acknowledge reliable provisional responses in order and once (RFC 3262)', async (t) => {
  const { peer, told, invite } = await calling(t);
  const reliable = (rseq: number) =>
    peer.answer(invite, 183, { Require: '100rel', RSeq: String(rseq) }, sdpFor());
  reliable(7);
  const prack = await peer.next('PRACK');
  assert.equal(prack.headers.get('rack'), '7 1 INVITE');
  assert.equal(prack.core.cseq.number, 2);
  reliable(7);
  reliable(9);
  reliable(8);
  peer.answer(prack, 200);
  const second = await peer.next('PRACK', 1);
  assert.equal(second.headers.get('rack'), '8 1 INVITE');
  peer.answer(second, 200);
  // The answer was in the provisional response.
  peer.answer(invite, 200);
  await until(() => told.includes('accepted'));
  assert.equal((await peer.next('ACK')).core.cseq.number, 1);
});

test('should follow a redirection once, and only to an address that it may call', async (t) => {
  const { agent } = await startAgent(t);
  const first = await ScriptedPeer.open(t, () => agent.port);
  const second = await ScriptedPeer.open(t, () => agent.port);
  const { ends } = record(agent.call({ kind: 'address', host: LOOPBACK, port: first.port }, sdpFor()));
  first.answer(await first.next('INVITE'), 302, { Contact: second.contact });
  const again = await second.next('INVITE');
  assert.equal(again.core.cseq.number, 2);
  assert.equal(again.core.to.params.has('tag'), false);
  second.answer(again, 302, { Contact: first.contact });
  await until(() => ends.length === 1);
  assert.deepEqual(ends, [{ cause: 'refused', status: 302, reason: 'Failure' }]);
});

test('security: should not follow a redirection to an address that may not call', async (t) => {
  const { peer, ends, invite } = await calling(t);
  peer.answer(invite, 302, { Contact: '<sip:x@127.0.0.77:5060>' });
  await until(() => ends.length === 1);
  assert.deepEqual(ends, [{ cause: 'refused', status: 302, reason: 'Failure' }]);
});

test('security: should give no credentials to a peer that is not the registrar, whatever realm it names', async (t) => {
  const { agent } = await startAgent(t, { registrar: '127.0.0.1:1', password: 'secret', username: 'panel1' });
  const peer = await ScriptedPeer.open(t, () => agent.port);
  const { ends } = record(agent.call({ kind: 'address', host: LOOPBACK, port: peer.port }, sdpFor()));
  const challenge = { 'Proxy-Authenticate': 'Digest realm="127.0.0.1", nonce="n", qop="auth"' };
  peer.answer(await peer.next('INVITE'), 407, challenge);
  await until(() => ends.length === 1);
  assert.deepEqual(ends, [{ cause: 'refused', status: 407, reason: 'Failure' }]);
  const { peer: door, call } = await connected(t, { registrar: '127.0.0.1:1', password: 'secret' });
  door.answersBye = false;
  const gone = call.hangup();
  door.answer(await door.next('BYE'), 407, challenge);
  await gone;
  for (const message of [...peer.received, ...door.received])
    assert.doesNotMatch(message.headers.toString(), /digest/i);
});

test('should ask for a longer session when the remote party wants one (RFC 4028, 422)', async (t) => {
  const { peer, invite } = await calling(t);
  assert.deepEqual([invite.headers.get('session-expires'), invite.headers.get('min-se')], ['1800', '90']);
  peer.answer(invite, 422, { 'Min-SE': '3600' });
  const again = await peer.next('INVITE', 1);
  assert.deepEqual([again.headers.get('session-expires'), again.headers.get('min-se')], ['3600', '3600']);
});

test('should refresh the session by UPDATE if the remote party supports it, else by re-INVITE (RFC 4028)', async (t) => {
  for (const method of ['UPDATE', 'INVITE'] as const) {
    const clock = new FakeClock();
    const allow = method === 'UPDATE' ? 'INVITE, ACK, BYE, UPDATE' : 'INVITE, ACK, BYE';
    const { peer, ends } = await connected(
      t,
      { clock },
      { 'Session-Expires': '200;refresher=uac', Allow: allow },
    );
    await clock.advance(100_000);
    const refresh = await peer.next(method, method === 'INVITE' ? 1 : 0);
    assert.equal(refresh.headers.get('session-expires'), '200;refresher=uac');
    assert.equal(refresh.body.toString(), method === 'INVITE' ? sdpFor() : '');
    peer.answer(
      refresh,
      200,
      { 'Session-Expires': '200;refresher=uac' },
      method === 'INVITE' ? sdpFor() : '',
    );
    if (method === 'INVITE') await peer.next('ACK', 1);
    await settled();
    await until(() => clock.pending >= 2);
    assert.deepEqual(ends, []);
  }
});

test('should try a refresh again after glare (491)', async (t) => {
  const clock = new FakeClock();
  const { peer } = await connected(t, { clock }, { 'Session-Expires': '200;refresher=uac' });
  await clock.advance(100_000);
  peer.answer(await peer.next('INVITE', 1), 491);
  await peer.next('ACK', 1);
  await clock.advance(2_099);
  assert.equal(peer.seen.filter((what) => what === 'INVITE').length, 2);
  await clock.advance(2_000);
  await peer.next('INVITE', 2);
});

test('should end a session that nobody refreshes', async (t) => {
  const clock = new FakeClock();
  const { peer, ends } = await connected(t, { clock }, { 'Session-Expires': '96;refresher=uas' });
  await clock.advance(63_000);
  assert.deepEqual(ends, []);
  await clock.advance(1_000);
  assert.deepEqual(ends, [{ cause: 'timeout' }]);
  await peer.next('BYE');
});

test('should answer new offers by re-INVITE and UPDATE, and keep the call when one is refused', async (t) => {
  const all = await connected(t);
  const { peer, call, ends } = all;
  const offers: string[] = [];
  call.onOffer = async (sdp) => {
    offers.push(sdp);
    return sdpFor(11, 2);
  };
  peer.request('INVITE', within(all, '10 INVITE'), sdpFor(21));
  const answer = await peer.response(200);
  assert.equal(answer.body.toString(), sdpFor(11, 2));
  peer.request('ACK', within(all, '10 ACK'));
  peer.request('UPDATE', within(all, '11 UPDATE'), sdpFor(22));
  await peer.response(200, 1);
  call.onOffer = () => Promise.reject(new Error('nothing fits'));
  peer.request('UPDATE', within(all, '12 UPDATE'), sdpFor(23));
  await peer.response(488);
  // Without an offer it only refreshes the session; the ACK of the first one must have arrived.
  peer.request('INVITE', within(all, '13 INVITE'));
  assert.equal((await peer.response(200, 2)).body.toString(), sdpFor(11, 2));
  assert.deepEqual([offers, ends], [[sdpFor(21), sdpFor(22)], []]);
});

test('should refuse a second re-INVITE while the first one waits, and requests out of order', async (t) => {
  const all = await connected(t);
  const { peer, call } = all;
  let answer = (_sdp: string): void => {};
  call.onOffer = () =>
    new Promise((resolve) => {
      answer = resolve;
    });
  peer.request('INVITE', within(all, '10 INVITE'), sdpFor(21));
  peer.request('INVITE', within(all, '11 INVITE'), sdpFor(22));
  assert.match((await peer.response(500)).headers.get('retry-after') ?? '', /^\d$/);
  answer(sdpFor(11));
  await peer.response(200);
  peer.request('INFO', within(all, '9 INFO'));
  await peer.response(500, 1);
});

test('should answer 491 to an offer while its own is pending (section 14.2)', async (t) => {
  const clock = new FakeClock();
  const all = await connected(t, { clock }, { 'Session-Expires': '200;refresher=uac' });
  await clock.advance(100_000);
  await all.peer.next('INVITE', 1);
  all.peer.request('INVITE', within(all, '10 INVITE'), sdpFor(21));
  await all.peer.response(491);
  all.peer.request('UPDATE', within(all, '11 UPDATE'), sdpFor(21));
  await all.peer.response(491, 1);
});

test('should pass on INFO, answer OPTIONS in the call and send INFO', async (t) => {
  const all = await connected(t);
  const { peer, call } = all;
  const infos: string[] = [];
  call.onInfo = (type, body) => infos.push(`${type} ${body}`) > 0;
  peer.request('INFO', { ...within(all, '10 INFO'), 'Content-Type': 'application/dtmf-relay' }, 'Signal=5');
  await peer.response(200);
  peer.request('OPTIONS', within(all, '11 OPTIONS'));
  await peer.response(200, 1);
  assert.deepEqual(infos, ['application/dtmf-relay Signal=5']);
  const sent = call.sendInfo('application/media_control+xml', '<x/>');
  peer.answer(await peer.next('INFO'), 200);
  await sent;
  const refused = call.sendInfo('text/plain\r\nX-Evil: 1', 'x');
  const info = await peer.next('INFO', 1);
  assert.equal(info.headers.get('x-evil'), undefined);
  peer.answer(info, 415);
  await assert.rejects(refused, { code: 'CONFLICT' });
});

test('security: should ignore a BYE from another address, and refuse one with wrong tags', async (t) => {
  const all = await connected(t);
  const stranger = await ScriptedPeer.open(t, () => all.agent.port, '127.0.0.66');
  stranger.request('BYE', within(all, '10 BYE'));
  all.peer.request('BYE', { ...within(all, '10 BYE'), From: '<sip:door@127.0.0.1>;tag=guessed' });
  await all.peer.response(481);
  all.peer.request('BYE', { ...within(all, '11 BYE'), To: '<sip:panel1@127.0.0.1>;tag=guessed' });
  await all.peer.response(481, 1);
  assert.deepEqual([all.ends, stranger.seen], [[], []]);
  all.peer.request('BYE', within(all, '12 BYE'));
  await until(() => all.ends.length === 1);
  assert.deepEqual(all.ends, [{ cause: 'bye' }]);
});

test('should report whether a host answers OPTIONS', async (t) => {
  const { agent } = await startAgent(t, { mayCall: () => false });
  const peer = await ScriptedPeer.open(t, () => agent.port);
  const there = agent.ping(LOOPBACK, peer.port);
  peer.answer(await peer.next('OPTIONS'), 404);
  assert.equal(await there, true);
  const clock = new FakeClock();
  const { agent: waiting } = await startAgent(t, { clock });
  const nobody = waiting.ping(LOOPBACK, peer.port);
  await peer.next('OPTIONS', 1);
  await clock.advance(2_000);
  assert.equal(await nobody, false);
});

test('should send BYE before it stops, even for a call that was hung up just before', async (t) => {
  const { agent, peer, call } = await connected(t);
  const gone = call.hangup();
  await Promise.all([agent.stop(), gone]);
  assert.equal(agent.size, 0);
  await peer.next('BYE');
});

test('should end all calls and keep nothing when it stops', async (t) => {
  const { agent, peer, told } = await connected(t);
  const stopped = agent.stop();
  await peer.next('BYE');
  await stopped;
  assert.deepEqual([agent.size, told], [0, ['accepted']]);
  await agent.stop();
});
