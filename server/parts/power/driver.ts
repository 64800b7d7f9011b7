import { errnoError } from '../../platform/errno.ts';
import type { DeviceDriver } from '../device.ts';

/**
 * logind's answer to CanReboot and CanSuspend: `challenge` asks for a password, `na` means not possible on this
 * machine.
 */
export type Permission = 'yes' | 'no' | 'challenge' | 'na';

/** Restarts and suspends the machine. Failures are errno exceptions or FaceplateError HARDWARE_ERROR. */
export interface PowerDriver extends DeviceDriver {
  canReboot(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine shuts down a moment later. */
  reboot(): Promise<void>;
  canSuspend(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine is suspended a moment later. */
  suspend(): Promise<void>;
}

/** A machine that only pretends to restart. It is never suspended: only its dark display shows sleep. */
export class SimulatedPower implements PowerDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  #reboots = 0;

  async start(): Promise<void> {}

  async stop(): Promise<void> {}

  async canReboot(): Promise<Permission> {
    return 'yes';
  }

  async reboot(): Promise<void> {
    this.#reboots++;
  }

  async canSuspend(): Promise<Permission> {
    return 'na';
  }

  async suspend(): Promise<void> {
    throw errnoError('EOPNOTSUPP', 'the simulated panel cannot be suspended');
  }

  /** How often it was restarted. */
  get reboots(): number {
    return this.#reboots;
  }
}
