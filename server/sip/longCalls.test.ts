import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { until } from '../testing/scriptedCamera.ts';
import { LOOPBACK, record, sdpFor, startAgent } from './testing/testAgent.ts';
import { makeOwnCertificate } from './transport/ownCertificate.ts';
import type { TlsTrust } from './transport/tlsTrust.ts';

const QUARTER_HOUR_MS = 15 * 60_000;
const everybody: TlsTrust = { judge: () => 'trusted', onTrusted: () => () => {} };

test('should keep the connection of a call over TLS while the call lasts, and no longer', async (t) => {
  const [nearClock, farClock] = [new FakeClock(), new FakeClock()];
  const identity = () => makeOwnCertificate('Hall');
  // Only the caller trusts the other one: without the connection the called one could not say goodbye.
  const near = await startAgent(t, { transport: 'tls', identity, trust: everybody, clock: nearClock });
  const far = await startAgent(t, { transport: 'tls', identity, clock: farClock });
  const call = near.agent.call({ kind: 'address', host: LOOPBACK, port: far.agent.tlsPort! }, sdpFor());
  const { told, ends } = record(call);
  await until(() => far.incoming.length === 1, 'the call');
  const accepted = far.incoming[0]!.accept(sdpFor());
  await until(() => told.includes('accepted'), 'the answer');
  await accepted;

  // Short of the first refresh of the session.
  await Promise.all([nearClock.advance(QUARTER_HOUR_MS - 1), farClock.advance(QUARTER_HOUR_MS - 1)]);
  const goodbye = far.incoming[0]!.hangup();
  await until(() => ends.length === 1, 'the goodbye');
  assert.deepEqual(ends, [{ cause: 'bye' }]);
  await goodbye;

  await Promise.all([nearClock.advance(QUARTER_HOUR_MS), farClock.advance(QUARTER_HOUR_MS)]);
  await until(() => nearClock.pending === 0 && farClock.pending === 0, 'the end of the connection');
});
