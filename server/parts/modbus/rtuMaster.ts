import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { answerIn, isAnswer, type Request, rtuFrame, whatIsWrong } from './pdu.ts';

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
/** How long a request waits for the answer that a silent unit owes, in milliseconds at most. */
const LONGEST_LATE_MS = 1_000;
/** After this time no unit answers any more, in milliseconds. */
const OWED_MS = 60_000;
/** More requests than a unit can leave open that long at the usual timeouts. */
const MOST_DEBTS = 256;
/** Bytes that are buffered while an answer is awaited; the longest frame has 256. */
const RTU_KEPT = 1_024;
/** A request takes so many times its timeout at most while older answers are sorted out. */
const MOST_ROUNDS = 3;
/** How long an answer too many is waited for, in milliseconds at least. */
const LEAST_SPARE_MS = 50;
/** How many times longer than the answer before it one too many may take. */
const SPARE_TIMES = 3;

/** A request whose answer has not come, and still may. */
interface Debt {
  readonly unit: number;
  readonly request: Request;
  readonly at: number;
  /** Until when the next request to the unit waits for it. */
  readonly until: number;
}

/** What is known of a port since its last request. */
interface PortState {
  /** When the line was last heard or written to. */
  busyAt: number;
  /** Oldest first; also while other units are asked. */
  debts: readonly Debt[];
  /** Units that were asked more often than they have answered, and how long the silence is after which they do no more. */
  readonly spare: Map<number, number>;
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
        const state = this.#ports.get(port) ?? { busyAt: 0, debts: [], spare: new Map() };
        this.#ports.set(port, state);
        return this.#exchange(line, state, target, request, timeoutMs);
      });
    } finally {
      const left = (this.#waiting.get(port) ?? 1) - 1;
      if (left === 0) this.#waiting.delete(port);
      else this.#waiting.set(port, left);
    }
  }

  /**
   * Nothing in an answer says which request it belongs to, but a unit answers in the order it is asked. So an answer that
   * may be an older one counts as that one, and the unit is asked again: what comes then is of this request.
   */
  async #exchange(
    line: SerialLineAlone,
    state: PortState,
    { port, baudRate, unit }: RtuTarget,
    request: Request,
    timeoutMs: number,
  ): Promise<Uint8Array> {
    const silenceMs = baudRate > 19_200 ? FAST_SILENCE_MS : (1_000 * SILENCE * BITS) / baudRate;
    await this.#drain(line, state, unit, silenceMs);
    const ear = this.#hear(line, state);
    const end = this.#clock.now() + MOST_ROUNDS * timeoutMs;
    let asked = 0;
    try {
      for (let isOlder = true; isOlder && this.#clock.now() < end; ) {
        asked++;
        await line.write(rtuFrame(unit, request.pdu));
        const sentAt = this.#clock.now();
        state.busyAt = sentAt;
        isOlder = false;
        let waitMs = Math.min(timeoutMs, end - sentAt);
        for (;;) {
          const pdu = await this.#next(line, ear, unit, request, waitMs);
          if (pdu === undefined) break;
          if (!settle(state, unit, pdu)) {
            // As many answers as counted as older ones may still be on their way.
            if (asked > 1) expectSpare(state, unit, this.#clock.now() - sentAt);
            asked = 0;
            return pdu;
          }
          isOlder = true;
          // What comes right behind it spares asking again.
          waitMs = 2 * silenceMs;
        }
      }
    } finally {
      this.#owe(state, unit, request, timeoutMs, asked);
    }
    if (ear.came.length === 0) {
      const sentence = `Unit ${unit} on ${port} did not answer within ${timeoutMs} ms.`;
      throw new FaceplateError('HARDWARE_TIMEOUT', sentence);
    }
    const sentence = `Unit ${unit} on ${port} gave no valid answer: ${whatIsWrong(ear.came, unit, request)}.`;
    throw new FaceplateError('HARDWARE_ERROR', sentence);
  }

  /** Collects what the line brings from now on. */
  #hear(line: SerialLineAlone, state: PortState): Ear {
    const ear: Ear = { came: new Uint8Array(0), look: () => undefined };
    line.onData((bytes) => {
      state.busyAt = this.#clock.now();
      ear.came = Uint8Array.of(...ear.came, ...bytes.subarray(-RTU_KEPT)).subarray(-RTU_KEPT);
      ear.look();
    });
    return ear;
  }

  /** Takes the next answer that fits out of what came; undefined after so many milliseconds. @throws the reason of the signal */
  async #next(
    line: SerialLineAlone,
    ear: Ear,
    unit: number,
    request: Request,
    milliseconds: number,
  ): Promise<Uint8Array | undefined> {
    const wait = deadline(this.#clock, milliseconds, line.signal);
    ear.look = wait.look;
    try {
      for (;;) {
        line.signal.throwIfAborted();
        const answer = answerIn(ear.came, unit, request);
        if (answer !== undefined) {
          ear.came = ear.came.slice(answer.end);
          return answer.pdu;
        }
        if (wait.isOver()) return undefined;
        await wait.next();
      }
    } finally {
      wait.end();
    }
  }

  /** Remembers requests without an answer: none of them is forgotten because another unit is asked. */
  #owe(state: PortState, unit: number, request: Request, timeoutMs: number, count: number): void {
    const at = this.#clock.now();
    const debt: Debt = { unit, request, at, until: at + Math.min(timeoutMs, LONGEST_LATE_MS) };
    const young = state.debts.filter((known) => at - known.at < OWED_MS);
    state.debts = [...young, ...Array.from({ length: count }, () => ({ ...debt }))].slice(-MOST_DEBTS);
  }

  /**
   * Lets the line become silent and drops what still comes. A unit that was silent is given time for its late answer
   * first, and one that was asked twice for its second.
   */
  async #drain(line: SerialLineAlone, state: PortState, unit: number, silenceMs: number): Promise<void> {
    const ear = this.#hear(line, state);
    const now = this.#clock.now();
    state.debts = state.debts.filter(({ at }) => now - at < OWED_MS);
    const owed = Math.max(
      0,
      ...state.debts.filter((debt) => debt.unit === unit).map(({ until }) => until - now),
    );
    const late = deadline(this.#clock, owed, line.signal);
    ear.look = late.look;
    while (ear.came.length === 0 && !late.isOver()) await late.next();
    late.end();
    const spareMs = state.spare.get(unit) ?? 0;
    await this.#quiet(line, state, Math.max(silenceMs, spareMs));
    state.spare.delete(unit);
    // What is waited for once is not waited for again; an answer that comes after all is still known as one.
    state.debts = state.debts.map((debt) => (debt.unit === unit ? { ...debt, until: 0 } : debt));
    for (const { unit: from, request } of [...state.debts]) {
      const answer = answerIn(ear.came, from, request);
      if (answer === undefined) continue;
      ear.came = ear.came.slice(answer.end);
      settle(state, from, answer.pdu);
    }
    line.signal.throwIfAborted();
  }

  /** Waits until nothing has come for so long. Somebody who never stops is not waited for. */
  async #quiet(line: SerialLineAlone, state: PortState, milliseconds: number): Promise<void> {
    const patience = deadline(this.#clock, 10 * milliseconds, line.signal);
    while (!patience.isOver()) {
      const rest = state.busyAt + milliseconds - this.#clock.now();
      if (rest <= 0) break;
      const silence = deadline(this.#clock, rest, line.signal);
      while (!silence.isOver()) await silence.next();
      silence.end();
    }
    patience.end();
  }
}

/** What the line has brought. */
interface Ear {
  came: Uint8Array;
  look: () => void;
}

/**
 * Whether an answer may be one that the unit owes. Then the oldest such debt is settled, and all before it: their answers
 * do not come any more. An answer that none of them can have settles them all.
 */
function settle(state: PortState, unit: number, pdu: Uint8Array): boolean {
  const ofUnit = state.debts.filter((debt) => debt.unit === unit);
  const index = ofUnit.findIndex(({ request }) => isAnswer(request, pdu));
  const settled = new Set(index < 0 ? ofUnit : ofUnit.slice(0, index + 1));
  state.debts = state.debts.filter((debt) => !settled.has(debt));
  return index >= 0;
}

/** The unit is awake again: an answer too many comes about as fast as the one before it, or never. */
function expectSpare(state: PortState, unit: number, tookMs: number): void {
  state.spare.set(unit, Math.min(LONGEST_LATE_MS, Math.max(LEAST_SPARE_MS, SPARE_TIMES * tookMs)));
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
