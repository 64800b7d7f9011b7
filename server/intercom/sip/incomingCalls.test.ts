import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import type { IncomingCall } from '../ports.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent, type TestAgent } from '../testing/sip/testAgent.ts';
import { RateLimits } from './admission.ts';
import type { SipAgentOptions } from './agentOptions.ts';

interface Panel extends TestAgent {
  readonly peer: ScriptedPeer;
  /** The next incoming call. */
  called(at?: number): Promise<IncomingCall>;
}

async function panelAndPeer(t: TestContext, options: Partial<SipAgentOptions> = {}): Promise<Panel> {
  const panel = await startAgent(t, options);
  const peer = await ScriptedPeer.open(t, () => panel.agent.port);
  const called = async (at = 0): Promise<IncomingCall> => {
    await until(() => panel.incoming.length > at, 'the call');
    return panel.incoming[at]!;
  };
  return { ...panel, peer, called };
}

/** The agent's own tag, as To of a request within the dialog. */
async function toOf(peer: ScriptedPeer, status: number): Promise<string> {
  return (await peer.response(status)).headers.get('to')!;
}

test('should ring, answer and be hung up', async (t) => {
  const { peer, called } = await panelAndPeer(t);
  peer.request(
    'INVITE',
    { 'User-Agent': 'Faceplate/1.2', 'X-Panel-Page': 'p7', 'Answer-Mode': 'Auto' },
    sdpFor(7),
  );
  const call = await called();
  const { ends } = record(call);
  assert.deepEqual(
    [call.offer, call.pageId, call.autoAnswer, call.viaRegistrar],
    [sdpFor(7), 'p7', true, false],
  );
  assert.deepEqual(call.peer, {
    host: LOOPBACK,
    port: peer.port,
    user: 'door',
    displayName: 'Front door',
    isFaceplate: true,
    secure: false,
  });
  await call.ring();
  await call.ring(sdpFor(8));
  assert.equal((await peer.response(183)).body.toString(), sdpFor(8));
  const accepted = call.accept(sdpFor(9));
  const answer = await peer.response(200);
  assert.equal(answer.body.toString(), sdpFor(9));
  assert.equal(answer.headers.get('server'), 'Faceplate/0.0.0');
  const To = answer.headers.get('to')!;
  peer.request('ACK', { To });
  assert.equal(await accepted, undefined);
  peer.request('BYE', { To, CSeq: '2 BYE' });
  await peer.response(200, 1);
  assert.deepEqual(ends, [{ cause: 'bye' }]);
});

test('should make the offer itself when the caller makes none', async (t) => {
  const { peer, called } = await panelAndPeer(t);
  peer.request('INVITE');
  const call = await called();
  assert.equal(call.offer, undefined);
  const accepted = call.accept(sdpFor(9));
  peer.request('ACK', { To: await toOf(peer, 200) }, sdpFor(7));
  assert.equal(await accepted, sdpFor(7));
});

test('should repeat its answer until the ACK and end the call after 32 s without one', async (t) => {
  const clock = new FakeClock();
  const { peer, called } = await panelAndPeer(t, { clock });
  peer.request('INVITE', {}, sdpFor());
  const call = await called();
  const { ends } = record(call);
  const accepted = call.accept(sdpFor());
  await peer.response(200);
  await clock.advance(3_500);
  await peer.response(200, 3);
  const refused = assert.rejects(accepted, { code: 'CONFLICT' });
  await clock.advance(28_500);
  await refused;
  assert.deepEqual(ends, [{ cause: 'timeout' }]);
  await peer.next('BYE');
});

test('should wait for the ACK before it says BYE', async (t) => {
  const { peer, called } = await panelAndPeer(t);
  peer.request('INVITE', {}, sdpFor());
  const call = await called();
  const accepted = call.accept(sdpFor());
  const To = await toOf(peer, 200);
  const gone = call.hangup();
  assert.ok(!peer.seen.includes('BYE'));
  peer.request('ACK', { To });
  await accepted;
  await gone;
  assert.equal((await peer.next('BYE')).core.from.params.get('tag'), /tag=(\w+)/.exec(To)![1]);
});

test('should report that the caller gave up, and that somebody else answered', async (t) => {
  const { peer, called } = await panelAndPeer(t);
  const Via = `SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK-cancelled;rport`;
  peer.request('INVITE', { Via }, sdpFor());
  const call = await called();
  const { ends } = record(call);
  await call.ring();
  peer.request('CANCEL', { Via, Reason: 'Q.850;cause=16, SIP ;cause=200 ;text="Call completed elsewhere"' });
  await peer.response(200);
  await peer.response(487);
  assert.deepEqual(ends, [{ cause: 'cancel', answeredElsewhere: true }]);
  await assert.rejects(call.accept(sdpFor()), { code: 'CONFLICT' });
});

test('should refuse with the given status', async (t) => {
  const { peer, called } = await panelAndPeer(t);
  for (const [at, status] of ([486, 480, 488, 603] as const).entries()) {
    peer.request('INVITE', { 'Call-ID': `refused-${at}` }, sdpFor());
    await (await called(at)).reject(status);
    await peer.response(status);
  }
});

test('should give up a call that nobody answers or ends after three minutes', async (t) => {
  const clock = new FakeClock();
  const { peer, called, agent } = await panelAndPeer(t, { clock });
  peer.request('INVITE', {}, sdpFor());
  const { ends } = record(await called());
  await clock.advance(180_000);
  await peer.response(480);
  assert.deepEqual(ends, [{ cause: 'timeout' }]);
  await clock.advance(64_000);
  assert.equal(agent.size, 0);
});

test('should ring reliably if the caller requires it, and answer only then (RFC 3262)', async (t) => {
  const clock = new FakeClock();
  const { peer, called } = await panelAndPeer(t, { clock });
  peer.request('INVITE', { Require: '100rel' }, sdpFor());
  const call = await called();
  await call.ring(sdpFor(8));
  const early = await peer.response(183);
  assert.deepEqual(early.headers.tokens('require'), ['100rel']);
  await clock.advance(500);
  await peer.response(183, 1);
  void call.accept(sdpFor(9)).catch(() => {});
  const To = early.headers.get('to')!;
  peer.request('PRACK', { To, CSeq: '2 PRACK', RAck: '1 1 INVITE' });
  await peer.response(481);
  assert.ok(!peer.seen.includes('200'));
  peer.request('PRACK', { To, CSeq: '3 PRACK', RAck: `${early.headers.get('rseq')} 1 INVITE` });
  await peer.response(200, 1);
});

test('should agree on the requested session, and end it when nobody refreshes it (RFC 4028)', async (t) => {
  const clock = new FakeClock();
  const { peer, called } = await panelAndPeer(t, { clock });
  peer.request('INVITE', { 'Session-Expires': '60', 'Call-ID': 'short' }, sdpFor());
  assert.equal((await peer.response(422)).headers.get('min-se'), '90');
  peer.request('INVITE', { 'Session-Expires': '120', Supported: 'timer' }, sdpFor());
  const call = await called();
  const { ends } = record(call);
  const accepted = call.accept(sdpFor());
  const answer = await peer.response(200);
  assert.equal(answer.headers.get('session-expires'), '120;refresher=uac');
  const To = answer.headers.get('to')!;
  peer.request('ACK', { To });
  await accepted;
  await clock.advance(60_000);
  peer.request('UPDATE', {
    To,
    CSeq: '2 UPDATE',
    'Session-Expires': '120;refresher=uac',
    Supported: 'timer',
  });
  await peer.response(200, 1);
  await clock.advance(87_000);
  assert.deepEqual(ends, []);
  await clock.advance(2_000);
  assert.deepEqual(ends, [{ cause: 'timeout' }]);
  await peer.next('BYE');
});

test('should answer unsupported requests as RFC 3261 section 8.2 says', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  let count = 0;
  const cases: [status: number, method: string, fields: Record<string, string>, body?: string][] = [
    [200, 'OPTIONS', {}],
    [405, 'SUBSCRIBE', {}],
    [405, 'REGISTER', {}],
    [501, 'DANCE', {}],
    [420, 'INVITE', { Require: 'teleport, 100rel' }],
    [416, 'INVITE', { uri: 'nobodyknows:panel' }],
    [415, 'INVITE', { 'Content-Type': 'text/plain' }, 'hello'],
    [406, 'INVITE', { Accept: 'text/nothing' }],
    [481, 'BYE', {}],
    [481, 'INFO', { To: '<sip:panel1@127.0.0.1>;tag=none' }],
    [481, 'INVITE', { To: '<sip:panel1@127.0.0.1>;tag=none' }],
    [400, 'INVITE', { CSeq: '1 OPTIONS' }],
    [400, 'INVITE', { Contact: '*' }],
  ];
  for (const [status, method, fields, body] of cases) {
    const before = peer.seen.filter((what) => what === String(status)).length;
    peer.request(method, { 'Call-ID': `case-${++count}`, ...fields }, body);
    const response = await peer.response(status, before);
    if (status === 420) assert.equal(response.headers.get('unsupported'), 'teleport');
    if (status === 405 || status === 200) assert.match(response.headers.get('allow') ?? '', /INVITE/);
  }
  peer.raw(
    `INVITE sip:x SIP/3.0\r\nVia: SIP/2.0/UDP 127.0.0.1:${peer.port}\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:x>\r\nCall-ID: v\r\nCSeq: 1 INVITE\r\n\r\n`,
  );
  await peer.response(505);
  assert.deepEqual(incoming, []);
});

test('security: should give scanners and strangers no answer at all', async (t) => {
  const panel = await startAgent(t, { mayCall: (address) => address === LOOPBACK });
  const scanner = await ScriptedPeer.open(t, () => panel.agent.port, '127.0.0.99');
  for (const method of ['OPTIONS', 'REGISTER', 'INVITE', 'BYE', 'DANCE']) scanner.request(method);
  scanner.request('CANCEL');
  scanner.raw('\r\n\r\n');
  scanner.raw('INVITE sip:x SIP/3.0\r\n\r\n');
  for (let extension = 100; extension < 120; extension++)
    scanner.request('INVITE', { uri: `sip:${extension}@127.0.0.1`, 'Call-ID': String(extension) }, sdpFor());
  // An answered request of an allowed peer shows that the requests before it were read.
  const friend = await ScriptedPeer.open(t, () => panel.agent.port);
  friend.request('OPTIONS');
  await friend.response(200);
  assert.deepEqual([scanner.seen, panel.incoming, panel.agent.size], [[], [], 1]);
});

test('security: should ring for ten calls from one address within a minute, and drop the others', async (t) => {
  const clock = new FakeClock();
  const { peer, incoming } = await panelAndPeer(t, { clock, limits: new RateLimits(clock, () => false) });
  for (let at = 0; at < 15; at++) peer.request('INVITE', { 'Call-ID': `flood-${at}` }, sdpFor());
  peer.request('OPTIONS');
  await peer.response(200);
  assert.equal(incoming.length, 10);
  await clock.advance(6_000);
  peer.request('INVITE', { 'Call-ID': 'later' }, sdpFor());
  await until(() => incoming.length === 11);
});

test('security: should not accept a CANCEL or a BYE from a stranger', async (t) => {
  const { peer, called, agent } = await panelAndPeer(t);
  const Via = `SIP/2.0/UDP 127.0.0.1:${peer.port};branch=z9hG4bK-known;rport`;
  peer.request('INVITE', { Via }, sdpFor());
  const call = await called();
  const { ends } = record(call);
  await call.ring();
  const To = await toOf(peer, 180);
  const stranger = await ScriptedPeer.open(t, () => agent.port, '127.0.0.66');
  stranger.request('CANCEL', { Via });
  stranger.request('BYE', { To, CSeq: '2 BYE' });
  peer.request('OPTIONS', { 'Call-ID': 'o' });
  await peer.response(200);
  assert.deepEqual([ends, stranger.seen], [[], []]);
});

test('security: should hold no more than 64 calls', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  for (let at = 0; at < 66; at++) {
    peer.request('INVITE', { 'Call-ID': `many-${at}` }, sdpFor());
    if (at % 10 === 0) await until(() => incoming.length > Math.min(at, 63));
  }
  await peer.response(486, 1);
  assert.equal(incoming.length, 64);
});
