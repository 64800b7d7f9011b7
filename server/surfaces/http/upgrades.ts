import { type IncomingMessage, type RequestListener, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { endSocket } from '../../platform/endSocket.ts';

/** The first bytes after the request, which Node.js has read already. */
export const firstBytes = new WeakMap<IncomingMessage, Buffer>();

/** Whether a request asks for a WebSocket (RFC 6455 section 4.2.1). */
export function wantsSocket({ headers }: Pick<IncomingMessage, 'headers'>): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Lets requests for a WebSocket take the way of all requests, through the guard, so that refusals are plain answers.
 * The server needs `shouldUpgradeCallback: wantsSocket`; other upgrades are ignored, as HTTP allows.
 */
export function passUpgrades(server: Server, handle: RequestListener): void {
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    firstBytes.set(request, head);
    // The connection has left the server's care: an error without a listener would end the service.
    socket.on('error', () => socket.destroy());
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => endSocket(socket));
    handle(request, response);
  });
}
