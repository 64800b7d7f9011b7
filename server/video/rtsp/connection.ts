import type { OnReadOpts, Socket } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { allowsOldTls, openCameraSocket, whenJudged } from './cameraSocket.ts';
import type { CameraAccess } from './cameraUrl.ts';
import {
  asksTooOften,
  closedByCamera,
  doesNotRead,
  failureOfSocket,
  malformed,
  noAnswer,
} from './failure.ts';
import { header, RtspFramer, type RtspRequest, type RtspResponse } from './message.ts';
import type { ChannelKind } from './starts.ts';

const USER_AGENT = 'Faceplate';
const DOLLAR = 0x24;
/** Time limit of the last request before the socket is cut, in milliseconds. */
const GOODBYE_MS = 300;
/** Most bytes that may wait for the camera to read them; our requests have a few hundred. */
const WAITING_LIMIT = 64 * 1024;
/** Most bytes that are read at once; libuv offers as many. A key frame has more. */
const CHUNK_BYTES = 64 * 1024;
/** Most requests of a camera in a second; cameras that send any send one every few seconds. */
const REQUESTS_PER_SECOND = 100;
/** The camera's requests that get an answer; all others get 501. */
const ANSWERED_METHODS = new Set(['OPTIONS', 'ANNOUNCE', 'GET_PARAMETER', 'SET_PARAMETER']);
/** Requests by which the camera ends the session or moves it elsewhere. */
const ENDING_METHODS = new Set(['TEARDOWN', 'REDIRECT']);

interface ConnectionEvents {
  onInterleaved(channel: number, payload: Buffer): void;
  /** What an interleaved channel carries; without it, every channel is known. */
  kindOf?(channel: number): ChannelKind;
  /** Called at the first byte of each run of bytes that are no RTSP. */
  onStray?(): void;
  /** The connection ended without `close` having been called; called at most once. */
  onClosed(error: FaceplateError): void;
}

interface PendingReply {
  readonly method: string;
  readonly timer: NodeJS.Timeout;
  readonly resolve: (response: RtspResponse) => void;
  readonly reject: (error: FaceplateError) => void;
}

/** One TCP connection to a camera: sends requests, matches the answers, passes on interleaved frames. */
export class RtspConnection {
  readonly #events: ConnectionEvents;
  readonly #replyMs: number;
  readonly #access: CameraAccess;
  readonly #framer: RtspFramer;
  readonly #pending = new Map<number, PendingReply>();
  #socket: Socket | undefined;
  #sequence = 0;
  /** The camera's requests of a second, and when it began. */
  #asked = 0;
  #askedSince = Number.NEGATIVE_INFINITY;
  #ended = false;
  /** Waits for the rest of a body. */
  #silence: NodeJS.Timeout | undefined;

  /**
   * @param replyMs time limit of one answer.
   */
  constructor(replyMs: number, access: CameraAccess, events: ConnectionEvents) {
    this.#replyMs = replyMs;
    this.#access = access;
    this.#events = events;
    this.#framer = new RtspFramer({
      onResponse: (response) => this.#onResponse(response),
      onRequest: (request) => this.#onRequest(request),
      onInterleaved: (channel, payload) => {
        if (!this.#ended) events.onInterleaved(channel, payload);
      },
      onStray: () => events.onStray?.(),
      kindOf: (channel) => (events.kindOf === undefined ? 'both' : events.kindOf(channel)),
      awaitsDescription: () => [...this.#pending.values()].some(({ method }) => method === 'DESCRIBE'),
    });
  }

  /**
   * @param isSecure over TLS.
   * @throws FaceplateError CAMERA_UNREACHABLE or CAMERA_TIMEOUT, CAMERA_PROTOCOL if its certificate is not trusted.
   */
  connect(host: string, port: number, limitMs: number, isSecure: boolean): Promise<void> {
    if (this.#ended) return Promise.reject(closedByCamera());
    const place = { host, port, isSecure };
    return new Promise((resolve, reject) => {
      const socket = openCameraSocket(place, this.#access, isSecure ? undefined : this.#oneChunk());
      this.#socket = socket;
      const timer = setTimeout(() => this.#fail(noAnswer('the connection')), limitMs);
      const settle = (error?: FaceplateError): void => {
        clearTimeout(timer);
        if (error === undefined) resolve();
        else reject(error);
      };
      socket.setNoDelay(true);
      whenJudged(socket, place, this.#access, (refusal) => {
        if (refusal === undefined) settle();
        else this.#fail(refusal);
      });
      socket.on('error', (error) => this.#fail(failureOfSocket(error, allowsOldTls(host, this.#access))));
      if (isSecure) socket.on('data', (chunk: Buffer) => this.#onData(chunk));
      socket.once('close', () => {
        this.#read(() => this.#framer.settle());
        this.#fail(this.#refused() ?? closedByCamera());
        settle(this.#failure ?? closedByCamera());
      });
    });
  }

  /** The addresses of both ends. */
  get addresses(): { local: string; remote: string } {
    return { local: this.#socket?.localAddress ?? '', remote: this.#socket?.remoteAddress ?? '' };
  }

  /** Why the connection ended, for the promise that waits for it. */
  #failure: FaceplateError | undefined;

  /** Whether either end has closed it. */
  get isOver(): boolean {
    return this.#ended;
  }

  /** Sends an interleaved frame. */
  sendFrame(channel: number, packet: Buffer): void {
    if (this.#ended) return;
    const head = Buffer.from([DOLLAR, channel, packet.length >> 8, packet.length & 0xff]);
    this.#write(Buffer.concat([head, packet]));
  }

  /**
   * Sends a request and waits for its answer.
   * @param limitMs time limit, where it is shorter than usual
   * @throws FaceplateError CAMERA_TIMEOUT, or the reason that ended the connection.
   */
  request(
    method: string,
    uri: string,
    headers: Readonly<Record<string, string>>,
    limitMs = this.#replyMs,
  ): Promise<RtspResponse> {
    if (this.#ended || this.#socket === undefined) return Promise.reject(this.#failure ?? closedByCamera());
    const sequence = ++this.#sequence;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#pending.delete(sequence);
        reject(this.#refused() ?? noAnswer(method));
      }, limitMs);
      this.#pending.set(sequence, { method, timer, resolve, reject });
      this.#write(formatRequest(method, uri, sequence, headers));
    });
  }

  /** Ends the connection, with a last request (TEARDOWN) if one is given; resolves when the socket is gone. */
  async close(farewell?: {
    method: string;
    uri: string;
    headers: Readonly<Record<string, string>>;
  }): Promise<void> {
    const socket = this.#socket;
    clearTimeout(this.#silence);
    if (!this.#ended) {
      this.#ended = true;
      this.#rejectAll(closedByCamera());
      const last =
        farewell && formatRequest(farewell.method, farewell.uri, ++this.#sequence, farewell.headers);
      if (last !== undefined && this.#write(last)) socket?.end();
      else socket?.destroy();
    }
    if (socket === undefined || socket.closed) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => socket.destroy(), GOODBYE_MS);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /**
   * All writes to the camera go through here: a camera that does not read is cut off before more than WAITING_LIMIT
   * bytes wait.
   * @returns whether it was written.
   */
  #write(text: string | Buffer): boolean {
    const socket = this.#socket;
    if (socket === undefined || !socket.writable) return false;
    if (socket.writableLength + text.length > WAITING_LIMIT) {
      this.#fail(doesNotRead());
      return false;
    }
    socket.write(text);
    return true;
  }

  /**
   * Memory for every chunk in turn, without Node's stream in between: a new buffer for each would be work for the garbage
   * collector. Over TLS, Node makes the buffers.
   */
  #oneChunk(): OnReadOpts {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const callback = (length: number): boolean => {
      this.#onData(buffer.subarray(0, length));
      return true;
    };
    return { buffer, callback };
  }

  #onData(chunk: Buffer): void {
    this.#read(() => this.#framer.push(chunk));
    const { patience } = this.#framer;
    if (this.#silence !== undefined) clearTimeout(this.#silence);
    this.#silence =
      patience === undefined || this.#ended
        ? undefined
        : setTimeout(() => this.#read(() => this.#framer.settle()), patience);
  }

  #read(run: () => void): void {
    if (this.#ended) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      this.#fail(error);
    }
  }

  /** The error of a camera that has sent only bytes that are no RTSP. */
  #refused(): FaceplateError | undefined {
    const { refusal } = this.#framer;
    return refusal === undefined ? undefined : malformed(refusal);
  }

  #onResponse(response: RtspResponse): void {
    const given = header(response.headers, 'cseq');
    // A camera that omits CSeq answers in order.
    const sequence = given === undefined ? this.#pending.keys().next().value : Number.parseInt(given, 10);
    const pending = sequence === undefined ? undefined : this.#pending.get(sequence);
    if (sequence === undefined || pending === undefined) return;
    // 1xx announces that the real answer follows.
    if (response.status < 200) return;
    this.#pending.delete(sequence);
    clearTimeout(pending.timer);
    pending.resolve(response);
  }

  #onRequest(request: RtspRequest): void {
    // What a chunk still holds when the connection has failed.
    if (this.#ended) return;
    const now = performance.now();
    if (now - this.#askedSince >= 1_000) {
      this.#askedSince = now;
      this.#asked = 0;
    }
    if (++this.#asked > REQUESTS_PER_SECOND) {
      this.#fail(asksTooOften());
      return;
    }
    const sequence = header(request.headers, 'cseq') ?? '0';
    const ends = ENDING_METHODS.has(request.method);
    const status = ends || ANSWERED_METHODS.has(request.method) ? '200 OK' : '501 Not Implemented';
    const methods = request.method === 'OPTIONS' ? `Public: ${[...ANSWERED_METHODS].join(', ')}\r\n` : '';
    if (/^\d{1,10}$/.test(sequence)) this.#write(`RTSP/1.0 ${status}\r\nCSeq: ${sequence}\r\n${methods}\r\n`);
    if (ends) this.#fail(closedByCamera());
  }

  #fail(error: FaceplateError): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#silence);
    this.#failure = error;
    this.#socket?.destroy();
    this.#rejectAll(error);
    this.#events.onClosed(error);
  }

  #rejectAll(error: FaceplateError): void {
    for (const pending of this.#pending.values()) {
      clearTimeout(pending.timer);
      pending.reject(error);
    }
    this.#pending.clear();
  }
}

function formatRequest(
  method: string,
  uri: string,
  sequence: number,
  headers: Readonly<Record<string, string>>,
): string {
  const lines = [`${method} ${uri} RTSP/1.0`, `CSeq: ${sequence}`, `User-Agent: ${USER_AGENT}`];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}
