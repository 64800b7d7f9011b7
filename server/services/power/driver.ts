import type { PartDriver } from '../part.ts';

/** logind's answer to CanReboot and CanSuspend: `challenge` asks for a password, `na` is not possible on this machine. */
export type Permission = 'yes' | 'no' | 'challenge' | 'na';

/** Restarts and suspends the machine. Failures are errno exceptions or FaceplateError HARDWARE_ERROR. */
export interface PowerDriver extends PartDriver {
  canReboot(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine goes down a moment later. */
  reboot(): Promise<void>;
  canSuspend(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine stands still a moment later. */
  suspend(): Promise<void>;
}
