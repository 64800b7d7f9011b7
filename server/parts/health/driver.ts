import type { HealthState } from './contract.ts';

/** What the machine reports about itself. */
export type MachineFacts = Pick<HealthState, 'uptime' | 'load' | 'temperature' | 'disk' | 'network'> & {
  readonly memory: Pick<HealthState['memory'], 'total' | 'free'>;
};

/** Where the machine's facts come from. */
export interface HealthDriver {
  /** What cannot be read is null, 0 or left out: a missing sensor must not hide the rest. */
  read(): Promise<MachineFacts>;
}
