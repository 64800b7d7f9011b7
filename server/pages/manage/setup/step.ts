import type { PageStatus } from '../../../kiosk/settingsPage/contract.ts';

/** What a step does before the next one comes. @returns false to stay */
export type Leave = () => Promise<boolean>;

export interface StepProps {
  /** Says what to do when the person goes on. */
  readonly beforeNext: (leave: Leave) => void;
  readonly status: PageStatus;
  /** Goes on by itself. */
  readonly next: () => void;
}
