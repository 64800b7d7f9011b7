import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import type { PartInfo } from '../../contract/system.ts';
import { type Clock, systemClock } from '../../observe/clock.ts';
import type { EventBus } from '../../observe/eventBus.ts';
import type { Logger } from '../../observe/log.ts';
import { Part } from '../part.ts';
import type { Permission, PowerDriver } from './driver.ts';

interface PowerOptions {
  /** null where the board has no power control. */
  readonly driver: PowerDriver | null;
  /** Whether the panel sleeps, told by whoever puts it to sleep. */
  readonly sleepState: () => 'awake' | 'asleep';
  readonly events: EventBus;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Time for the answer to reach its caller before the panel goes down, in milliseconds. */
const ANSWER_MS = 500;
/** A panel that still runs after this time was not restarted. */
const STILL_UP_MS = 60_000;
/** How long the simulated panel is gone. */
const SIMULATED_BOOT_MS = 2_000;

/** Restarts the panel, and suspends it for the sleep schedule. */
export class PowerService {
  readonly #part: Part<PowerDriver>;
  readonly #sleepState: () => 'awake' | 'asleep';
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #clock: Clock;
  #rebooting = false;
  /** A restart that was promised to a caller and not yet asked of the system. */
  #promised = false;
  #working: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;

  constructor({ driver, sleepState, events, log, clock = systemClock }: PowerOptions) {
    this.#part = new Part('power control', driver, log, 'HARDWARE_ERROR');
    this.#sleepState = sleepState;
    this.#events = events;
    this.#log = log;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.#rebooting = false;
    await this.#part.start();
  }

  /** A restart that was promised is asked for now: its caller has the answer already. */
  async stop(): Promise<void> {
    this.#cancelTimer?.();
    if (this.#promised) this.#working = this.#reboot();
    await this.#working;
    this.#cancelTimer?.();
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** The state for the first event of a listener. */
  snapshot(): EventPayload<'power'> {
    return { state: this.#rebooting ? 'rebooting' : this.#sleepState() };
  }

  /**
   * Answers first; the panel goes down half a second later. A second call while it does changes nothing.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async reboot(): Promise<ResultOf<'system.reboot'>> {
    refuseUnless(await this.#part.use((driver) => driver.canReboot()), 'restart', 'reboot');
    if (!this.#rebooting) {
      this.#rebooting = true;
      this.#promised = true;
      this.#log.warn('the panel restarts: a caller asked for it');
      this.#events.emit('power', { state: 'rebooting' });
      this.#cancelTimer = this.#clock.after(ANSWER_MS, () => {
        this.#working = this.#reboot();
      });
    }
    return { status: 'rebooting' };
  }

  /** Never fails: false where it cannot be told, and while the panel restarts. */
  async canSuspend(): Promise<boolean> {
    if (this.#rebooting) return false;
    try {
      return (await this.#part.use((driver) => driver.canSuspend())) === 'yes';
    } catch (error) {
      this.#log.debug({ err: error }, 'whether the panel can be suspended cannot be told');
      return false;
    }
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async suspend(): Promise<void> {
    await this.#part.use((driver) => driver.suspend());
  }

  async #reboot(): Promise<void> {
    this.#promised = false;
    let stillUp = this.#part.info().state === 'simulated' ? SIMULATED_BOOT_MS : STILL_UP_MS;
    try {
      await this.#part.use((driver) => driver.reboot());
    } catch (error) {
      this.#log.error({ err: error }, 'the panel could not be restarted');
      stillUp = 0;
    }
    this.#cancelTimer = this.#clock.after(stillUp, () => {
      this.#rebooting = false;
      this.#events.emit('power', this.snapshot());
    });
  }
}

function refuseUnless(permission: Permission, verb: string, action: string): void {
  if (permission === 'yes') return;
  throw new FaceplateError(
    'HARDWARE_ERROR',
    permission === 'na'
      ? `This system cannot ${verb} itself.`
      : `The system does not let Faceplate ${verb} the panel: allow its user org.freedesktop.login1.${action} in polkit.`,
  );
}
