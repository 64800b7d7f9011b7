import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { type ReceivedRequest, type ReceivedResponse, responseTo, serialise } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import { PanelProof, WINDOW_MS } from './panelProof.ts';

const SENDER = '192.0.2.1';
const SDP = 'v=0\r\nc=IN IP4 192.0.2.1\r\n';
const INVITE = [
  'INVITE sip:192.0.2.2:5060 SIP/2.0',
  'Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1',
  'From: <sip:panel@192.0.2.1>;tag=mine',
  'To: <sip:192.0.2.2:5060>',
  'Call-ID: call-1',
  'CSeq: 1 INVITE',
  'X-Panel-Page: page-1',
  'Contact: <sip:panel@192.0.2.1>',
  'Content-Type: application/sdp',
  `Content-Length: ${SDP.length}`,
  '',
  SDP,
].join('\r\n');

type Received = ReceivedRequest | ReceivedResponse;

function parse(text: string | Buffer): Received {
  const message = parseMessage(Buffer.from(text));
  assert.ok(message.kind !== 'malformed');
  return message;
}

/** A separate panel; its clocks stand still. */
function panel(secret = 'a secret of this house', time = { now: 1_800_000_000_000 }) {
  const clock = new FakeClock();
  return { clock, time, proof: new PanelProof({ secret, clock, timeOfDay: () => time.now }) };
}

/** A signed message as received from the wire. */
function signed(message: Received = parse(INVITE), by = panel().proof): string {
  by.sign(message, SENDER);
  return serialise(message).toString();
}

test('should recognise its own: a request and its answer', () => {
  const { proof } = panel();
  const request = parse(signed());
  assert.equal(proof.holds(request, SENDER), true);
  assert.ok(request.kind === 'request');
  const answer = parse(serialise({ ...responseTo(request, 200, 'theirs'), body: Buffer.from(SDP) }));
  assert.equal(proof.holds(parse(signed(answer)), SENDER), true);
});

test('security: should refuse a proof with another secret, or none', () => {
  const { proof } = panel();
  for (const text of [
    INVITE,
    signed(undefined, panel('another secret of a house').proof),
    signed().replace(/(X-Panel-Proof: \d+ ).*/i, '$1'),
    signed().replace(/(X-Panel-Proof: \d+ ).*/i, `$1${'0'.repeat(64)}`),
    signed().replace(/X-Panel-Proof: .*/i, 'X-Panel-Proof: 1'),
  ])
    assert.equal(proof.holds(parse(text), SENDER), false, text);
});

test('security: should refuse a proof that was made for anything else', () => {
  const good = signed();
  const other = (from: string | RegExp, to: string): string => {
    const changed = good.replace(from, to);
    assert.notEqual(changed, good);
    return changed;
  };
  for (const [what, text] of Object.entries({
    call: other('call-1', 'call-2'),
    number: other('CSeq: 1', 'CSeq: 2'),
    target: other('INVITE sip:192.0.2.2', 'INVITE sip:192.0.2.3'),
    caller: other('tag=mine', 'tag=yours'),
    dialog: other('To: <sip:192.0.2.2:5060>', 'To: <sip:192.0.2.2:5060>;tag=x'),
    page: other('page-1', 'page-2'),
    description: other('c=IN IP4 192.0.2.1', 'c=IN IP4 192.0.2.9'),
    time: other('1800000000', '1800000001'),
  })) {
    const { proof } = panel();
    assert.equal(proof.holds(parse(text), SENDER), false, what);
  }
  assert.equal(panel().proof.holds(parse(good), '192.0.2.7'), false, 'another sender');
});

test('security: should accept a proof once, within five minutes, and none from before its own start', async () => {
  const { proof, clock, time } = panel();
  const good = signed();
  assert.equal(proof.holds(parse(good), SENDER), true);
  assert.equal(proof.holds(parse(good), SENDER), false, 'again');
  const pass = async (milliseconds: number): Promise<void> => {
    time.now += milliseconds;
    await clock.advance(milliseconds);
  };
  const fresh = (text: string): string =>
    signed(parse(INVITE.replace('call-1', text)), panel(undefined, { now: time.now }).proof);
  const [early, late] = [fresh('early'), fresh('late')];
  await pass(WINDOW_MS);
  assert.equal(proof.holds(parse(early), SENDER), true, 'at the end of the window');
  await pass(1_000);
  assert.equal(proof.holds(parse(late), SENDER), false, 'too late');
  assert.equal(proof.holds(parse(early), SENDER), false);
  const future = signed(parse(INVITE), panel(undefined, { now: time.now + WINDOW_MS + 1_000 }).proof);
  assert.equal(proof.holds(parse(future), SENDER), false, 'of the future');
  const before = fresh('before');
  await pass(10_000);
  const restarted = panel(undefined, time).proof;
  assert.equal(restarted.holds(parse(before), SENDER), false, 'of before its start');
});

test('security: should accept no proof rather than forget an accepted one', async () => {
  const { proof, clock } = panel();
  const call = (count: number): Received => parse(signed(parse(INVITE.replace('call-1', `call-${count}`))));
  for (let count = 0; count < 1_000; count++) assert.equal(proof.holds(call(count), SENDER), true);
  assert.equal(proof.holds(call(1_000), SENDER), false);
  assert.equal(proof.holds(call(0), SENDER), false);
  await clock.advance(2 * WINDOW_MS);
  assert.equal(proof.holds(call(1_001), SENDER), true);
});
