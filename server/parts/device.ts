import { type ErrorCode, FaceplateError } from '../contract/errors.ts';
import type { PartInfo } from '../contract/system.ts';
import { errnoOf, errnoWords } from '../platform/errno.ts';
import type { Logger } from '../platform/log.ts';

/** What every driver of a hardware part has in common. Failures are exceptions with a `code` such as ENOENT. */
export interface DeviceDriver {
  /** As in the board profile, such as `ledjni` or `simulated`. */
  readonly name: string;
  /** The device node, or null when there is none. */
  readonly path: string | null;
  readonly simulated: boolean;
  /** Checks whether the part is there, and prepares it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The system errors that mean: this part does not exist. */
const MISSING = ['ENOENT', 'ENODEV', 'ENXIO'];

/** A hardware part as a service holds it: present or absent, with its errors turned into those of the contract. */
export class Device<D extends DeviceDriver> {
  readonly #title: string;
  readonly #driver: D | null;
  readonly #log: Logger;
  readonly #busyCode: ErrorCode;
  /** Whether the part may still come up: the failure did not mean that the part does not exist. */
  #mayCome = false;
  /** Why the part is absent; null once it has been there. */
  #absent: string | null = 'not started';
  #starting: Promise<void> | undefined;
  #stopped = false;

  /**
   * @param title for sentences, such as `LED bar`
   * @param driver null when the board profile leaves the part out
   * @param busyCode what EBUSY means to a caller
   */
  constructor(title: string, driver: D | null, log: Logger, busyCode: ErrorCode = 'CONFLICT') {
    this.#title = title;
    this.#driver = driver;
    this.#log = log;
    this.#busyCode = busyCode;
  }

  /** The driver, whether it is ready or not. */
  get driver(): D | null {
    return this.#driver;
  }

  get present(): boolean {
    return this.#absent === null;
  }

  /** Whether the part is absent for a reason that may pass, such as a part that does not answer yet. */
  get mayCome(): boolean {
    return !this.present && this.#mayCome;
  }

  /** Never fails: a part that is not there counts as absent, and the next `use` looks for it again. */
  async start(): Promise<void> {
    this.#stopped = false;
    try {
      await this.#start();
    } catch (error) {
      if (!(error instanceof FaceplateError)) throw error;
      if (this.#driver)
        this.#log.warn(
          { part: this.#title, path: this.#driver.path, reason: this.#absent },
          'boards: a part is absent',
        );
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#starting?.catch(() => undefined);
    await this.#driver?.stop();
  }

  info(): PartInfo {
    if (!this.#driver) {
      return { driver: 'none', path: null, state: 'absent', reason: 'the board profile leaves it out' };
    }
    const { name, path, simulated } = this.#driver;
    if (this.#absent !== null) return { driver: name, path, state: 'absent', reason: this.#absent };
    return { driver: name, path, state: simulated ? 'simulated' : 'real', reason: null };
  }

  /**
   * Runs `work` on the driver.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (absent), HARDWARE_ERROR, CONFLICT or PORT_BUSY (EBUSY)
   */
  async use<T>(work: (driver: D) => Promise<T> | T): Promise<T> {
    const driver = this.#ready() ?? (await this.#start());
    try {
      return await work(driver);
    } catch (error) {
      throw this.#translated(error);
    }
  }

  /**
   * What a service knows about a part that is there. At once while the part is up, so that the call needs no promise.
   * @throws as `use`; rejects with it where the part has to be looked for
   */
  known<T>(answer: () => T): T | Promise<T> {
    return this.#ready() ? answer() : this.use(answer);
  }

  /** The driver, where it is up and nothing has to be waited for. */
  #ready(): D | undefined {
    return this.#absent === null && !this.#stopped ? (this.#driver ?? undefined) : undefined;
  }

  async #start(): Promise<D> {
    if (this.#stopped) throw new FaceplateError('SHUTTING_DOWN');
    const driver = this.#driver;
    if (!driver) throw new FaceplateError('UNSUPPORTED_HARDWARE', `This board has no ${this.#title}.`);
    if (this.#absent === null) return driver;
    this.#starting ??= driver.start().finally(() => {
      this.#starting = undefined;
    });
    try {
      await this.#starting;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      this.#absent = errnoWords(errno);
      this.#mayCome = !MISSING.includes(errno);
      if (this.#mayCome) throw this.#translated(error);
      const sentence = `This board has no ${this.#title}: ${errnoWords(errno)}.`;
      throw new FaceplateError('UNSUPPORTED_HARDWARE', sentence, { cause: error });
    }
    this.#absent = null;
    return driver;
  }

  #translated(error: unknown): unknown {
    const errno = errnoOf(error);
    if (errno === undefined) return error;
    if (errno === 'EBUSY') {
      const sentence = `The ${this.#title} is in use by another program.`;
      return new FaceplateError(this.#busyCode, sentence, { cause: error });
    }
    const sentence = `The ${this.#title} failed: ${errnoWords(errno)}.`;
    return new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
  }
}

/**
 * The driver of a part, known to be simulated.
 * @param what begins the sentence, such as `The pins of this board are`
 * @throws FaceplateError UNSUPPORTED_HARDWARE when the part is real
 */
export function simulated<D extends { simulate?: unknown }>(
  driver: D,
  what: string,
): D & { simulate: NonNullable<D['simulate']> } {
  if (driver.simulate === undefined)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', `${what} real: nothing to simulate.`);
  return driver as D & { simulate: NonNullable<D['simulate']> };
}
