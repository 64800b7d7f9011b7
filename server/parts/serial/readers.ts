import { CallQueue } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';

/** Bytes that are buffered for readers. */
const RECEIVE_LIMIT = 64 * 1024;
/** Milliseconds without a byte after which a read is complete. */
const IDLE_GAP_MS = 20;
/** A wait that ends later than this (milliseconds) means that the event loop was blocked, not the line. */
const STALL_MS = 5;
/** Readers whose place is remembered; one that returns after being forgotten starts again. */
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
    // The last caller comes last.
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

/**
 * Keeps the last bytes that arrived, up to a limit; older ones are overwritten. A place in it is the number of bytes
 * that had ever arrived before, so that several readers can each have their own.
 */
export class ReceiveBuffer {
  readonly #ring: Uint8Array;
  /** Place of the oldest buffered byte. */
  #start = 0;
  /** Place behind the newest. */
  #end = 0;

  constructor(capacity: number) {
    this.#ring = new Uint8Array(capacity);
  }

  /** The place of the oldest buffered byte. */
  get start(): number {
    return this.#start;
  }

  /** The place of the next byte that will arrive. */
  get end(): number {
    return this.#end;
  }

  push(bytes: Uint8Array): void {
    const capacity = this.#ring.length;
    const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
    const at = (this.#end + bytes.length - kept.length) % capacity;
    const untilWrap = capacity - at;
    this.#ring.set(kept.subarray(0, untilWrap), at);
    this.#ring.set(kept.subarray(untilWrap), 0);
    this.#end += bytes.length;
    this.#start = Math.max(this.#start, this.#end - capacity);
  }

  /** The bytes from one place to another, both of which are buffered. */
  copy(from: number, to: number): Uint8Array {
    const bytes = new Uint8Array(to - from);
    const at = from % this.#ring.length;
    const untilWrap = this.#ring.subarray(at, Math.min(this.#ring.length, at + bytes.length));
    bytes.set(untilWrap);
    bytes.set(this.#ring.subarray(0, bytes.length - untilWrap.length), untilWrap.length);
    return bytes;
  }

  /** The place behind the first such bytes from a place on; undefined where they are not. */
  find(pattern: Uint8Array, from: number): number | undefined {
    for (let at = from; at + pattern.length <= this.#end; at++) {
      if (pattern.every((byte, index) => this.#ring[(at + index) % this.#ring.length] === byte))
        return at + pattern.length;
    }
    return undefined;
  }

  /** Forgets what arrived. Places go on. */
  clear(): void {
    this.#start = this.#end;
  }
}
