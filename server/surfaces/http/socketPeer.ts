import type { WebSocket } from 'ws';
import type { Dialogue, Peer } from '../../contract/command.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EndReason } from './openStreams.ts';

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
 * it in its turn, while the network between could hold minutes of what nobody has read.
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
