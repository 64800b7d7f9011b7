import type { TestContext } from 'node:test';
import { systemClock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { freeSipPort } from '../../../testing/sip/ports.ts';
import type { Parsed } from '../../sip/message/parse.ts';
import type { Source } from '../../sip/transport/hop.ts';
import { Transport, type TransportOptions } from '../../sip/transport/transport.ts';

const LOOPBACK = '127.0.0.1';

/** Our transport, and the messages it received. */
interface TestTransport {
  readonly transport: Transport;
  readonly received: { readonly message: Parsed; readonly source: Source }[];
  readonly port: number;
}

/** Starts a transport on a free port of loopback; it stops with the test. */
export async function startTransport(
  t: TestContext,
  options: Partial<TransportOptions> = {},
): Promise<TestTransport> {
  const received: TestTransport['received'] = [];
  const transport = new Transport({
    host: LOOPBACK,
    port: await freeSipPort(),
    clock: systemClock,
    log: silentLogger(),
    accepts: () => true,
    onMessage: (message, source) => received.push({ message, source }),
    onConnectionClosed: () => {},
    ...options,
  });
  await transport.start();
  t.after(() => transport.stop());
  return { transport, received, port: transport.portOf('udp') };
}

/** An INFO as sent over the wire. @param via its top Via */
export const infoRequest = (via: string, body = ''): Buffer =>
  Buffer.from(
    [
      'INFO sip:panel@127.0.0.1 SIP/2.0',
      `Via: ${via}`,
      'From: <sip:a@x>;tag=1',
      'To: <sip:b@y>;tag=2',
      'Call-ID: c',
      'CSeq: 1 INFO',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  );
