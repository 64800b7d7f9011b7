import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import { connectTls } from '../../platform/net/trustedTls.ts';
import { type CameraAccess, hostKey } from '../rtsp/cameraUrl.ts';
import { cameraDistrust, isThisMachine } from '../rtsp/connection.ts';
import { closedByCamera, failureOfSocket, forbiddenTarget, noAnswer } from '../rtsp/failure.ts';

/** Where a request of HTTP goes. */
export interface HttpPlace {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
}

interface HttpCall {
  readonly place: HttpPlace;
  readonly access: CameraAccess;
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds for all of it, the last byte included. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The challenges of a 401. */
  readonly challenges: readonly string[];
  readonly body: Buffer;
}

/**
 * Asks a camera over HTTP, on a connection of its own, and reads the answer with a reader of the caller. Redirects are not
 * followed, and the panel's own port is never asked.
 * @param read takes the answer; what it returns ends the call
 * @throws FaceplateError CAMERA_UNREACHABLE, CAMERA_TIMEOUT, CAMERA_PROTOCOL, FORBIDDEN; what `read` throws; the reason of `signal`
 */
export async function callCamera<T>(
  call: HttpCall,
  read: (answer: IncomingMessage) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(noAnswer('HTTP')), call.timeoutMs);
  const signal = AbortSignal.any([call.signal, deadline.signal]);
  let socket: Socket | undefined;
  try {
    signal.throwIfAborted();
    socket = openSocket(call);
    const connection = socket;
    return await unlessAborted(
      connected(connection, call).then(async () => read(await answerOn(connection, call))),
      signal,
    );
  } catch (error) {
    if (error instanceof FaceplateError || signal.aborted) throw error;
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code.startsWith('HPE_'))
      throw new FaceplateError('CAMERA_PROTOCOL', 'The camera does not speak HTTP there.');
    throw code === 'ECONNRESET' || code === '' ? closedByCamera() : failureOfSocket(error as Error);
  } finally {
    clearTimeout(timer);
    socket?.destroy();
  }
}

/** The same, with the whole answer in memory. @param maxBytes of the body @throws FaceplateError TOO_LARGE too */
export function askCamera(call: HttpCall, maxBytes: number): Promise<HttpAnswer> {
  return callCamera(call, async (message) => ({
    status: message.statusCode ?? 0,
    headers: message.headers,
    challenges: message.headersDistinct['www-authenticate'] ?? [],
    body: await readBody(message, maxBytes),
  }));
}

async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () =>
    new FaceplateError(
      'TOO_LARGE',
      `The camera's answer is larger than ${Math.floor(maxBytes / 2 ** 20)} MiB.`,
    );
  if (Number(message.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function openSocket({ place, access }: HttpCall): Socket {
  const { host, port, isSecure } = place;
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const options = { host: address, port, autoSelectFamily: isIP(address) === 0 };
  if (!isSecure) return connect(options);
  const allowsOld = access.oldTlsHosts().some((other) => hostKey(other) === hostKey(host));
  return connectTls(options, access.certificates, allowsOld);
}

function connected(socket: Socket, { place, access }: HttpCall): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('close', () => reject(closedByCamera()));
    socket.once('connect', () => {
      if (socket.remotePort === access.ownPort() && isThisMachine(socket)) reject(forbiddenTarget());
      else if (!place.isSecure) resolve();
    });
    socket.once('secureConnect', () => {
      const distrust = cameraDistrust(socket as TLSSocket, place, access.certificates);
      if (distrust === undefined) resolve();
      else reject(distrust);
    });
  });
}

function answerOn(
  socket: Socket,
  { place, method, path, headers, body }: HttpCall,
): Promise<IncomingMessage> {
  const { host, port, isSecure } = place;
  const isUsual = port === (isSecure ? 443 : 80);
  return new Promise((resolve, reject) => {
    request(
      {
        createConnection: () => socket,
        method,
        path,
        setHost: false,
        headers: {
          Host: isUsual ? host : `${host}:${port}`,
          'User-Agent': 'Faceplate',
          Connection: 'close',
          ...headers,
          ...(body !== undefined && { 'Content-Length': String(Buffer.byteLength(body)) }),
        },
      },
      resolve,
    )
      .on('error', reject)
      .end(body);
  });
}
