import { FaceplateError } from '../../contract/errors.ts';
import { bytesToHex } from '../../contract/fields.ts';
import type { Clock } from '../../platform/clock.ts';
import { EXCEPTION, EXCEPTION_LENGTH, isAnswer, type Request } from './pdu.ts';

/** A serial line for exclusive use. */
interface SerialLineAlone {
  /** Resolves when the bytes have left the port. */
  write(bytes: Uint8Array): Promise<void>;
  /** @param hear gets all bytes that arrive from now on */
  onData(hear: (bytes: Uint8Array) => void): void;
  /** Aborts when the caller is gone, the line was lost or the service stops. */
  readonly signal: AbortSignal;
}

/** The serial ports of the board. */
export interface SerialPorts {
  /** @throws FaceplateError NOT_FOUND, UNSUPPORTED_HARDWARE, PORT_BUSY, HARDWARE_ERROR, and what `work` throws */
  alone<T>(
    port: string,
    settings: { readonly baudRate: number; readonly parity?: 'none' | 'even' | 'odd' | undefined },
    signal: AbortSignal,
    work: (line: SerialLineAlone) => Promise<T>,
  ): Promise<T>;
}

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

/** Bytes beside the PDU: the unit before it, the checksum behind it. */
const BESIDE = 3;
/** Bytes that are buffered while an answer is awaited; the longest frame has 256. */
const RTU_KEPT = 1_024;
/** Bytes that a sentence shows. */
const SHOWN = 16;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** The checksum of a frame (Modbus over serial line 1.02, 6.2.2); its low byte comes first. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >> 8) ^ table[(crc ^ byte) & 0xff]!;
  return crc;
}

/** The frame of a request. */
export function rtuFrame(unit: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(pdu.length + BESIDE);
  frame[0] = unit;
  frame.set(pdu, 1);
  const crc = crc16(frame.subarray(0, -2));
  frame[frame.length - 2] = crc & 0xff;
  frame[frame.length - 1] = crc >> 8;
  return frame;
}

/** The PDU of the answer among what came over the line, with noise before it or behind; undefined if it is not there. */
export function findAnswer(bytes: Uint8Array, unit: number, request: Request): Uint8Array | undefined {
  for (let start = 0; start < bytes.length; start++) {
    if (bytes[start] !== unit) continue;
    const frame = frameAt(bytes, start, request);
    if (frame && isWhole(frame) && isAnswer(request, pduOf(frame))) return pduOf(frame);
  }
  return undefined;
}

/** What is wrong with what came instead of an answer, for a sentence. */
export function whatIsWrong(bytes: Uint8Array, unit: number, request: Request): string {
  const shown = `${bytesToHex(bytes.subarray(0, SHOWN))}${bytes.length > SHOWN ? '…' : ''}`;
  for (let start = 0; start < bytes.length; start++) {
    const frame = frameAt(bytes, start, request);
    if (!frame) continue;
    if (frame[0] === unit && !isWhole(frame) && isAnswer(request, pduOf(frame)))
      return `its checksum is wrong (${shown})`;
    if (frame[0] !== unit && isWhole(frame)) return `unit ${frame[0]} answered instead (${shown})`;
  }
  return `${shown} came instead of one: noise, another speed or parity, or a second master on the line`;
}

/** The bytes that would be the answer if one began there; undefined if they have not all come. */
function frameAt(bytes: Uint8Array, start: number, { pdu, length }: Request): Uint8Array | undefined {
  const isException = bytes[start + 1] === (pdu[0]! | EXCEPTION);
  const end = start + (isException ? EXCEPTION_LENGTH : length) + BESIDE;
  return end <= bytes.length ? bytes.subarray(start, end) : undefined;
}

function pduOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(1, -2);
}

/** The checksum over a frame with its own is 0. */
function isWhole(frame: Uint8Array): boolean {
  return crc16(frame) === 0;
}

/** A wait for several things with one end. */
interface Deadline {
  /** Whether the time has passed or the signal aborted. */
  isOver(): boolean;
  /** Resolves when `look` is called, and when it is over. */
  next(): Promise<void>;
  /** Something has come. */
  readonly look: () => void;
  /** Releases timer and signal. */
  end(): void;
}

/** Begins a wait of so many milliseconds at most. */
function deadline(clock: Clock, milliseconds: number, signal: AbortSignal): Deadline {
  let isOver = milliseconds <= 0 || signal.aborted;
  let news = Promise.withResolvers<void>();
  const look = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const finish = () => {
    isOver = true;
    look();
  };
  const cancel = isOver ? () => undefined : clock.after(milliseconds, finish);
  signal.addEventListener('abort', finish, { once: true });
  return {
    isOver: () => isOver,
    next: () => (isOver ? Promise.resolve() : news.promise),
    look,
    end: () => {
      cancel();
      signal.removeEventListener('abort', finish);
    },
  };
}
