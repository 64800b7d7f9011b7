import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { EventIo } from '../../platform/native/deviceIo.ts';
import { MAX_SCAN } from '../readers/contract.ts';
import type { ReaderDriver } from '../readers/driver.ts';
import { Evdev } from './evdev.ts';

/** So long after the last key a text is whole, where the reader types no Enter; in milliseconds. */
const SILENCE_MS = 300;

interface EvdevReaderOptions {
  readonly path: string;
  readonly io: EventIo;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * A reader of cards or codes that types like a US keyboard. It is grabbed: what it types reaches no page and no console.
 */
export class EvdevReader implements ReaderDriver {
  readonly name = 'evdev';
  readonly path: string;
  readonly simulated = false;
  readonly #clock: Clock;
  readonly #device: Evdev;
  readonly #shifts = new Set<number>();
  #listener: (text: string) => void = () => {};
  #text = '';
  #cancel: (() => void) | undefined;

  constructor({ path, io, clock, log }: EvdevReaderOptions) {
    this.path = path;
    this.#clock = clock;
    this.#device = new Evdev({
      path,
      grabs: true,
      heard: ({ code, isDown }) => this.#heard(code, isDown),
      lost: () => this.#forget(),
      io,
      clock,
      log,
    });
  }

  onScan(listener: (text: string) => void): void {
    this.#listener = listener;
  }

  /** @throws an errno exception: ENOENT (no such device), EACCES, EBUSY (another program has grabbed it) */
  async start(): Promise<void> {
    this.#device.start();
  }

  async stop(): Promise<void> {
    await this.#device.stop();
    this.#forget();
  }

  #heard(code: number, isDown: boolean): void {
    if (SHIFTS.has(code)) {
      if (isDown) this.#shifts.add(code);
      else this.#shifts.delete(code);
      return;
    }
    if (!isDown) return;
    if (ENDS.has(code)) {
      this.#whole();
      return;
    }
    const text = textOf(code, this.#shifts.size > 0);
    if (text === undefined) return;
    // The listener cuts what is too long; here it only must not grow.
    if (this.#text.length <= MAX_SCAN) this.#text += text;
    this.#cancel?.();
    this.#cancel = this.#clock.after(SILENCE_MS, () => this.#whole());
  }

  #whole(): void {
    const text = this.#text;
    this.#forget();
    if (text !== '') this.#listener(text);
  }

  #forget(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#text = '';
  }
}

/** Rows of keys by the number of their first one, as include/uapi/linux/input-event-codes.h numbers a US keyboard. */
const ROWS: readonly (readonly [first: number, plain: string, shifted: string])[] = [
  [2, '1234567890-=', '!@#$%^&*()_+'],
  [16, 'qwertyuiop[]', 'QWERTYUIOP{}'],
  [30, "asdfghjkl;'`", 'ASDFGHJKL:"~'],
  [43, '\\zxcvbnm,./', '|ZXCVBNM<>?'],
  [55, '*', '*'],
  [57, ' ', ' '],
  [71, '789-456+1230.', '789-456+1230.'],
  [98, '/', '/'],
];

const TEXTS = new Map(
  ROWS.flatMap(([first, plain, shifted]) =>
    [...plain].map((text, index) => [first + index, [text, shifted[index]!]] as const),
  ),
);

export const SHIFTS: ReadonlySet<number> = new Set([42, 54]);
/** Enter, on the block of digits too, and Tab: readers end with one of them. */
export const ENDS: ReadonlySet<number> = new Set([28, 96, 15]);

/** What a key types on a US keyboard; undefined for one that types nothing. */
export function textOf(code: number, isShifted: boolean): string | undefined {
  return TEXTS.get(code)?.[isShifted ? 1 : 0];
}
