import { errnoError } from '../../platform/errno.ts';
import type { Permission, PowerDriver } from './driver.ts';

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
