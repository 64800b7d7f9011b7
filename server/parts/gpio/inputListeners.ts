import type { Clock } from '../../platform/clock.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import type { Level, PinState } from './contract.ts';
import type { PinChange } from './driver.ts';
import { lineEdges, SIZE } from './gpioChipUapi.ts';

/** Edges that are read at once, and how often in a row before other work has its turn. */
const EDGES_AT_ONCE = 64;
const READS_IN_A_ROW = 16;
/** Longest wait for an edge, in milliseconds: a program that ends by itself waits for it. */
const WAIT_MS = 1_000;
const NS_PER_MS = 1e6;

interface EdgeListenerOptions {
  readonly io: EventIo;
  readonly heard: (change: PinChange) => void;
  /** The chip is gone, or fails. */
  readonly failed: (error: unknown) => void;
  /** Steady time of the kernel in nanoseconds, and the time of day in milliseconds, at one moment. */
  readonly times?: () => { readonly steady: bigint; readonly wall: number };
}

function systemTimes() {
  return { steady: process.hrtime.bigint(), wall: Date.now() };
}

/**
 * Hears the edges of lines as the kernel tells them, with their times and numbers: an edge that was lost is counted with
 * the next one. A wire that chatters costs no more than the reads of one turn at a time.
 */
export class EdgeListener {
  readonly #options: EdgeListenerOptions;
  readonly #into = Buffer.alloc(SIZE.lineEvent * EDGES_AT_ONCE);
  /** By descriptor: the pin, and the number of its last edge. */
  readonly #lines = new Map<number, { readonly pin: number; last: number }>();
  #wake: (() => void) | undefined;
  #waiting: Promise<void> = Promise.resolve();

  constructor(options: EdgeListenerOptions) {
    this.#options = options;
  }

  /** Hears these lines from now on: pins by descriptor. */
  start(lines: ReadonlyMap<number, number>): void {
    for (const [fd, pin] of lines) this.#lines.set(fd, { pin, last: 0 });
    if (this.#lines.size > 0 && this.#wake === undefined) this.#wait();
  }

  /** Hears none from now on. Resolves when the kernel is no longer asked: only then may a closed line be taken anew. */
  async stop(): Promise<void> {
    this.#lines.clear();
    this.#wake?.();
    await this.#waiting;
  }

  #wait(): void {
    const { io } = this.#options;
    this.#waiting = new Promise((resolve) => {
      this.#wake = io.whenReadable([...this.#lines.keys()], WAIT_MS, () => {
        this.#wake = undefined;
        resolve();
        this.#readAll();
        if (this.#lines.size > 0) this.#wait();
      });
    });
  }

  #readAll(): void {
    try {
      for (const [fd, line] of this.#lines) this.#read(fd, line);
    } catch (error) {
      this.#lines.clear();
      this.#options.failed(error);
    }
  }

  #read(fd: number, line: { readonly pin: number; last: number }): void {
    const { io, heard, times = systemTimes } = this.#options;
    for (let turn = 0; turn < READS_IN_A_ROW; turn++) {
      const size = io.readWaiting(fd, this.#into);
      if (size === 0) return;
      const { steady, wall } = times();
      for (const { level, time, number } of lineEdges(this.#into.subarray(0, size))) {
        const edges = (number - line.last) >>> 0;
        line.last = number;
        heard({ pin: line.pin, level, edges, at: wall - Number(steady - time) / NS_PER_MS, isSettled: true });
      }
      if (size < this.#into.length) return;
    }
  }
}

/** Time between two reads of the inputs, in milliseconds: short for a finger on a bell button, cheap for the CPU. */
const INPUT_POLL_MS = 100;

interface InputPollerOptions {
  readonly pins: () => readonly number[];
  readonly read: (pin: number) => Level;
  readonly clock: Clock;
}

/** Reads input pins regularly and reports which level has changed since the last read. */
export class InputPoller {
  readonly #options: InputPollerOptions;
  readonly #seen = new Map<number, Level>();
  #listener: ((change: PinState) => void) | undefined;
  #cancel: (() => void) | undefined;

  constructor(options: InputPollerOptions) {
    this.#options = options;
  }

  set listener(listener: (change: PinState) => void) {
    this.#listener = listener;
  }

  /** Does nothing without a listener. The first read only learns the levels. */
  start(): void {
    if (!this.#listener || this.#options.pins().length === 0 || this.#cancel) return;
    this.#look();
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#seen.clear();
  }

  #look(): void {
    this.#cancel = this.#options.clock.after(INPUT_POLL_MS, () => this.#look());
    for (const pin of this.#options.pins()) {
      let level: Level;
      try {
        level = this.#options.read(pin);
      } catch {
        // The next call meets the same failure and reports it; here it would be reported ten times a
        // second.
        continue;
      }
      const before = this.#seen.get(pin);
      this.#seen.set(pin, level);
      if (before !== undefined && before !== level) this.#listener?.({ pin, level });
    }
  }
}
