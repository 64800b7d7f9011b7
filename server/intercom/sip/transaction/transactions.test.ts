import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { Headers } from '../message/headers.ts';
import { NO_BODY, type ReceivedRequest, responseTo, type SipRequest, serialise } from '../message/message.ts';
import { parseMessage } from '../message/parse.ts';
import type { Hop, Source } from '../transport/hop.ts';
import type { Protocol } from '../transport/protocol.ts';
import { TransactionLayer } from './layer.ts';
import type { ServerTransaction } from './serverTransaction.ts';

/** Everything that a transaction sends, with its time. */
class RecordedTransport {
  readonly sent: { at: number; what: string; data: Buffer; hop: Hop }[] = [];
  readonly #clock: FakeClock;
  failure: Error | undefined;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  async via({ protocol }: Hop, branch: string) {
    return {
      transport: protocol.toUpperCase(),
      host: '192.0.2.40',
      port: 5060,
      params: new Map([['branch', branch]]),
    };
  }

  /** Large requests go here first. */
  overTcp: Hop | undefined;
  readonly withoutTcp: number[] = [];

  async fitting(hop: Hop) {
    return this.overTcp ?? hop;
  }

  noteWithoutTcp({ port }: Hop) {
    this.withoutTcp.push(port);
  }

  async send(data: Buffer, hop: Hop) {
    if (this.failure !== undefined) throw this.failure;
    const [first, second] = data.toString().split('\r\n')[0]!.split(' ');
    this.sent.push({
      at: this.#clock.now() - 1_000,
      what: first === 'SIP/2.0' ? second! : first!,
      data,
      hop,
    });
  }

  times(what: string): number[] {
    return this.sent.filter((entry) => entry.what === what).map((entry) => entry.at);
  }
}

let clock: FakeClock;
let wire: RecordedTransport;
let layer: TransactionLayer;
let requests: ServerTransaction[];
let acks: ReceivedRequest[];
let strays: number[];
let told: string[];

beforeEach(() => {
  clock = new FakeClock();
  wire = new RecordedTransport(clock);
  requests = [];
  acks = [];
  strays = [];
  told = [];
  layer = new TransactionLayer({
    clock,
    transport: wire,
    events: {
      onRequest: (transaction) => requests.push(transaction),
      onAck: (ack) => acks.push(ack),
      onStrayResponse: ({ status }) => strays.push(status),
    },
  });
});

const place = (protocol: Protocol, host = '192.0.2.9'): Hop & Source => ({
  protocol,
  host,
  port: 5060,
  connection: undefined,
});

function outgoing(method: string): SipRequest {
  const headers = Headers.of([
    ['From', '<sip:panel@192.0.2.40>;tag=mine'],
    ['To', '<sip:door@192.0.2.9>'],
    ['Call-ID', 'call-1'],
    ['CSeq', `1 ${method}`],
    ['Route', '<sip:proxy.example.org;lr>'],
  ]);
  return { kind: 'request', method, uri: 'sip:door@192.0.2.9', headers, body: NO_BODY };
}

function begin(method: string, protocol: Protocol) {
  return layer.request(outgoing(method), place(protocol), {
    onResponse: ({ status }) => told.push(String(status)),
    onFailure: (cause) => told.push(cause),
  });
}

/** The remote party answers the first request. */
function answer(status: number, toTag = 'theirs'): void {
  const request = parseMessage(wire.sent[0]!.data);
  assert.ok(request.kind === 'request');
  const response = parseMessage(serialise(responseTo(request, status, toTag)));
  assert.ok(response.kind === 'response');
  layer.receiveResponse(response, place('udp'));
}

function incoming(
  method: string,
  options: { branch?: string; from?: Source; cseq?: number; to?: string } = {},
): void {
  const { branch = 'z9hG4bK-theirs', from = place('udp'), cseq = 1, to = '<sip:panel@192.0.2.40>' } = options;
  const text = [
    `${method} sip:panel@192.0.2.40 SIP/2.0`,
    `Via: SIP/2.0/${from.protocol.toUpperCase()} 192.0.2.9;branch=${branch}`,
    'From: <sip:door@192.0.2.9>;tag=d',
    `To: ${to}`,
    'Call-ID: call-2',
    `CSeq: ${cseq} ${method}`,
    '',
    '',
  ].join('\r\n');
  const request = parseMessage(Buffer.from(text));
  assert.ok(request.kind === 'request');
  layer.receiveRequest(request, from);
}

describe('client transactions (RFC 3261 section 17.1)', () => {
  it('should repeat an INVITE after T1, 2 T1, 4 T1 ... and give up after 64 T1 (timers A and B)', async () => {
    begin('INVITE', 'udp');
    await clock.advance(40_000);
    assert.deepEqual(wire.times('INVITE'), [0, 500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    assert.deepEqual(told, ['timeout']);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should not repeat an INVITE over TCP, but still give up (timer B)', async () => {
    begin('INVITE', 'tcp');
    await clock.advance(31_999);
    assert.deepEqual([wire.times('INVITE'), told], [[0], []]);
    await clock.advance(1);
    assert.deepEqual(told, ['timeout']);
  });

  it('should stop repeating an INVITE and wait without limit after a provisional response', async () => {
    begin('INVITE', 'udp');
    await clock.advance(600);
    answer(180);
    await clock.advance(120_000);
    assert.deepEqual([wire.times('INVITE'), told], [[0, 500], ['180']]);
  });

  it('should acknowledge each repetition of a refusal for 32 s, and report it once (timer D)', async () => {
    begin('INVITE', 'udp');
    await clock.advance(100);
    for (let count = 0; count < 3; count++) answer(486);
    await clock.advance(0);
    assert.deepEqual([wire.times('ACK').length, told], [3, ['486']]);
    const ack = wire.sent.at(-1)!.data.toString();
    const branch = /branch=(\S+)/.exec(wire.sent[0]!.data.toString())![1]!;
    assert.match(ack, /^ACK sip:door@192\.0\.2\.9 SIP\/2\.0\r\n/);
    assert.ok(
      ack.includes(`branch=${branch}\r\n`) && ack.includes('To: <sip:door@192.0.2.9>;tag=theirs\r\n'),
    );
    assert.ok(ack.includes('CSeq: 1 ACK\r\n') && ack.includes('Route: <sip:proxy.example.org;lr>\r\n'));
    await clock.advance(31_999);
    assert.equal(layer.size, 1);
    await clock.advance(1);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should end at once after a refusal over TCP', async () => {
    begin('INVITE', 'tcp');
    await clock.advance(100);
    answer(486);
    await clock.advance(1);
    assert.deepEqual([wire.times('ACK').length, layer.size], [1, 0]);
  });

  it('should pass on every 2xx of every branch for 64 T1 and acknowledge none itself (RFC 6026, timer M)', async () => {
    begin('INVITE', 'udp');
    await clock.advance(100);
    answer(200, 'one');
    answer(200, 'two');
    await clock.advance(31_000);
    answer(200, 'one');
    assert.deepEqual([told, wire.times('ACK')], [['200', '200', '200'], []]);
    await clock.advance(1_000);
    assert.equal(layer.size, 0);
    answer(200, 'one');
    assert.deepEqual(strays, [200]);
  });

  it('should repeat another request after T1 up to every T2, also after a provisional one (timers E and F)', async () => {
    begin('OPTIONS', 'udp');
    await clock.advance(40_000);
    assert.deepEqual(
      wire.times('OPTIONS'),
      [0, 500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500],
    );
    assert.deepEqual(told, ['timeout']);
    assert.equal(clock.pending, 0);
  });

  it('should repeat every T2 after a provisional response', async () => {
    begin('REGISTER', 'udp');
    await clock.advance(600);
    answer(100);
    await clock.advance(9_000);
    assert.deepEqual(wire.times('REGISTER'), [0, 500, 1_500, 5_500, 9_500]);
  });

  it('should accept repetitions of the final response for T4 (timer K)', async () => {
    begin('BYE', 'udp');
    await clock.advance(10);
    answer(200);
    answer(200);
    assert.deepEqual(told, ['200']);
    await clock.advance(4_999);
    assert.equal(layer.size, 1);
    await clock.advance(1);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should report at once what the network refuses', async () => {
    wire.failure = new Error('ECONNREFUSED');
    begin('INVITE', 'udp');
    await clock.advance(0);
    assert.deepEqual([told, layer.size, clock.pending], [['transport'], 0, 0]);
  });

  it('should hold at most 500 at a time', async () => {
    for (let count = 0; count < 502; count++) begin('OPTIONS', 'udp');
    await clock.advance(1);
    assert.deepEqual([layer.size, told], [500, ['transport', 'transport']]);
  });
});

describe('server transactions (RFC 3261 section 17.2)', () => {
  it('should send 100 after 200 ms without an answer, and answer repetitions with the last response', async () => {
    incoming('INVITE');
    await clock.advance(199);
    assert.deepEqual(wire.times('100'), []);
    await clock.advance(1);
    assert.deepEqual(wire.times('100'), [200]);
    requests[0]!.respond(responseTo(requests[0]!.request, 180, 'mine'));
    incoming('INVITE');
    assert.deepEqual([requests.length, wire.times('180').length], [1, 2]);
  });

  it('should repeat a refusal up to every T2 until the ACK, then wait T4 (timers G, H and I)', async () => {
    incoming('INVITE');
    requests[0]!.respond(responseTo(requests[0]!.request, 486, 'mine'));
    await clock.advance(8_000);
    assert.deepEqual(wire.times('486'), [0, 500, 1_500, 3_500, 7_500]);
    incoming('ACK');
    await clock.advance(4_999);
    assert.deepEqual([wire.times('486').length, layer.size, acks], [5, 1, []]);
    await clock.advance(1);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should give up a refusal that nobody acknowledges after 64 T1 (timer H), repeating nothing over TCP', async () => {
    incoming('INVITE', { from: place('tcp') });
    requests[0]!.respond(responseTo(requests[0]!.request, 486, 'mine'));
    await clock.advance(31_999);
    assert.deepEqual([wire.times('486'), layer.size], [[0], 1]);
    await clock.advance(1);
    assert.equal(layer.size, 0);
  });

  it('should ignore repetitions of an INVITE for 64 T1 after a 2xx and pass on its ACK (RFC 6026, timer L)', async () => {
    incoming('INVITE');
    requests[0]!.respond(responseTo(requests[0]!.request, 200, 'mine'));
    incoming('INVITE');
    incoming('ACK', { branch: 'z9hG4bK-ack', to: '<sip:panel@192.0.2.40>;tag=mine' });
    assert.deepEqual([requests.length, wire.times('200').length, acks.length], [1, 1, 1]);
    requests[0]!.respond(responseTo(requests[0]!.request, 200, 'mine'));
    assert.equal(wire.times('200').length, 2);
    await clock.advance(32_000);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should answer repetitions of other requests for 64 T1 (timer J)', async () => {
    incoming('BYE');
    requests[0]!.respond(responseTo(requests[0]!.request, 200, 'mine'));
    await clock.advance(31_999);
    incoming('BYE');
    assert.deepEqual([requests.length, wire.times('200').length], [1, 2]);
    await clock.advance(1);
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });

  it('should answer a CANCEL with 200 and report it while the INVITE waits, 481 without an INVITE (section 9.2)', async () => {
    incoming('INVITE');
    let cancels = 0;
    requests[0]!.onCancel = () => cancels++;
    incoming('CANCEL');
    incoming('CANCEL');
    assert.deepEqual([cancels, wire.times('200').length, requests.length], [1, 2, 1]);
    incoming('CANCEL', { branch: 'z9hG4bK-other' });
    assert.equal(wire.times('481').length, 1);
    requests[0]!.respond(responseTo(requests[0]!.request, 486, 'mine'));
    incoming('CANCEL', { cseq: 1 });
    assert.equal(cancels, 1);
  });

  it('security: should not accept a CANCEL or an ACK from another address, whatever its branch', async () => {
    incoming('INVITE');
    requests[0]!.onCancel = () => assert.fail('cancelled by a stranger');
    const stranger = place('udp', '203.0.113.66');
    incoming('CANCEL', { from: stranger });
    assert.equal(wire.sent.length, 0);
    requests[0]!.respond(responseTo(requests[0]!.request, 486, 'mine'));
    incoming('ACK', { from: stranger });
    await clock.advance(500);
    assert.equal(wire.times('486').length, 2);
  });

  it('should refuse the same INVITE over a second path (section 8.2.2.2)', () => {
    incoming('INVITE');
    incoming('INVITE', { branch: 'z9hG4bK-second-way' });
    assert.deepEqual([requests.length, wire.times('482').length], [1, 1]);
  });

  it('should distinguish requests of RFC 2543 by all their fields', async () => {
    incoming('INVITE', { branch: '1' });
    incoming('INVITE', { branch: '1' });
    requests[0]!.respond(responseTo(requests[0]!.request, 486, 'mine'));
    incoming('ACK', { branch: '1', to: '<sip:panel@192.0.2.40>;tag=mine' });
    await clock.advance(600);
    assert.deepEqual([requests.length, wire.times('486').length], [1, 1]);
  });

  it('should treat an empty branch of this RFC like one of RFC 2543 (RFC 4475 section 3.2.1)', () => {
    incoming('BYE', { branch: 'z9hG4bK', cseq: 1 });
    incoming('BYE', { branch: 'z9hG4bK', cseq: 2 });
    assert.equal(requests.length, 2);
  });

  it('security: should hold at most 500 at a time and answer no more', async () => {
    for (let count = 0; count < 600; count++)
      incoming('OPTIONS', { branch: `z9hG4bK-${count}`, cseq: count });
    assert.equal(requests.length, 500);
    assert.equal(layer.size, 500);
    layer.stop();
    assert.deepEqual([layer.size, clock.pending], [0, 0]);
  });
});

it('should send a large request over UDP when nothing answers it over TCP, or the connection breaks', async () => {
  for (const isCut of [false, true]) {
    wire.sent.length = 0;
    wire.overTcp = place('tcp');
    const invite = begin('INVITE', 'udp');
    await clock.advance(isCut ? 100 : 1_999);
    assert.deepEqual(
      wire.sent.map(({ hop }) => hop.protocol),
      ['tcp'],
    );
    if (isCut) invite.connectionLost();
    await clock.advance(isCut ? 499 : 1);
    assert.deepEqual(
      wire.sent.map(({ hop }) => hop.protocol),
      ['tcp', 'udp'],
    );
    const [first, second] = wire.sent.map(({ data }) => /^Via: (\S+) .*?(branch=\w+)/m.exec(data.toString()));
    assert.deepEqual([first![1], second![1], first![2]], ['SIP/2.0/TCP', 'SIP/2.0/UDP', second![2]]);
    // From here on like any other over UDP.
    await clock.advance(500);
    assert.equal(wire.sent.length, 3);
    answer(486);
    assert.deepEqual(told.splice(0), ['486']);
  }
  assert.deepEqual(wire.withoutTcp, [5060, 5060]);
});

it('should stay with TCP for a large request once there is any answer', async () => {
  wire.overTcp = place('tcp');
  begin('INVITE', 'udp');
  await clock.advance(1_000);
  answer(100);
  await clock.advance(30_000);
  assert.deepEqual(
    wire.sent.map(({ hop }) => hop.protocol),
    ['tcp'],
  );
});
