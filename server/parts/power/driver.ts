import type { DeviceDriver } from '../device.ts';

/**
 * logind's answer to CanReboot and CanSuspend: `challenge` asks for a password, `na` means not possible on this
 * machine.
 */
export type Permission = 'yes' | 'no' | 'challenge' | 'na';

/** Restarts and suspends the machine. Failures are errno exceptions or FaceplateError HARDWARE_ERROR. */
export interface PowerDriver extends DeviceDriver {
  canReboot(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine goes down a moment later. */
  reboot(): Promise<void>;
  canSuspend(): Promise<Permission>;
  /** Resolves once the system has agreed; the machine is suspended a moment later. */
  suspend(): Promise<void>;
}
