import type { Duplex } from 'node:stream';
import { backgroundClock, type Clock } from './clock.ts';

/** How long a peer may take to end its side, in milliseconds. */
export const END_MS = 2_000;

/**
 * Ends a socket: what waits is sent, then the connection is cut unless the peer closes it first. A peer that never does
 * would keep the descriptor for ever: no timer of the kernel ends a connection that a process holds.
 * @param last sent before the end
 */
export function endSocket(socket: Duplex, last?: string | Buffer, clock: Clock = backgroundClock): void {
  if (last === undefined) socket.end();
  else socket.end(last);
  if (socket.destroyed) return;
  const cancel = clock.after(END_MS, () => socket.destroy());
  socket.once('close', cancel);
  // The peer's end is heard only where somebody reads.
  socket.resume();
}
