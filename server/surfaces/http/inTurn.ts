import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that a connection may send ahead of their answers. Browsers and clients of HTTP send none. */
const MOST_AHEAD = 100;

/**
 * Passes the requests of each connection on one after the other, as their answers have been sent. Node.js passes on all that a
 * caller sent ahead (RFC 9112 section 9.3.2) at once: they would overtake each other, and their answers would fill the memory
 * where nobody reads them. A connection that sends too many ahead is closed.
 */
export function inTurn(handler: RequestListener, mostAhead = MOST_AHEAD): RequestListener {
  const ahead = new WeakMap<Socket, [IncomingMessage, ServerResponse][]>();
  const pass = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    response.once('close', () => {
      const next = socket.destroyed ? undefined : ahead.get(socket)?.shift();
      if (next === undefined) ahead.delete(socket);
      else pass(...next);
    });
    handler(request, response);
  };
  return (request, response) => {
    const { socket } = request;
    const waiting = ahead.get(socket);
    if (waiting === undefined) {
      ahead.set(socket, []);
      pass(request, response);
    } else if (waiting.length < mostAhead) waiting.push([request, response]);
    else socket.destroy();
  };
}
