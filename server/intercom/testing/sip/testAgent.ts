import type { TestContext } from 'node:test';
import { systemClock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import type { CallEnd, IncomingCall, OutgoingCall } from '../../ports.ts';
import { SipAgent } from '../../sip/agent.ts';
import type { SipAgentOptions } from '../../sip/agentOptions.ts';

export const LOOPBACK = '127.0.0.1';

/** A description that every peer accepts: one audio stream at a port where nothing listens. */
export function sdpFor(port = 9, version = 1): string {
  return [
    'v=0',
    `o=- 1 ${version} IN IP4 127.0.0.1`,
    's=-',
    'c=IN IP4 127.0.0.1',
    't=0 0',
    `m=audio ${port} RTP/AVP 0`,
    'a=rtpmap:0 PCMU/8000',
    'a=sendrecv',
    '',
  ].join('\r\n');
}

/** Our agent, and what it reports. */
export interface TestAgent {
  readonly agent: SipAgent;
  readonly incoming: IncomingCall[];
  /** `true` or the error, at each change of the registration. */
  readonly registrations: (true | string | null)[];
}

/** Starts an agent on a free port of loopback; it stops with the test. */
export async function startAgent(t: TestContext, options: Partial<SipAgentOptions> = {}): Promise<TestAgent> {
  const agent = new SipAgent({
    host: LOOPBACK,
    port: 0,
    username: 'panel1',
    deviceName: 'Hall',
    version: '0.0.0',
    registrar: '',
    password: '',
    transport: 'udp',
    mayCall: (address) => address === LOOPBACK,
    clock: systemClock,
    log: silentLogger(),
    ...options,
  });
  const incoming: IncomingCall[] = [];
  const registrations: (true | string | null)[] = [];
  agent.onIncoming = (call) => incoming.push(call);
  agent.onRegistration = (registered, lastError) => registrations.push(registered || lastError);
  await agent.start();
  t.after(async () => {
    const stopped = agent.stop();
    // Does not wait for a remote party that sends no goodbye.
    if (options.clock instanceof FakeClock) await options.clock.advance(5_000);
    await stopped;
  });
  return { agent, incoming, registrations };
}

/** What a call reported, in order. */
export function record(call: OutgoingCall | IncomingCall): {
  readonly told: string[];
  readonly ends: CallEnd[];
} {
  const told: string[] = [];
  const ends: CallEnd[] = [];
  call.onEnd = (end) => {
    ends.push(end);
    told.push(end.cause);
  };
  if ('onProgress' in call) {
    call.onProgress = (status, sdp) => told.push(`${status}${sdp === undefined ? '' : ' sdp'}`);
    call.onAccepted = () => told.push('accepted');
  }
  return { told, ends };
}
