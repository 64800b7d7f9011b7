import { join } from 'node:path';
import type { WallClock } from '../../../platform/clock.ts';
import { StateFile } from '../../../platform/files/stateFile.ts';
import type { Logger } from '../../../platform/log.ts';
import { type Level, type OutputRecords, outputRecords, type PinState, type PinWiring } from '../contract.ts';

/** How long until a pin that could not be set back is tried again, in milliseconds. */
const AGAIN_MS = 1_000;
/** A shown end follows the time of day when that has jumped by more than this, in milliseconds. */
const JUMP_MS = 1_000;

interface PulsesOptions {
  /** What is under way is stored in `<dataDir>/outputs.json`. */
  readonly dataDir: string;
  /** Stored beside it, for the program that makes pins safe when the service was killed. */
  readonly wiring: PinWiring | null;
  readonly rest: readonly PinState[];
  readonly clock: WallClock;
  /** The time of this pulse is over. */
  readonly due: (pin: number, pulse: Pulse) => void;
  readonly log: Logger;
}

/** A pulse under way. */
export interface Pulse {
  /** The level that the pin had before its first pulse. */
  readonly back: Level;
  /** In steady time. */
  readonly endsAt: number;
  /** Its end as it was announced, in milliseconds since 1970. */
  told: number;
  cancel: () => void;
}

/**
 * The pulses under way. Each is on disk before its pin moves, so that it ends also when the service is killed. Their
 * times are steady: a clock that is set changes no pulse.
 */
export class Pulses {
  readonly #options: PulsesOptions;
  readonly #file: StateFile<OutputRecords>;
  readonly #running = new Map<number, Pulse>();

  constructor(options: PulsesOptions) {
    this.#options = options;
    const { dataDir, log } = options;
    this.#file = new StateFile({
      path: join(dataDir, 'outputs.json'),
      schema: outputRecords,
      defaults: { wiring: null, rest: [], pulses: [] },
      log,
    });
  }

  /** What an earlier run left. From now on the file tells of this board. Never fails. */
  async start(): Promise<OutputRecords['pulses']> {
    const { pulses } = await this.#file.load();
    await this.#save(pulses).catch((error: unknown) =>
      this.#options.log.error({ err: error }, 'gpio: could not save the safe levels'),
    );
    return pulses;
  }

  /** Ends no pulse: what is under way stays on disk. */
  stop(): void {
    for (const { cancel } of this.#running.values()) cancel();
    this.#running.clear();
  }

  /** The pins that pulse, each with the level that ends it. */
  get backs(): readonly PinState[] {
    return [...this.#running].map(([pin, { back }]) => ({ pin, level: back }));
  }

  /** The pulse of a pin; undefined when there is none. */
  of(pin: number): Pulse | undefined {
    return this.#running.get(pin);
  }

  /** When the pulse of a pin ends, ISO 8601, by the time of day as it is now; null when there is none. */
  until(pin: number): string | null {
    const pulse = this.#running.get(pin);
    if (pulse === undefined) return null;
    const { clock } = this.#options;
    const end = Math.round(clock.wall() + pulse.endsAt - clock.now());
    if (Math.abs(end - pulse.told) > JUMP_MS) pulse.told = end;
    return new Date(pulse.told).toISOString();
  }

  /**
   * Notes a pulse before it begins.
   * @throws FaceplateError STORAGE_FULL; then nothing is noted
   */
  async note(pin: number, back: Level): Promise<void> {
    await this.#save([...this.#others(pin), { pin, back }]);
  }

  /** The pin has its level from now on, for so many milliseconds. @returns its end, ISO 8601 */
  begin(pin: number, back: Level, ms: number): string {
    this.#running.get(pin)?.cancel();
    const { clock } = this.#options;
    const told = Math.round(clock.wall() + ms);
    const pulse: Pulse = { back, endsAt: clock.now() + ms, told, cancel: () => {} };
    this.#running.set(pin, pulse);
    this.#dueAfter(ms, pin, pulse);
    return new Date(told).toISOString();
  }

  /** The pin could not be set back: the pulse is due once more in a second. */
  again(pin: number, back: Level): void {
    const pulse = this.#running.get(pin);
    if (pulse === undefined) this.begin(pin, back, AGAIN_MS);
    else this.#dueAfter(AGAIN_MS, pin, pulse);
  }

  /** The pin keeps its level from now on; `noteEnd` is to follow. */
  end(pin: number): void {
    this.#running.get(pin)?.cancel();
    this.#running.delete(pin);
  }

  /** Takes an ended pulse off the disk, unless the pin pulses again. Never fails. */
  async noteEnd(pin: number): Promise<void> {
    if (this.#running.has(pin)) return;
    if (!this.#file.value.pulses.some((record) => record.pin === pin)) return;
    await this.#save(this.#others(pin)).catch((error: unknown) =>
      this.#options.log.error({ err: error, pin }, 'gpio: could not save the end of a pulse'),
    );
  }

  #dueAfter(ms: number, pin: number, pulse: Pulse): void {
    const { clock, due } = this.#options;
    pulse.cancel = clock.after(Math.ceil(ms), () => {
      // A timer may come a fraction of a millisecond early; a pulse is never shorter than asked.
      const left = pulse.endsAt - clock.now();
      if (left > 0) this.#dueAfter(left, pin, pulse);
      else due(pin, pulse);
    });
  }

  #save(pulses: OutputRecords['pulses']): Promise<void> {
    const { wiring, rest } = this.#options;
    return this.#file.save({ wiring, rest: [...rest], pulses });
  }

  #others(pin: number): OutputRecords['pulses'] {
    return this.#file.value.pulses.filter((record) => record.pin !== pin);
  }
}

/**
 * Lets pins be switched off while a call, whose turn it is, waits for the disk: flash memory may take seconds, and a
 * motor must not run for so long. Everything else waits for its turn.
 */
export class DiskWait {
  readonly #inTurn: (work: () => Promise<void>) => Promise<void>;
  #isWaiting = false;
  #aside: Promise<void> | undefined;

  /** @param inTurn runs work in turn with the calls */
  constructor(inTurn: (work: () => Promise<void>) => Promise<void>) {
    this.#inTurn = inTurn;
  }

  /** Whether a call waits for the disk now. */
  get isWaiting(): boolean {
    return this.#isWaiting;
  }

  /** Waits for what is written. What began meanwhile has ended when it resolves. @throws what `write` throws */
  async until(write: () => Promise<void>): Promise<void> {
    if (this.#aside) {
      // A call that switches a pin off waits for no disk.
      void this.#inTurn(() => this.until(write)).catch(() => undefined);
      return;
    }
    this.#isWaiting = true;
    try {
      await write();
    } finally {
      this.#isWaiting = false;
      while (this.#aside) await this.#aside;
    }
  }

  /** Switches off: now, when the call whose turn it is waits for the disk; else in turn. Its failure is its own. */
  switchOff(work: () => Promise<void>): void {
    if (!this.#isWaiting && !this.#aside) {
      void this.#inTurn(work).catch(() => undefined);
      return;
    }
    const run: Promise<void> = (this.#aside ?? Promise.resolve())
      .then(work)
      .catch(() => undefined)
      .finally(() => {
        if (this.#aside === run) this.#aside = undefined;
      });
    this.#aside = run;
  }
}
