import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { makeOwnCertificate } from '../../platform/tls/ownCertificate.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import type { OutgoingCall } from '../ports.ts';
import { ScriptedPeer } from '../testing/sip/scriptedPeer.ts';
import { LOOPBACK, record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';
import { startTransport } from '../testing/sip/testTransport.ts';
import { type ReceivedRequest, responseTo, serialise } from './message/message.ts';
import { replyHop, type Source } from './transport/hop.ts';
import type { TlsTrust } from './transport/tlsTrust.ts';

const QUARTER_HOUR_MS = 15 * 60_000;
const everybody: TlsTrust = { judge: () => 'trusted', onTrusted: () => () => {} };

test('should keep the connection of a call over TLS while the call lasts, and no longer', async (t) => {
  const [nearClock, farClock] = [new FakeClock(), new FakeClock()];
  const identity = () => makeOwnCertificate('Hall');
  // Only the caller trusts the other: without this connection the callee could not send BYE.
  const near = await startAgent(t, { transport: 'tls', identity, trust: everybody, clock: nearClock });
  const far = await startAgent(t, { transport: 'tls', identity, clock: farClock });
  const call = near.agent.call({ kind: 'address', host: LOOPBACK, port: far.agent.tlsPort! }, sdpFor());
  const { told, ends } = record(call);
  await until(() => far.incoming.length === 1, 'the call');
  const accepted = far.incoming[0]!.accept(sdpFor());
  await until(() => told.includes('accepted'), 'the answer');
  await accepted;

  // Just before the first refresh of the session.
  await Promise.all([nearClock.advance(QUARTER_HOUR_MS - 1), farClock.advance(QUARTER_HOUR_MS - 1)]);
  const goodbye = far.incoming[0]!.hangup();
  await until(() => ends.length === 1, 'the goodbye');
  assert.deepEqual(ends, [{ cause: 'bye' }]);
  await goodbye;

  await Promise.all([nearClock.advance(QUARTER_HOUR_MS), farClock.advance(QUARTER_HOUR_MS)]);
  await until(() => nearClock.pending === 0 && farClock.pending === 0, 'the end of the connection');
});

interface Calling {
  readonly call: OutgoingCall;
  readonly told: readonly string[];
  readonly ends: readonly unknown[];
  /** The messages that the remote party got over TLS. */
  readonly methods: () => string[];
  answer(status: number, fields: Readonly<Record<string, string>>, body?: string): Promise<void>;
  /** The remote party closes the connection. */
  cut(): void;
  /** An address without TLS that the remote party may name. */
  readonly clear: ScriptedPeer;
}

/** Our call has arrived over TLS at a remote party whose answers the test writes. */
async function calling(t: TestContext): Promise<Calling> {
  const identity = () => makeOwnCertificate('Door');
  const far = await startTransport(t, { identity });
  const { agent } = await startAgent(t, { transport: 'tls', trust: everybody });
  const clear = await ScriptedPeer.open(t, () => agent.port);
  const port = far.transport.portOf('tls');
  const call = agent.call({ kind: 'address', host: LOOPBACK, port }, sdpFor());
  const { told, ends } = record(call);
  await until(() => far.received.length === 1, 'the call');
  const { message, source } = far.received[0] as { message: ReceivedRequest; source: Source };
  return {
    call,
    told,
    ends,
    clear,
    methods: () => far.received.flatMap((one) => (one.message.kind === 'request' ? one.message.method : [])),
    answer: (status, fields, body = '') => {
      const response = { ...responseTo(message, status, 'theirs'), body: Buffer.from(body) };
      if (body !== '') response.headers.set('content-type', 'application/sdp');
      for (const [name, value] of Object.entries(fields)) response.headers.set(name, value);
      return far.transport.send(serialise(response), replyHop(source, message.core.via));
    },
    cut: () => source.connection?.destroy(),
  };
}

test('security: should not follow a redirection out of TLS, where others could read the keys', async (t) => {
  const { answer, ends, clear } = await calling(t);
  await answer(302, { contact: clear.contact });
  await until(() => ends.length === 1, 'the end');
  assert.deepEqual([ends, clear.seen], [[{ cause: 'refused', status: 302, reason: 'Failure' }], []]);
});

test('security: should send no keys or digits unencrypted in a call over TLS', async (t) => {
  const { call, told, methods, answer, cut, clear } = await calling(t);
  await answer(200, { contact: clear.contact.replace('>', ';transport=udp>') }, sdpFor());
  await until(() => told.includes('accepted') && methods().includes('ACK'), 'the acknowledgement');
  cut();
  await assert.rejects(call.sendInfo('application/dtmf-relay', 'Signal=1'), { code: 'CONFLICT' });
  await call.hangup();
  // A message without secrets may go where the remote party wants it.
  await clear.next('BYE');
  assert.deepEqual(clear.seen, ['BYE']);
});

test('should give a SIPS Contact in a dialog of SIPS addresses (RFC 3261 section 12.1.1), and no other', async (t) => {
  const identity = () => makeOwnCertificate('Hall');
  const panel = await startAgent(t, { identity });
  const caller = await startTransport(t, { trust: everybody });
  const hop = { protocol: 'tls', host: LOOPBACK, port: panel.agent.tlsPort! } as const;
  const contactFor = async (callId: string, uri: string, contact: string): Promise<string> => {
    const before = panel.incoming.length;
    const head = [
      `INVITE ${uri} SIP/2.0`,
      `Via: SIP/2.0/TLS 127.0.0.1:${caller.transport.portOf('tls')};branch=z9hG4bK-${callId}`,
      'From: <sips:door@127.0.0.1>;tag=theirs',
      `To: <${uri}>`,
      `Call-ID: ${callId}`,
      'CSeq: 1 INVITE',
      `Contact: <${contact}>`,
      'Content-Length: 0',
    ];
    await caller.transport.send(Buffer.from(`${head.join('\r\n')}\r\n\r\n`), hop);
    await until(() => panel.incoming.length > before, 'the call');
    await panel.incoming[before]!.ring();
    const ringing = () =>
      caller.received.find(
        ({ message }) =>
          message.kind === 'response' && message.status === 180 && message.core.callId === callId,
      )?.message;
    await until(() => ringing() !== undefined, 'the ringing');
    const message = ringing()!;
    return message.kind === 'response' ? message.headers.get('contact')! : '';
  };
  const address = `panel1@127.0.0.1:${panel.agent.tlsPort}`;
  assert.equal(await contactFor('1', 'sips:panel@127.0.0.1', 'sips:door@127.0.0.1'), `<sips:${address}>`);
  assert.equal(await contactFor('2', 'sip:panel@127.0.0.1', 'sips:door@127.0.0.1'), `<sips:${address}>`);
  assert.equal(
    await contactFor('3', 'sip:panel@127.0.0.1', 'sip:door@127.0.0.1;transport=tls'),
    `<sip:${address};transport=tls>`,
  );
});
