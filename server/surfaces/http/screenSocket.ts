import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Dialogue } from '../../contract/command.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { LONGEST_LIVE_MESSAGE } from '../../kiosk/live/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import { END_MS } from '../../platform/endSocket.ts';
import type { OpenStreams } from './openStreams.ts';
import { SocketPeer } from './socketPeer.ts';
import { firstBytes, wantsSocket } from './upgrades.ts';

/** What ends the listening of `hearEnd`. */
const listening = new WeakMap<IncomingMessage, () => void>();

/**
 * Notices when a client hangs up whose handshake waits for its answer: nobody else reads its connection, and an end that
 * is not read is not heard. What it says meanwhile is kept for the dialogue.
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
  // The token never goes back: of the two subprotocols only the first is taken.
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
