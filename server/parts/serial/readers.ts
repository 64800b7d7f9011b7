import { CallQueue } from '../../platform/callQueue.ts';
import type { Clock } from '../../platform/clock.ts';
import { ReceiveBuffer } from './receiveBuffer.ts';

/** Bytes that are kept for readers. */
const RECEIVE_LIMIT = 64 * 1024;
/** Milliseconds without a byte after which a read is complete. */
const IDLE_GAP_MS = 20;
/** A wait that ends later than this (milliseconds) means that the event loop was blocked, not the line. */
const STALL_MS = 5;
/** Readers whose place is kept; who comes back after being forgotten begins anew. */
const MOST_READERS = 128;

/** One page or one token: its own place among the bytes that arrived, and its own order of calls. */
export interface Reader {
  /** The calls of one reader wait for each other; those of others do not. */
  readonly queue: CallQueue;
  /** The place of the next byte that it gets. */
  at: number;
  /** Calls that have not ended. */
  calls: number;
}

/** Who calls, and when that ends. */
export interface Call {
  /** Names the page or the token. */
  readonly reader: string;
  readonly signal: AbortSignal;
}

/** What a read waits for; without either for a pause on the line. */
export interface Wanted {
  readonly until?: Uint8Array | undefined;
  readonly length?: number | undefined;
}

interface Reading {
  readonly wanted: Wanted;
  /** Longest wait in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** Whether nothing more can come. */
  isOver(): boolean;
}

/** What arrived at a port, and those who read it: none takes bytes from another. */
export class Readers {
  readonly #clock: Clock;
  readonly #received = new ReceiveBuffer(RECEIVE_LIMIT);
  readonly #readers = new Map<string, Reader>();
  readonly #waiting = new Set<() => void>();
  #lastByteAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The reader of this name. A new one begins with what arrives from now on. */
  of(name: string): Reader {
    const reader = this.#readers.get(name) ?? { queue: new CallQueue(), at: this.#received.end, calls: 0 };
    // Whoever called last stands last.
    this.#readers.delete(name);
    this.#readers.set(name, reader);
    if (this.#readers.size > MOST_READERS) this.#forgetOne();
    return reader;
  }

  arrived(bytes: Uint8Array): void {
    this.#received.push(bytes);
    this.#lastByteAt = this.#clock.now();
    this.wake();
  }

  /** Forgets what arrived, for all readers. */
  clear(): void {
    this.#received.clear();
  }

  /** Has everyone who waits look again. */
  wake(): void {
    for (const look of [...this.#waiting]) look();
  }

  /**
   * Resolves when what is wanted has come, at the timeout or when it is over; then with what is there by then. Where the
   * caller is gone, nothing is taken.
   * @throws the reason of the signal
   */
  async receive(reader: Reader, { wanted, timeout, signal, isOver }: Reading): Promise<Uint8Array> {
    const deadline = this.#clock.now() + timeout;
    const wantsPause = wanted.until === undefined && wanted.length === undefined;
    let searched = 0;
    for (;;) {
      signal.throwIfAborted();
      reader.at = Math.max(reader.at, this.#received.start);
      const whole = this.#wholeAt(reader, wanted, searched);
      if (whole !== undefined) return this.#take(reader, whole);
      searched = this.#received.end - (wanted.until?.length ?? 1) + 1;
      const gapEnd = this.#lastByteAt + IDLE_GAP_MS;
      const hasPause = wantsPause && reader.at < this.#received.end;
      const until = hasPause ? Math.min(deadline, gapEnd) : deadline;
      if (isOver() || this.#clock.now() >= until) return this.#take(reader, this.#received.end);
      await this.#arrivalOr(until, signal);
      // While the event loop was blocked nothing could be read: waiting bytes must not be cut off from their frame.
      if (until === gapEnd && this.#clock.now() > gapEnd + STALL_MS) this.#lastByteAt = this.#clock.now();
    }
  }

  /** The place behind what is wanted; undefined until it has come. */
  #wholeAt(reader: Reader, { until, length }: Wanted, searched: number): number | undefined {
    if (until !== undefined) return this.#received.find(until, Math.max(reader.at, searched));
    const end = reader.at + (length ?? Number.POSITIVE_INFINITY);
    return end <= this.#received.end ? end : undefined;
  }

  #take(reader: Reader, to: number): Uint8Array {
    const bytes = this.#received.copy(reader.at, to);
    reader.at = to;
    return bytes;
  }

  /** Waits until something may have changed, the caller is gone, or the time `until`. */
  #arrivalOr(until: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        resolve();
      };
      const cancel = this.#clock.after(Math.max(0, until - this.#clock.now()), done);
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }

  #forgetOne(): void {
    for (const [name, { calls }] of this.#readers) {
      if (calls > 0) continue;
      this.#readers.delete(name);
      return;
    }
  }
}
