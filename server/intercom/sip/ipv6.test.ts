import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import { record, sdpFor, startAgent } from '../testing/sip/testAgent.ts';

/** Containers often have no IPv6. */
const skip = !(networkInterfaces().lo ?? []).some(({ address }) => address === '::1');

test('should call over IPv6, by UDP and by TCP', { skip }, async (t) => {
  for (const transport of ['udp', 'tcp'] as const) {
    const options = { host: '::1', transport, mayCall: (address: string) => address === '::1' };
    const [near, far] = [await startAgent(t, options), await startAgent(t, options)];
    const call = near.agent.call({ kind: 'address', host: '::1', port: far.agent.port }, sdpFor());
    const { told } = record(call);
    await until(() => far.incoming.length === 1, 'the call');
    const { ends } = record(far.incoming[0]!);
    assert.equal(far.incoming[0]!.peer.host, '::1');
    await far.incoming[0]!.accept(sdpFor());
    await until(() => told.includes('accepted'), 'the answer');
    await call.hangup();
    await until(() => ends.length === 1, 'the end');
  }
});

test('should accept IPv4 calls on an address that covers both', { skip }, async (t) => {
  const both = await startAgent(t, { host: '::' });
  const near = await startAgent(t);
  const call = near.agent.call({ kind: 'address', host: '127.0.0.1', port: both.agent.port }, sdpFor());
  const { ends } = record(call);
  await until(() => both.incoming.length === 1, 'the call');
  assert.equal(both.incoming[0]!.peer.host, '127.0.0.1');
  await both.incoming[0]!.reject();
  await until(() => ends.length === 1, 'the refusal');
});
