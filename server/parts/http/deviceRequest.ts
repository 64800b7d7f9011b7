import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { request as requestHttp } from '../../platform/net/nodeHttp.ts';
import {
  type CertificateTrust,
  connectTls,
  distrustOf,
  distrustSentence,
} from '../../platform/net/trustedTls.ts';
import type { DeviceAnswer, DeviceQuestion, HttpDriver } from './service.ts';

/** Longest head of an answer, in bytes. */
const MAX_HEAD = 16 * 1024;

/** Asks by Node's HTTP client over a connection of its own, to exactly the address that was judged. */
export class DeviceRequest implements HttpDriver {
  readonly #trust: CertificateTrust;

  constructor(trust: CertificateTrust) {
    this.#trust = trust;
  }

  async ask(question: DeviceQuestion, maxBytes: number, signal: AbortSignal): Promise<DeviceAnswer> {
    const socket = await this.#connect(question, signal);
    try {
      const response = await answerOf(question, socket, signal);
      const { statusCode = 0, headersDistinct } = response;
      const headers = Object.entries(headersDistinct).map(([name, values]) => [
        name,
        values?.join(', ') ?? '',
      ]);
      const announced = question.method === 'HEAD' ? 0 : Number(response.headers['content-length'] ?? 0);
      const bytes = announced > maxBytes ? undefined : await bodyOf(response, maxBytes);
      return { status: statusCode, headers: Object.fromEntries(headers), bytes };
    } finally {
      socket.destroy();
    }
  }

  /** @throws FaceplateError HARDWARE_ERROR when its certificate is not trusted */
  async #connect({ url, address }: DeviceQuestion, signal: AbortSignal): Promise<Socket> {
    const isTls = url.protocol === 'https:';
    const port = Number(url.port || (isTls ? 443 : 80));
    if (!isTls) {
      const socket = connect({ host: address, port, noDelay: true });
      return connected(socket, 'connect', signal);
    }
    const host = url.hostname;
    // A certificate has to name what the caller asked for, not the address that replaces it.
    const socket = connectTls(
      { host: address, port, ...(isIP(host) === 0 && { servername: host }) },
      this.#trust,
    );
    await connected(socket, 'secureConnect', signal);
    const distrust = distrustOf(socket, { host, port }, this.#trust);
    if (distrust === undefined) return socket;
    socket.destroy();
    throw new FaceplateError('HARDWARE_ERROR', distrustSentence(distrust));
  }
}

/** @throws the error of the connection, the reason of `signal` */
async function connected(socket: Socket, event: string, signal: AbortSignal): Promise<Socket> {
  try {
    await once(socket, event, { signal });
    // Later ones reach the request.
    socket.on('error', () => {});
    return socket;
  } catch (error) {
    socket.on('error', () => {});
    socket.destroy();
    signal.throwIfAborted();
    throw error;
  }
}

function answerOf(
  { url, method, headers, body }: DeviceQuestion,
  socket: Socket,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = requestHttp(
      {
        createConnection: () => socket,
        method,
        host: url.hostname,
        path: `${url.pathname}${url.search}`,
        headers: {
          'user-agent': 'Faceplate',
          accept: '*/*',
          ...headers,
          host: url.host,
          'accept-encoding': 'identity',
          connection: 'close',
          ...(body !== undefined && { 'content-length': String(body.length) }),
        },
        maxHeaderSize: MAX_HEAD,
        signal,
      },
      resolve,
    );
    // It stays: a connection may also break off while the body is read.
    request.on('error', reject);
    request.once('upgrade', () =>
      reject(new FaceplateError('HARDWARE_ERROR', 'The device wants to speak another protocol.')),
    );
    request.end(body);
  });
}

/** @returns undefined at the first byte too many */
async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
