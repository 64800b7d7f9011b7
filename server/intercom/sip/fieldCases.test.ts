import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { digestResponse } from '../../platform/net/digest.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { record, sdpFor, startAgent, type TestAgent } from '../testing/sip/testAgent.ts';
import type { SipAgentOptions } from './agentOptions.ts';
import { parseDigest } from './auth/digest.ts';

// What real doors, phones and PBXs send beside the letter of RFC 3261.

async function panelAndPeer(
  t: TestContext,
  options: Partial<SipAgentOptions> = {},
): Promise<TestAgent & { readonly peer: ScriptedPeer }> {
  const panel = await startAgent(t, options);
  return { ...panel, peer: await ScriptedPeer.open(t, () => panel.agent.port) };
}

test('should ring for a caller with one odd header', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  const odd: Record<string, string>[] = [
    { Date: 'Wed, 18 Aug 2021 14:43:48 UTC' },
    { Date: '2021-08-18 14:43:48' },
    { Contact: `${peer.contact};expires=390,: <sip:b@10.0.0.5>` },
    { Contact: `${peer.contact};expires=390, "b <sip:b@10.0.0.5>` },
    { Contact: 'sip:door@127.0.0.1?x=1' },
    { From: '<sip:door@127.0.0.1>' },
    { uri: 'sip:panel@127.0.0.1?Subject=door' },
    { 'P-Key-Flags': 'resolution="31x13", keys="4"', 'X-Foo': '', 'X Y': 'z' },
  ];
  for (const [at, fields] of odd.entries()) {
    peer.request('INVITE', { 'Call-ID': `odd-${at}`, ...fields }, sdpFor());
    await until(() => incoming.length === at + 1, JSON.stringify(fields));
  }
  assert.ok(!peer.seen.includes('400'));
});

test('should send BYE to the source of a call whose Contact cannot be read', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  peer.request('INVITE', { Contact: 'sip:door@127.0.0.1?x=1' }, sdpFor());
  await until(() => incoming.length === 1, 'the call');
  const accepted = incoming[0]!.accept(sdpFor());
  peer.request('ACK', { To: (await peer.response(200)).headers.get('to')! });
  await accepted;
  await incoming[0]!.hangup();
  assert.equal((await peer.next('BYE')).uri, `sip:door@127.0.0.1:${peer.port}`);
});

/** A multipart body. @param parts headers, an empty line, and a body each */
const multipart = (...parts: string[]): string =>
  `preamble\r\n${parts.map((part) => `--b 1\r\n${part}\r\n`).join('')}--b 1--\r\nepilogue`;
const SDP_PART = `Content-Type: application/sdp\r\n\r\n${sdpFor(7)}`;
const ISUP = (disposition: string): string =>
  `Content-Type: application/isup;version=itu-t92+\r\n${disposition}\r\n\x01\x02\r\n`;

test('should take the description out of a multipart body', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  const mixed = 'multipart/mixed;boundary="b 1"';
  const inner = multipart(SDP_PART).replaceAll('b 1', 'inner');
  const taken: [type: string, body: string][] = [
    [mixed, multipart(SDP_PART)],
    [mixed, multipart(SDP_PART, ISUP('Content-Disposition: signal;handling=optional\r\n'))],
    [mixed, multipart(ISUP('Content-Disposition: signal ; handling = "OPTIONAL"\r\n'), SDP_PART)],
    [mixed, multipart('Content-Type: application/pidf+xml\r\n\r\n<presence/>', SDP_PART)],
    ['Multipart/Mixed ; boundary=b', multipart(SDP_PART).replaceAll('b 1', 'b')],
    // Lines end in LF alone, and the last boundary is missing.
    ['multipart/mixed;boundary=b', `--b\nContent-Type: application/sdp\n\n${sdpFor(7)}`],
    [mixed, multipart(`Content-Type: multipart/alternative;boundary=inner\r\n\r\n${inner}`)],
  ];
  for (const [at, [type, body]] of taken.entries()) {
    peer.request('INVITE', { 'Call-ID': `taken-${at}`, 'Content-Type': type }, body);
    await until(() => incoming.length === at + 1, `call ${at}`);
    assert.equal(incoming[at]!.offer?.trim(), sdpFor(7).trim(), `call ${at}`);
  }
  peer.request(
    'INVITE',
    {
      'Call-ID': 'nothing',
      'Content-Type': 'application/isup',
      'Content-Disposition': 'signal;handling=optional',
    },
    'x',
  );
  await until(() => incoming.length === taken.length + 1, 'a call whose only body may be skipped');
  assert.equal(incoming.at(-1)!.offer, undefined);
});

test('should refuse bodies that it may not skip with 415, and name those that it knows', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  const mixed = 'multipart/mixed;boundary="b 1"';
  const refused: [type: string, body: string][] = [
    ['text/plain', 'hello'],
    [mixed, multipart(SDP_PART, ISUP('Content-Disposition: signal;handling=required\r\n'))],
    [mixed, multipart(ISUP(''))],
    ['multipart/mixed', multipart(SDP_PART)],
    [mixed, multipart(`Content-Encoding: gzip\r\n${SDP_PART}`)],
  ];
  for (const [at, [type, body]] of refused.entries()) {
    peer.request('INVITE', { 'Call-ID': `refused-${at}`, 'Content-Type': type }, body);
    const answer = () => peer.received.find(({ core }) => core.callId === `refused-${at}`);
    await until(() => answer() !== undefined, `an answer to call ${at}`);
    const { headers, ...response } = answer()!;
    assert.equal(response.kind === 'response' && response.status, 415);
    assert.equal(headers.get('accept'), 'application/sdp, multipart/mixed');
  }
  assert.deepEqual(incoming, []);
});

test('should take messages of known callers, and answer no others', async (t) => {
  const { peer, agent } = await panelAndPeer(t);
  const stranger = await ScriptedPeer.open(t, () => agent.port, '127.0.0.99');
  stranger.request('MESSAGE', { 'Content-Type': 'text/plain' }, 'hello');
  peer.request('MESSAGE', { 'Content-Type': 'text/plain' }, 'hello');
  await peer.response(200);
  assert.deepEqual(stranger.seen, []);
});

test('should register at a Fritz!Box, which names no qop and wants no user in the Request-URI', async (t) => {
  let port = 0;
  const box = await ScriptedPeer.open(t, () => port);
  const { agent } = await panelAndPeer(t, {
    registrar: `fritz.box:${box.port}`,
    password: 'secret',
    resolver: { services: () => Promise.reject(new Error('ENODATA')), addresses: async () => ['127.0.0.1'] },
  });
  port = agent.port;
  const first = await box.next('REGISTER');
  assert.equal(first.uri, `sip:fritz.box:${box.port}`);
  box.answer(first, 401, { 'WWW-Authenticate': 'Digest realm="fritz.box", nonce="0A1B2C3D4E5F6071"' });
  const signed = await box.next('REGISTER', 1);
  const fields = parseDigest(signed.headers.get('authorization') ?? '');
  const expected = digestResponse({
    algorithm: 'MD5',
    username: 'panel1',
    realm: 'fritz.box',
    password: 'secret',
    nonce: '0A1B2C3D4E5F6071',
    method: 'REGISTER',
    uri: first.uri,
  });
  assert.deepEqual(
    ['response', 'qop', 'nc', 'cnonce', 'algorithm'].map((name) => fields?.get(name)),
    [expected, undefined, undefined, undefined, undefined],
  );
  box.answer(signed, 200);
  await until(() => agent.registered, 'the registration');
});

test('should refresh a session by re-INVITE where UPDATE gets 405 within the call', async (t) => {
  const clock = new FakeClock();
  const { agent, peer } = await panelAndPeer(t, { clock });
  const call = agent.call({ kind: 'address', host: '127.0.0.1', port: peer.port }, sdpFor());
  const { ends } = record(call);
  peer.answer(
    await peer.next('INVITE'),
    200,
    { 'Session-Expires': '200;refresher=uac', Allow: 'INVITE, ACK, BYE, UPDATE' },
    sdpFor(),
  );
  await peer.next('ACK');
  await clock.advance(100_000);
  peer.answer(await peer.next('UPDATE'), 405);
  peer.answer(await peer.next('INVITE', 1), 200, { 'Session-Expires': '200;refresher=uac' }, sdpFor());
  await peer.next('ACK', 1);
  await clock.advance(90_000);
  assert.deepEqual(ends, []);
});

test('should ask a silent remote party by OPTIONS within the call, and take any answer for life', async (t) => {
  const clock = new FakeClock();
  const { peer, incoming } = await panelAndPeer(t, { clock });
  peer.request('INVITE', {}, sdpFor());
  await until(() => incoming.length === 1, 'the call');
  const call = incoming[0]!;
  const { ends } = record(call);
  let lives = 0;
  call.onLife = () => lives++;
  const accepted = call.accept(sdpFor());
  const To = (await peer.response(200)).headers.get('to')!;
  peer.request('ACK', { To });
  await accepted;
  for (const [at, status] of [200, 405, 501].entries()) {
    const asked = call.isThere();
    const options = await peer.next('OPTIONS', at);
    assert.match(options.headers.get('to') ?? '', /tag=theirs/);
    peer.answer(options, status);
    assert.deepEqual([await asked, lives], [true, at + 1]);
  }
  // Its own requests within the call show it too.
  peer.request('OPTIONS', { To, CSeq: '2 OPTIONS' });
  await peer.response(200, 1);
  assert.equal(lives, 4);
  const asked = call.isThere();
  await peer.next('OPTIONS', 3);
  await clock.advance(6_000);
  assert.deepEqual([await asked, ends], [false, []]);
  const last = call.isThere();
  await until(
    () => peer.received.filter((one) => one.kind === 'request' && one.core.cseq.number === 5).length > 0,
  );
  const fifth = peer.received.find((one) => one.kind === 'request' && one.core.cseq.number === 5);
  assert.ok(fifth?.kind === 'request');
  peer.answer(fifth, 481);
  assert.deepEqual([await last, ends], [false, [{ cause: 'timeout' }]]);
});

test('should answer INFO within a call with 200 if it has no body or a known one, else with 415', async (t) => {
  const { peer, incoming } = await panelAndPeer(t);
  peer.request('INVITE', {}, sdpFor());
  await until(() => incoming.length === 1, 'the call');
  const call = incoming[0]!;
  const accepted = call.accept(sdpFor());
  const To = (await peer.response(200)).headers.get('to')!;
  peer.request('ACK', { To });
  await accepted;
  const bodies: string[] = [];
  call.onInfo = (type, body) => type !== 'application/x-door' && bodies.push(`${type} ${body}`) > 0;
  let cseq = 1;
  const info = async (type: string, body: string, status: number): Promise<void> => {
    const number = ++cseq;
    peer.request('INFO', { To, CSeq: `${number} INFO`, 'Content-Type': type }, body);
    const answer = () => peer.received.find(({ core }) => core.cseq.number === number);
    await until(() => answer() !== undefined, `an answer to ${type}`);
    const { headers, ...response } = answer()!;
    assert.equal(response.kind === 'response' && response.status, status, type);
    if (status === 415) assert.match(headers.get('accept') ?? '', /application\/dtmf-relay, /);
  };
  await info('application/dtmf-relay', '', 200);
  await info('Application/DTMF-Relay;x=y', 'Signal= 5\r\nDuration=160', 200);
  await info('application/x-door', 'knock', 415);
  assert.deepEqual(bodies, ['application/dtmf-relay Signal= 5\r\nDuration=160']);
  peer.request('INFO', { To: '<sip:panel1@127.0.0.1>;tag=none', CSeq: '9 INFO' }, 'Signal=1');
  await peer.response(481);
});

test('should stop repeating a refusal when its ACK has another branch', async (t) => {
  const clock = new FakeClock();
  const { peer, incoming, agent } = await panelAndPeer(t, { clock });
  peer.request('INVITE', {}, sdpFor());
  await until(() => incoming.length === 1, 'the call');
  await incoming[0]!.reject(488);
  const To = (await peer.response(488)).headers.get('to')!;
  const stranger = await ScriptedPeer.open(t, () => agent.port, '127.0.0.1');
  await clock.advance(500);
  await peer.response(488, 1);
  peer.request('ACK', { To });
  stranger.request('OPTIONS', { 'Call-ID': 'read' });
  await stranger.response(200);
  await clock.advance(20_000);
  assert.equal(peer.seen.filter((what) => what === '488').length, 2);
});
