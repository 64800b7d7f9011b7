import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Dialogue, Peer } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { LONGEST_LIVE_MESSAGE } from '../../kiosk/live/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import { END_MS } from '../../platform/net/connections.ts';
import type { EndReason, OpenStreams } from './eventStream.ts';
import { firstBytes, wantsSocket } from './listener.ts';

/** What ends the listening of `hearEnd`. */
const listening = new WeakMap<IncomingMessage, () => void>();

/**
 * Notices when a client hangs up whose handshake waits for its answer: nothing else reads its connection, and an end that
 * is not read goes unnoticed. What it sends meanwhile is buffered for the dialogue.
 */
export function hearEnd(request: IncomingMessage): void {
  const { socket } = request;
  const keep = (bytes: Buffer) => {
    const head = Buffer.concat([firstBytes.get(request) ?? Buffer.alloc(0), bytes]);
    firstBytes.set(request, head);
    if (head.length > LONGEST_LIVE_MESSAGE) socket.destroy();
  };
  const end = () => socket.destroy();
  socket.on('data', keep).once('end', end);
  listening.set(request, () => socket.off('data', keep).off('end', end));
}

/** The token among the subprotocols: browsers cannot send another header with a WebSocket. */
export function tokenOfProtocols({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  if (!wantsSocket({ headers })) return undefined;
  return /(?:^|,) *bearer\.([^\s,]+) *(?:,|$)/.exec(headers['sec-websocket-protocol'] ?? '')?.[1];
}

/** @throws FaceplateError INVALID_REQUEST for a request that is no handshake of a WebSocket, or has a token in its URL */
export function mustWantSocket(request: FastifyRequest): void {
  if ('access_token' in (request.query as object))
    throw new FaceplateError('INVALID_REQUEST', 'A token does not belong in a URL, where logs keep it.', {
      field: 'access_token',
    });
  const { 'sec-websocket-key': key, 'sec-websocket-version': version } = request.headers;
  if (!wantsSocket(request.raw) || !/^[+/0-9A-Za-z]{22}==$/.test(key ?? '') || version !== '13')
    throw new FaceplateError('INVALID_REQUEST', 'This address is a WebSocket (RFC 6455, version 13).');
}

interface ConverseOptions {
  readonly protocol: string;
  readonly streams: OpenStreams;
  readonly clock: Clock;
}

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: LONGEST_LIVE_MESSAGE,
  // JPEG does not get smaller, and a bomb must not get larger.
  perMessageDeflate: false,
  clientTracking: false,
  // The types do not know it.
  ...{ closeTimeout: END_MS },
});

/** Answers the handshake and lets the dialogue run until either side ends it. */
export function converse(
  request: FastifyRequest,
  reply: FastifyReply,
  dialogue: Dialogue,
  { protocol, streams, clock }: ConverseOptions,
): void {
  const { raw } = request;
  const { socket } = raw;
  reply.hijack();
  reply.raw.detachSocket(socket);
  // The answer never contains the token: of the two subprotocols only the first is taken.
  const offered = (raw.headers['sec-websocket-protocol'] ?? '').split(',').map((name) => name.trim());
  raw.headers['sec-websocket-protocol'] = offered.includes(protocol) ? protocol : undefined;
  if (raw.headers['sec-websocket-protocol'] === undefined) delete raw.headers['sec-websocket-protocol'];
  listening.get(raw)?.();
  socket.once('close', () => dialogue.end());
  if (socket.destroyed) dialogue.end();
  else
    sockets.handleUpgrade(raw, socket, firstBytes.get(raw) ?? Buffer.alloc(0), (webSocket: WebSocket) => {
      const peer = new SocketPeer(webSocket, dialogue, clock);
      const forget = streams.add(request.identity, (why) => peer.end(why));
      webSocket.once('close', forget);
      peer.start();
    });
}

/** A peer that gives no sign of life for two of these is gone, in milliseconds. */
const PING_EVERY_MS = 10_000;
/** How long a peer may take to answer a close, in milliseconds. */
const CLOSE_MS = 500;
/** More messages within a second end the connection: a finger moves at most 240 times a second. */
const MAX_MESSAGES = 1_000;

/** Close codes (RFC 6455 section 7.4; 4401 is ours: the token is no longer valid). */
const CODES: Readonly<Record<EndReason | 'flood', number>> = { revoked: 4401, stopping: 1001, flood: 1008 };

/** What `SocketPeer` uses of a WebSocket. */
export type UsedSocket = Pick<WebSocket, 'on' | 'send' | 'ping' | 'close' | 'terminate' | 'readyState'>;

const OPEN = 1;

/**
 * One open WebSocket. A ping follows each message that the dialogue wants to see taken: the peer's own software answers
 * it in its turn, while the network between could buffer minutes of unread pictures.
 */
export class SocketPeer implements Peer {
  readonly #socket: UsedSocket;
  readonly #dialogue: Dialogue;
  readonly #clock: Clock;
  readonly #awaited: { ping: string; onTaken: () => void }[] = [];
  #pings = 0;
  #isAlive = true;
  #second = Number.NEGATIVE_INFINITY;
  #messages = 0;
  #cancelPing = () => {};
  #cancelClose = () => {};

  constructor(socket: UsedSocket, dialogue: Dialogue, clock: Clock) {
    this.#socket = socket;
    this.#dialogue = dialogue;
    this.#clock = clock;
  }

  start(): void {
    const socket = this.#socket;
    // A message that is too long, or no WebSocket at all: the close follows.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.#cancelPing();
      this.#cancelClose();
      this.#dialogue.end();
    });
    socket.on('message', (data: Buffer, isBinary: boolean) => {
      this.#isAlive = true;
      if (this.#isFlood()) this.end('flood');
      else if (!isBinary && socket.readyState === OPEN) this.#dialogue.receive(data.toString('utf8'));
    });
    socket.on('pong', (data: Buffer) => {
      this.#isAlive = true;
      const ping = data.toString();
      const at = this.#awaited.findIndex((awaited) => awaited.ping === ping);
      for (const { onTaken } of this.#awaited.splice(0, at + 1)) onTaken();
    });
    this.#watch();
    this.#dialogue.open(this);
  }

  send(message: string | Uint8Array, onTaken?: () => void): void {
    const socket = this.#socket;
    if (socket.readyState !== OPEN) return;
    socket.send(message);
    if (onTaken === undefined) return;
    const ping = String(++this.#pings);
    this.#awaited.push({ ping, onTaken });
    socket.ping(ping);
  }

  /** Ends it with a close code that says why. */
  end(why: EndReason | 'flood'): void {
    if (this.#socket.readyState !== OPEN) return;
    this.#cancelPing();
    this.#dialogue.end();
    this.#socket.close(CODES[why]);
    this.#cancelClose = this.#clock.after(CLOSE_MS, () => this.#socket.terminate());
  }

  #watch(): void {
    this.#cancelPing = this.#clock.after(PING_EVERY_MS, () => {
      if (!this.#isAlive) return this.#socket.terminate();
      this.#isAlive = false;
      this.#socket.ping();
      this.#watch();
    });
  }

  #isFlood(): boolean {
    const now = this.#clock.now();
    if (now - this.#second >= 1_000) {
      this.#second = now;
      this.#messages = 0;
    }
    return ++this.#messages > MAX_MESSAGES;
  }
}
