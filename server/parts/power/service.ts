import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import type { PartInfo } from '../../contract/system.ts';
import { doubled } from '../../platform/async.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { Device } from '../device.ts';
import type { PowerState } from '../powerState.ts';
import type { Permission, PowerDriver } from './driver.ts';

interface PowerOptions {
  /** null when the board has no power control. */
  readonly driver: PowerDriver | null;
  readonly state: PowerState;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** Time for the answer to reach its caller before the panel shuts down, in milliseconds. */
const ANSWER_MS = 500;
/** A panel that still runs after this time has failed to restart, in milliseconds. */
const STILL_UP_MS = 60_000;
/** A power control that does not answer yet, as at boot, is asked again after these delays, in milliseconds. */
const AGAIN_FIRST_MS = 5_000;
const AGAIN_MOST_MS = 60_000;
/** How long the simulated panel stays away. */
const SIMULATED_BOOT_MS = 2_000;

/** Restarts the panel, and suspends it for the sleep schedule. */
export class PowerService {
  readonly #part: Device<PowerDriver>;
  readonly state: PowerState;
  readonly #log: Logger;
  readonly #clock: Clock;
  /** A restart that a caller was promised and that the system was not asked for yet. */
  #promised = false;
  #working: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #cancelLook: (() => void) | undefined;

  constructor({ driver, state, log, clock = systemClock }: PowerOptions) {
    this.#part = new Device('power control', driver, log, 'HARDWARE_ERROR');
    this.state = state;
    this.#log = log;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    this.state.setRebooting(false);
    await this.#part.start();
    this.#lookAgain(0);
  }

  /** Asks for a promised restart now: its caller already has the answer. */
  async stop(): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelLook?.();
    if (this.#promised) this.#working = this.#reboot();
    await this.#working;
    this.#cancelTimer?.();
    await this.#part.stop();
    // A check in flight may have planned the next one.
    this.#cancelLook?.();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** The state for the first event of a listener. */
  snapshot(): EventPayload<'power'> {
    return this.state.now;
  }

  /**
   * Answers first; the panel shuts down half a second later. A second call meanwhile changes nothing.
   * @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async reboot(): Promise<ResultOf<'system.reboot'>> {
    refuseUnless(await this.#part.use((driver) => driver.canReboot()), 'restart', 'reboot');
    if (!this.#isRebooting) {
      this.#promised = true;
      this.#log.warn('power: restart of the panel requested');
      this.state.setRebooting(true);
      this.#cancelTimer = this.#clock.after(ANSWER_MS, () => {
        this.#working = this.#reboot();
      });
    }
    return { status: 'rebooting' };
  }

  /** Never fails: false when the system does not say, and while the panel restarts. */
  async canSuspend(): Promise<boolean> {
    if (this.#isRebooting) return false;
    try {
      return (await this.#part.use((driver) => driver.canSuspend())) === 'yes';
    } catch (error) {
      this.#log.debug({ err: error }, 'power: could not find out whether the panel can be suspended');
      return false;
    }
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async suspend(): Promise<void> {
    await this.#part.use((driver) => driver.suspend());
  }

  get #isRebooting(): boolean {
    return this.state.now.state === 'rebooting';
  }

  #lookAgain(failures: number): void {
    if (!this.#part.mayCome) return;
    this.#cancelLook = this.#clock.after(doubled(failures, AGAIN_FIRST_MS, AGAIN_MOST_MS), async () => {
      await this.#part.use(async () => undefined).catch(() => undefined);
      if (this.#part.present) this.#log.info('power: control answers again');
      else this.#lookAgain(failures + 1);
    });
  }

  async #reboot(): Promise<void> {
    this.#promised = false;
    let stillUp = this.#part.info().state === 'simulated' ? SIMULATED_BOOT_MS : STILL_UP_MS;
    try {
      await this.#part.use((driver) => driver.reboot());
    } catch (error) {
      this.#log.error({ err: error }, 'power: could not restart the panel');
      stillUp = 0;
    }
    this.#cancelTimer = this.#clock.after(stillUp, () => {
      this.state.setRebooting(false);
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
