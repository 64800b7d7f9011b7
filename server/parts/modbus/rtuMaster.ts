import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SerialLineAlone, SerialPorts } from './driver.ts';
import type { Request } from './pdu.ts';
import { findAnswer, RTU_KEPT, rtuFrame, whatIsWrong } from './rtuFrame.ts';
import { deadline } from './waits.ts';

/** Requests that may wait for one port. */
const MOST_WAITING = 64;
/** Bits that a character takes on the line, and characters of silence between two frames (serial line 1.02, 2.5.1.1). */
const BITS = 11;
const SILENCE = 3.5;
/** The silence in milliseconds above 19,200 baud. */
const FAST_SILENCE_MS = 1.75;
/** How long the answer of a unit that was silent is still expected, in milliseconds at most. */
const LONGEST_LATE_MS = 1_000;

/** What is known of a port since its last request. */
interface PortState {
  /** When the line was last heard or written to. */
  busyAt: number;
  /** The unit that owes an answer, which may come late, and until when that is expected. */
  late: { readonly unit: number; readonly until: number } | undefined;
}

export interface RtuTarget {
  readonly port: string;
  readonly baudRate: number;
  readonly parity: 'none' | 'even' | 'odd' | undefined;
  readonly unit: number;
}

/** The master on the serial lines of the board: one request on a line at a time. */
export class RtuMaster {
  readonly #serial: SerialPorts;
  readonly #clock: Clock;
  readonly #ports = new Map<string, PortState>();
  /** Requests that wait or go on, by port. */
  readonly #waiting = new Map<string, number>();

  constructor(serial: SerialPorts, clock: Clock) {
    this.#serial = serial;
    this.#clock = clock;
  }

  /**
   * @returns the PDU of the answer
   * @throws FaceplateError HARDWARE_TIMEOUT (silence), HARDWARE_ERROR (no valid answer, line lost), CONFLICT (too many
   * wait), PORT_BUSY, NOT_FOUND
   */
  async ask(
    target: RtuTarget,
    request: Request,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { port, baudRate, parity } = target;
    const waiting = this.#waiting.get(port) ?? 0;
    if (waiting >= MOST_WAITING)
      throw new FaceplateError('CONFLICT', `${MOST_WAITING} Modbus requests wait for ${port} already.`);
    this.#waiting.set(port, waiting + 1);
    try {
      return await this.#serial.alone(port, { baudRate, parity }, signal, async (line) => {
        // It is a port of the board, so that there are few of them.
        const state = this.#ports.get(port) ?? { busyAt: 0, late: undefined };
        this.#ports.set(port, state);
        return this.#exchange(line, state, target, request, timeoutMs);
      });
    } finally {
      const left = (this.#waiting.get(port) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(port);
      else this.#waiting.set(port, left);
    }
  }

  async #exchange(
    line: SerialLineAlone,
    state: PortState,
    { port, baudRate, unit }: RtuTarget,
    request: Request,
    timeoutMs: number,
  ): Promise<Uint8Array> {
    const silenceMs = baudRate > 19_200 ? FAST_SILENCE_MS : (1_000 * SILENCE * BITS) / baudRate;
    await this.#drain(line, state, unit, silenceMs);
    let came = new Uint8Array(0);
    let look = (): void => undefined;
    line.onData((bytes) => {
      state.busyAt = this.#clock.now();
      came = Uint8Array.of(...came, ...bytes.subarray(-RTU_KEPT)).subarray(-RTU_KEPT);
      look();
    });
    await line.write(rtuFrame(unit, request.pdu));
    state.busyAt = this.#clock.now();
    const wait = deadline(this.#clock, timeoutMs, line.signal);
    look = wait.look;
    try {
      for (;;) {
        line.signal.throwIfAborted();
        const answer = findAnswer(came, unit, request);
        if (answer) return answer;
        if (wait.isOver()) break;
        await wait.next();
      }
    } finally {
      wait.end();
    }
    state.late = { unit, until: this.#clock.now() + Math.min(timeoutMs, LONGEST_LATE_MS) };
    if (came.length === 0) {
      const sentence = `Unit ${unit} on ${port} did not answer within ${timeoutMs} ms.`;
      throw new FaceplateError('HARDWARE_TIMEOUT', sentence);
    }
    const sentence = `Unit ${unit} on ${port} gave no valid answer: ${whatIsWrong(came, unit, request)}.`;
    throw new FaceplateError('HARDWARE_ERROR', sentence);
  }

  /**
   * Lets the line become silent and drops what still comes. A unit that was silent is given time for its late answer
   * first: nothing in an answer says which request it belongs to.
   */
  async #drain(line: SerialLineAlone, state: PortState, unit: number, silenceMs: number): Promise<void> {
    const owed = state.late?.unit === unit ? state.late.until - this.#clock.now() : 0;
    state.late = undefined;
    let hasCome = false;
    let look = (): void => undefined;
    line.onData(() => {
      state.busyAt = this.#clock.now();
      hasCome = true;
      look();
    });
    const late = deadline(this.#clock, Math.max(0, owed), line.signal);
    look = late.look;
    while (!hasCome && !late.isOver()) await late.next();
    late.end();
    // Somebody who never stops is not waited for: the answer is then looked for among it.
    const patience = deadline(this.#clock, 10 * silenceMs, line.signal);
    while (!patience.isOver()) {
      const rest = state.busyAt + silenceMs - this.#clock.now();
      if (rest <= 0) break;
      const silence = deadline(this.#clock, rest, line.signal);
      while (!silence.isOver()) await silence.next();
      silence.end();
    }
    patience.end();
    line.signal.throwIfAborted();
  }
}
