import { join } from 'node:path';
import { type Level, type PulseRecords, pulseRecords } from '../../contract/gpio.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { StateFile } from '../../platform/stateFile.ts';

/** How long until a pin that could not be set back is tried again, in milliseconds. */
const AGAIN_MS = 1_000;

interface PulsesOptions {
  /** What is under way is stored in `<dataDir>/pulses.json`. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** Sets a pin back at the end of its pulse. */
  readonly setBack: (pin: number, level: Level) => Promise<void>;
  readonly log: Logger;
}

interface Pulse {
  /** The level that the pin had before its first pulse. */
  readonly back: Level;
  /** Its end, ISO 8601. */
  readonly until: string;
  readonly cancel: () => void;
}

/**
 * The pulses under way. Each is on disk before its pin moves, so that it ends also when the service is killed: the next
 * start sets the pin back first.
 */
export class Pulses {
  readonly #options: PulsesOptions;
  readonly #file: StateFile<PulseRecords>;
  readonly #running = new Map<number, Pulse>();

  constructor(options: PulsesOptions) {
    this.#options = options;
    const { dataDir, log } = options;
    this.#file = new StateFile({
      path: join(dataDir, 'pulses.json'),
      schema: pulseRecords,
      defaults: { pulses: [] },
      log,
    });
  }

  /** Ends what an earlier run left. */
  async start(): Promise<void> {
    const { pulses } = await this.#file.load();
    for (const { pin, back } of pulses) await this.#end(pin, back);
  }

  /** Ends all of them at once. */
  async stop(): Promise<void> {
    for (const [pin, { back, cancel }] of [...this.#running]) {
      cancel();
      await this.#end(pin, back);
    }
    // One that could not be set back stays on disk, for the next start.
    for (const { cancel } of this.#running.values()) cancel();
    this.#running.clear();
  }

  /** When the pulse of a pin ends, ISO 8601; null when there is none. */
  until(pin: number): string | null {
    return this.#running.get(pin)?.until ?? null;
  }

  /**
   * Notes a pulse before it begins. A pin that pulses already keeps the level of before.
   * @param level the pin has it now
   * @throws FaceplateError STORAGE_FULL; then nothing is noted
   */
  async note(pin: number, level: Level): Promise<Level> {
    const back = this.#running.get(pin)?.back ?? level;
    await this.#file.save({ pulses: [...this.#others(pin), { pin, back }] });
    return back;
  }

  /** The pin has its level from now on, for so many milliseconds. @returns its end, ISO 8601 */
  begin(pin: number, back: Level, ms: number): string {
    this.#running.get(pin)?.cancel();
    const until = new Date(Date.now() + ms).toISOString();
    this.#running.set(pin, { back, until, cancel: this.#endAfter(ms, pin, back) });
    return until;
  }

  /** The pin was written: it stays as it is. */
  async forget(pin: number): Promise<void> {
    if (!this.#file.value.pulses.some((record) => record.pin === pin)) return;
    this.#running.get(pin)?.cancel();
    this.#running.delete(pin);
    await this.#file
      .save({ pulses: this.#others(pin) })
      .catch((error: unknown) =>
        this.#options.log.error({ err: error, pin }, 'the end of a pulse was not noted'),
      );
  }

  #endAfter(ms: number, pin: number, back: Level): () => void {
    return this.#options.clock.after(ms, () => void this.#end(pin, back));
  }

  async #end(pin: number, back: Level): Promise<void> {
    const { setBack, log } = this.#options;
    try {
      await setBack(pin, back);
    } catch (error) {
      log.error(
        { err: error, pin },
        'a pin could not be set back at the end of its pulse; it is tried again',
      );
      const cancel = this.#endAfter(AGAIN_MS, pin, back);
      this.#running.set(pin, { back, until: new Date().toISOString(), cancel });
      return;
    }
    await this.forget(pin);
  }

  #others(pin: number): PulseRecords['pulses'] {
    return this.#file.value.pulses.filter((record) => record.pin !== pin);
  }
}
