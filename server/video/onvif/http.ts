import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../../platform/async.ts';
import { request } from '../../platform/net/nodeHttp.ts';
import { type CameraPlace, openCameraSocket, whenJudged } from '../rtsp/cameraSocket.ts';
import type { CameraAccess } from '../rtsp/cameraUrl.ts';
import { closedByCamera, failureOfSocket, noAnswer } from '../rtsp/failure.ts';

interface HttpCall {
  readonly place: CameraPlace;
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
    socket = openCameraSocket(call.place, call.access);
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

/** The whole of a body. @throws FaceplateError TOO_LARGE */
export async function readBody(message: IncomingMessage, maxBytes: number): Promise<Buffer> {
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

function connected(socket: Socket, { place, access }: HttpCall): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.once('close', () => reject(closedByCamera()));
    whenJudged(socket, place, access, (refusal) => {
      if (refusal === undefined) resolve();
      else reject(refusal);
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
