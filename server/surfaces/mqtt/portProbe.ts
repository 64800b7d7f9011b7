import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { isOfTls } from './brokerErrors.ts';
import type { BrokerPlace } from './brokerStream.ts';

/** How long a port may take to answer, in milliseconds. */
const LIMIT_MS = 3_000;
/** First byte of an answer in MQTT: CONNACK. */
const CONNACK = 0x20;
/** CONNECT of 3.1.1 without id, user and will, session clean: nobody's session is touched. */
const PLAIN_CONNECT = Buffer.from([0x10, 12, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 5, 0, 0]);

/**
 * What a port speaks that closed without a word when it was asked the other way: a TLS port that was asked in plain MQTT,
 * or a plain one that was asked in TLS. No secret is sent.
 */
export async function portSpeaks({
  host,
  port,
  isTls,
  isWeb,
}: BrokerPlace): Promise<'tls' | 'mqtt' | undefined> {
  return isTls ? speaksPlain(host, port, isWeb) : speaksTls(host, port);
}

function speaksTls(host: string, port: number): Promise<'tls' | undefined> {
  return new Promise((resolve) => {
    // Verified: only whether it comes so far matters, and nothing is sent then.
    const socket = connectTls({ host, port });
    const end = (answer?: 'tls') => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(end, LIMIT_MS);
    socket.once('secureConnect', () => end('tls'));
    socket.once('error', (error) => end(isOfTls(error) ? 'tls' : undefined));
    socket.once('close', () => end());
  });
}

function speaksPlain(host: string, port: number, isWeb: boolean): Promise<'mqtt' | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (answer?: 'mqtt') => {
      clearTimeout(limit);
      socket.destroy();
      resolve(answer);
    };
    const limit = setTimeout(end, LIMIT_MS);
    socket.once('connect', () =>
      socket.write(isWeb ? `HEAD / HTTP/1.1\r\nHost: ${host}\r\n\r\n` : PLAIN_CONNECT),
    );
    socket.once('data', ([first]) => {
      const isPlain = first === (isWeb ? 'H'.charCodeAt(0) : CONNACK);
      end(isPlain ? 'mqtt' : undefined);
    });
    socket.once('error', () => end());
    socket.once('close', () => end());
  });
}
