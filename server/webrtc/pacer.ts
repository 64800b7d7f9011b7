/** Packets per step: a browser's receive buffer holds 50 to 90. */
const STEP = 32;
/** Pause after a full step, in milliseconds, so that the browser can empty its buffer. */
const REST_MS = 1;
/**
 * The longest that packets wait for the rest of their picture, in milliseconds: it is decoded only when it is complete.
 */
const HOLD_MS = 5;
/** Packets that may wait: their ring keeps at least as many unchanged. */
const LIMIT = 512;

/**
 * Paces the media to one viewer: the packets of a picture go out together, because many cost hardly more than one;
 * those of a large picture go in steps that the viewer can take.
 */
export class Pacer {
  readonly #send: (datagrams: readonly Buffer[]) => void;
  #waiting: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isResting = false;
  /** Whether it is about to look if the rest of a picture came with its beginning. */
  #isLooking = false;
  readonly #look = () => {
    this.#isLooking = false;
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#onHeld(), HOLD_MS);
  };

  /** @param send sends datagrams; they keep their bytes until it returns. */
  constructor(send: (datagrams: readonly Buffer[]) => void) {
    this.#send = send;
  }

  /** @param endsPicture true: do not wait for more. */
  push(datagram: Buffer, endsPicture: boolean): void {
    this.#waiting.push(datagram);
    if (this.#waiting.length >= LIMIT) this.#step(LIMIT);
    else if (this.#isResting) return;
    else if (endsPicture || this.#waiting.length >= STEP) this.#step(STEP);
    else if (!this.#isLooking && this.#timer === undefined) {
      // Most pictures come in one piece: a timer for each would be made, and wake the process, for nothing.
      this.#isLooking = true;
      queueMicrotask(this.#look);
    }
  }

  /** Drops the waiting packets. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #step(count: number): void {
    const isAll = this.#waiting.length <= count;
    const datagrams = isAll ? this.#waiting : this.#waiting.splice(0, count);
    if (isAll) this.#waiting = [];
    this.#isResting = datagrams.length >= STEP;
    if (this.#isResting) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#goOn(), REST_MS);
    }
    this.#send(datagrams);
  }

  /** The picture for which the timer was set may have gone since: what waits then goes earlier than it has to. */
  #onHeld(): void {
    this.#timer = undefined;
    if (this.#waiting.length > 0) this.#step(STEP);
  }

  #goOn(): void {
    this.#timer = undefined;
    this.#isResting = false;
    if (this.#waiting.length > 0) this.#step(STEP);
  }
}
