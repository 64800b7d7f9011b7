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
    else this.#timer ??= setTimeout(() => this.#step(STEP), HOLD_MS);
  }

  /** Drops the waiting packets. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #step(count: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const datagrams = this.#waiting.splice(0, count);
    this.#isResting = datagrams.length >= STEP;
    if (this.#isResting) this.#timer = setTimeout(() => this.#goOn(), REST_MS);
    this.#send(datagrams);
  }

  #goOn(): void {
    this.#timer = undefined;
    this.#isResting = false;
    if (this.#waiting.length > 0) this.#step(STEP);
  }
}
