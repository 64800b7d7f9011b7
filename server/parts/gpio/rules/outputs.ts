import { FaceplateError } from '../../../contract/errors.ts';
import type { WallClock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { Level, OutputRecords, PinState } from '../contract.ts';
import type { GpioDriver, OutputRules } from '../driver.ts';
import { DiskWait, type Pulse, Pulses } from './pulses.ts';
import { isWatched, lockedWith, OnLimits, offFirst, restLevels, safeLevels } from './rules.ts';

interface OutputsOptions {
  readonly rules: OutputRules;
  readonly dataDir: string;
  readonly clock: WallClock;
  readonly labels: readonly string[];
  readonly driver: GpioDriver | null;
  /** Runs work on the driver; its errors are those of the contract. */
  readonly use: <T>(work: (driver: GpioDriver) => Promise<T>) => Promise<T>;
  /** Runs work in turn with the calls. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
  /** The panel writes this level from now on; undefined: it no longer does. */
  readonly writing: (write: PinState | undefined) => void;
  /** A level was read back. */
  readonly saw: (state: PinState) => void;
  readonly log: Logger;
}

/**
 * The one place that moves a pin, for any caller. It enforces the rules of the board profile: no two pins of an
 * interlock are 1 together, no pin is 1 for longer than it may, and each pulse ends. What it does not know it takes for
 * 1. Its methods run one after the other.
 */
export class Outputs {
  readonly #options: OutputsOptions;
  readonly #rules: OutputRules;
  readonly #pulses: Pulses;
  readonly #limits: OnLimits;
  readonly #disk: DiskWait;
  /** Pins that may be 1 although they could not be read: a write of 1 failed halfway. */
  readonly #doubtful = new Set<number>();
  /** Pins whose failure is in the log already. */
  readonly #troubled = new Set<number>();
  #isStopped = false;

  constructor(options: OutputsOptions) {
    this.#options = options;
    const { rules, dataDir, clock, driver, inTurn, log } = options;
    this.#rules = rules;
    this.#disk = new DiskWait(inTurn);
    this.#pulses = new Pulses({
      dataDir,
      wiring: driver?.wiring ?? null,
      rest: restLevels(rules),
      clock,
      due: (pin, pulse) => {
        const end = () => this.#endPulse(pin, pulse);
        if (pulse.back === 0) this.#disk.switchOff(end);
        else void inTurn(end).catch(() => undefined);
      },
      log,
    });
    this.#limits = new OnLimits({
      maxOnMs: rules.maxOnMs,
      clock,
      due: (pin) => this.#disk.switchOff(() => this.#cut(pin)),
    });
  }

  /** Before any pin moves: what has to happen when the service is killed is on disk. @returns pulses of an earlier run */
  load(): Promise<OutputRecords['pulses']> {
    this.#isStopped = false;
    return this.#pulses.start();
  }

  /** Ends what an earlier run left; the driver has driven the safe levels already. */
  async recover(left: OutputRecords['pulses']): Promise<void> {
    const rest = new Set(restLevels(this.#rules).map(({ pin }) => pin));
    for (const { pin, level } of offFirst(left.map(({ pin, back }) => ({ pin, level: back })))) {
      if (rest.has(pin)) await this.#forget(pin);
      else await this.#setBackOrRetry(pin, level);
    }
  }

  /** Switches both pins of an interlock off that were found on. */
  async separate(levelOf: (pin: number) => Level | undefined): Promise<void> {
    for (const pair of this.#rules.interlock) {
      if (!pair.every((pin) => levelOf(pin) === 1)) continue;
      const names = pair.map((pin) => this.#name(pin));
      this.#options.log.error(
        { pins: pair, names },
        'gpio: both pins of an interlock were on, switching both off',
      );
      for (const pin of pair) await this.#move(pin, 0).catch((error: unknown) => this.#failed(pin, error));
    }
  }

  /** Ends all pulses, at the levels at which the pins rest. */
  async stop(): Promise<void> {
    const rest = new Map(restLevels(this.#rules).map(({ pin, level }) => [pin, level]));
    const ends = this.#pulses.backs.map(({ pin, level }) => ({ pin, level: rest.get(pin) ?? level }));
    for (const { pin, level } of offFirst(ends)) {
      try {
        await this.#setBack(pin, level);
        await this.#forget(pin);
      } catch (error) {
        // It stays on disk, for the next start.
        this.#failed(pin, error);
      }
    }
    this.#isStopped = true;
    this.#pulses.stop();
    this.#limits.stop();
    this.#doubtful.clear();
  }

  /** A level was seen that the panel may not have written. */
  noticed({ pin, level }: PinState): void {
    this.#limits.is(pin, level);
  }

  /** @throws FaceplateError LOCKED_OUT, HARDWARE_ERROR */
  async write(pin: number, level: Level): Promise<void> {
    this.#mustRun();
    if (level === 1) await this.#mustBeFree(pin);
    await this.#move(pin, level);
    await this.#forget(pin);
  }

  /**
   * @returns its end, ISO 8601
   * @throws FaceplateError LOCKED_OUT, STORAGE_FULL, HARDWARE_ERROR; in the last case the pin is set back
   */
  async pulse(pin: number, level: Level, ms: number): Promise<string> {
    this.#mustRun();
    if (level === 1) await this.#mustBeFree(pin);
    const back = this.#pulses.of(pin)?.back ?? (await this.#options.use((driver) => driver.read(pin)));
    await this.#disk.until(() => this.#pulses.note(pin, back));
    try {
      await this.#move(pin, level);
    } catch (error) {
      await this.#undo(pin, back);
      throw error;
    }
    const longest = level === 1 ? this.#limits.left(pin) : ms;
    return this.#pulses.begin(pin, back, Math.max(0, Math.min(ms, longest)));
  }

  /** A caller switches a pin off in its turn: now already, while the call whose turn it is waits for the disk. */
  switchOffMeanwhile(pin: number): void {
    if (!this.#isStopped && this.#disk.isWaiting) this.#disk.switchOff(() => this.#move(pin, 0));
  }

  /** Drives the safe levels in turn with the calls; those that are 0 also while one waits for the disk. */
  makeSafe(): Promise<void> {
    for (const { pin, level } of safeLevels(this.#rules)) if (level === 0) this.switchOffMeanwhile(pin);
    return this.#options.inTurn(() => this.#driveSafe());
  }

  /** @throws the first failure, when all have been tried */
  async #driveSafe(): Promise<void> {
    const failures: unknown[] = [];
    for (const { pin, level } of safeLevels(this.#rules))
      await this.write(pin, level).catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  /** When the pulse of a pin ends, ISO 8601; null when there is none. */
  until(pin: number): string | null {
    return this.#pulses.until(pin);
  }

  /** The pin that forbids level 1 here, as far as the levels are known; null when none does. */
  lockedBy(pin: number, levelOf: (pin: number) => Level | undefined): number | null {
    if (levelOf(pin) === 1) return null;
    const others = lockedWith(this.#rules, pin);
    return others.find((other) => levelOf(other) === 1 || this.#isClaimed(other)) ?? null;
  }

  /** Nothing would end what begins now. */
  #mustRun(): void {
    if (this.#isStopped) throw new FaceplateError('SHUTTING_DOWN');
  }

  /** @throws FaceplateError LOCKED_OUT, or HARDWARE_ERROR when it is unknown whether the other pin is on */
  async #mustBeFree(pin: number): Promise<void> {
    for (const other of lockedWith(this.#rules, pin)) {
      const isOn = (await this.#options.use((driver) => driver.read(other))) === 1;
      if (!isOn && !this.#isClaimed(other)) continue;
      const why = isOn ? 'is on' : 'may be on, or goes back on at the end of its pulse';
      throw new FaceplateError(
        'LOCKED_OUT',
        `${this.#name(pin)} must never be on together with ${this.#name(other)}, which ${why}.`,
      );
    }
  }

  #isClaimed(pin: number): boolean {
    return this.#doubtful.has(pin) || this.#pulses.of(pin)?.back === 1;
  }

  /** Writes and reads back. @throws FaceplateError HARDWARE_ERROR, also when another level is read */
  async #move(pin: number, level: Level): Promise<void> {
    const mayStayOn = level === 1 && isWatched(this.#rules, pin);
    if (mayStayOn) {
      // Before the write: from here on it may be on, whatever the driver answers.
      this.#limits.is(pin, 1);
      this.#doubtful.add(pin);
    }
    try {
      await this.#drive(pin, level);
    } catch (error) {
      if (mayStayOn) await this.#drive(pin, 0).catch(() => undefined);
      throw error;
    }
  }

  async #drive(pin: number, level: Level): Promise<void> {
    const { use, writing, saw } = this.#options;
    writing({ pin, level });
    try {
      const actual = await use(async (driver) => {
        await driver.write(pin, level);
        return driver.read(pin);
      });
      saw({ pin, level: actual });
      if (actual !== level) {
        const sentence = `${this.#name(pin)} was set to ${level} but reads ${actual}: check its wiring.`;
        throw new FaceplateError('HARDWARE_ERROR', sentence);
      }
      this.#doubtful.delete(pin);
      this.#troubled.delete(pin);
    } finally {
      writing(undefined);
    }
  }

  /** As before its pulse; but not on, when another pin forbids it by now. */
  async #setBack(pin: number, back: Level): Promise<void> {
    if (back === 1) {
      try {
        await this.#mustBeFree(pin);
      } catch (error) {
        this.#options.log.warn({ err: error, pin }, 'gpio: a pin stays off at the end of its pulse');
        await this.#move(pin, 0);
        return;
      }
    }
    await this.#move(pin, back);
  }

  /** A pulse that could not begin. A pin that cannot be driven at all, such as an input, has nothing to go back from. */
  async #undo(pin: number, back: Level): Promise<void> {
    try {
      await this.#setBack(pin, back);
    } catch {
      const level = await this.#options.use((driver) => driver.read(pin)).catch(() => undefined);
      if (level !== back) {
        this.#pulses.again(pin, back);
        return;
      }
    }
    await this.#forget(pin);
  }

  async #setBackOrRetry(pin: number, back: Level): Promise<void> {
    try {
      await this.#setBack(pin, back);
    } catch (error) {
      this.#failed(pin, error);
      this.#pulses.again(pin, back);
      return;
    }
    await this.#forget(pin);
  }

  async #endPulse(pin: number, pulse: Pulse): Promise<void> {
    if (this.#pulses.of(pin) === pulse) await this.#setBackOrRetry(pin, pulse.back);
  }

  async #cut(pin: number): Promise<void> {
    if (!this.#limits.isOver(pin)) return;
    try {
      await this.#move(pin, 0);
    } catch (error) {
      this.#failed(pin, error);
      this.#limits.again(pin);
      return;
    }
    this.#options.log.warn(
      { pin, name: this.#name(pin) },
      'gpio: the longest time on has passed, switching off',
    );
    await this.#forget(pin);
  }

  async #forget(pin: number): Promise<void> {
    this.#pulses.end(pin);
    await this.#disk.until(() => this.#pulses.noteEnd(pin));
  }

  #failed(pin: number, error: unknown): void {
    if (this.#troubled.has(pin)) return;
    this.#troubled.add(pin);
    this.#options.log.error({ err: error, pin }, 'gpio: could not set a pin, trying again');
  }

  #name(pin: number): string {
    return this.#options.labels[pin] ?? `Pin ${pin}`;
  }
}
