import { isDeepStrictEqual } from 'node:util';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { PartInfo } from '../../contract/system.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger, LogLine } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import { type LedState, ledState } from './contract.ts';
import type { LedDriver } from './driver.ts';

interface LedOptions {
  /** null when the board has no LED bar. */
  readonly driver: LedDriver | null;
  /** The state is stored in `<dataDir>/led.json`. */
  readonly dataDir: string;
  readonly events: EventBus;
  readonly log: Logger;
}

interface Change {
  readonly values: Partial<LedState>;
  readonly signal: AbortSignal;
  readonly resolve: (state: LedState) => void;
  readonly reject: (error: unknown) => void;
}

/** Before the first call: dark, and white once it is switched on. */
const DEFAULT_STATE: LedState = { on: false, red: 255, green: 255, blue: 255 };

export const ledKind: StateKind<LedState> = { name: 'led', schema: ledState, defaults: DEFAULT_STATE };

/**
 * The LED bar. A change is answered once the bar shows it and it is on disk; when either fails, nothing has changed.
 * Changes that arrive during another change are made together: one call of the driver, one write of the file.
 */
export class LedService {
  readonly #part: Device<LedDriver>;
  readonly #file: StateFile<LedState>;
  readonly #events: EventBus;
  readonly #log: Logger;
  #waiting: Change[] = [];
  #busy = false;
  #working: Promise<void> | undefined;

  constructor({ driver, dataDir, events, log }: LedOptions) {
    this.#part = new Device('LED bar', driver, log);
    this.#file = StateFile.of(ledKind, dataDir, log);
    this.#events = events;
    this.#log = log;
  }

  /** Shows the state of the last run again. */
  async start(): Promise<void> {
    const state = await this.#file.load();
    await this.#part.start();
    if (this.#part.present) await this.#show(state, 'led: could not set the colour at start');
  }

  /** Ends after the changes in flight. The bar stays as it is. */
  async stop(): Promise<void> {
    await this.#working;
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** The state for the first event of a listener; undefined when the board has no LED bar. */
  snapshot(): LedState | undefined {
    return this.#part.present ? this.#file.value : undefined;
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  state(
    _params: ParamsOf<'led.state'>,
    _context: CallContext,
  ): ResultOf<'led.state'> | Promise<ResultOf<'led.state'>> {
    return this.#part.known(() => ({ status: 'ok', state: this.#file.value }));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, STORAGE_FULL */
  async on(params: ParamsOf<'led.on'>, { signal }: CallContext): Promise<ResultOf<'led.on'>> {
    return { status: 'ok', state: await this.#change(params, signal) };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, STORAGE_FULL */
  async color(params: ParamsOf<'led.color'>, { signal }: CallContext): Promise<ResultOf<'led.color'>> {
    return { status: 'ok', state: await this.#change(params, signal) };
  }

  #change(values: Partial<LedState>, signal: AbortSignal): Promise<LedState> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ values, signal, resolve, reject });
      if (!this.#busy) this.#working = this.#work();
    });
  }

  async #work(): Promise<void> {
    this.#busy = true;
    while (this.#waiting.length > 0) {
      const changes = this.#waiting;
      this.#waiting = [];
      let next = this.#file.value;
      const answers: (() => void)[] = [];
      const made: Change[] = [];
      for (const change of changes) {
        if (change.signal.aborted) {
          change.reject(change.signal.reason);
          continue;
        }
        const state = { ...next, ...change.values };
        next = state;
        made.push(change);
        answers.push(() => change.resolve(state));
      }
      if (made.length === 0) continue;
      try {
        await this.#make(next);
        for (const answer of answers) answer();
      } catch (error) {
        for (const change of made) change.reject(error);
      }
    }
    this.#busy = false;
  }

  async #make(next: LedState): Promise<void> {
    const before = this.#file.value;
    try {
      await this.#part.use((driver) => driver.apply(next));
      await this.#file.save(next);
    } catch (error) {
      // Also when the bar itself failed: it may show one channel of the new colour and two of the old.
      if (this.#part.present) await this.#show(before, 'led: could not set the colour back');
      throw error;
    }
    if (!isDeepStrictEqual(before, next)) this.#events.emit('led', next);
  }

  async #show(state: LedState, line: LogLine): Promise<void> {
    try {
      await this.#part.use((driver) => driver.apply(state));
    } catch (error) {
      this.#log.error({ err: error }, line);
    }
  }
}
