import type { ResultOf } from '../../contract/commands.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { RolloutProgress } from '../../parts/fleet/contract.ts';
import type { PinState } from '../../parts/gpio/contract.ts';

/** What the panel says of itself, as GET answers; undefined: it has no such part. */
export interface Panel {
  info(): ResultOf<'system.info'>;
  /** LED, pins, power, schedule, screen and page. */
  snapshot(): Snapshot;
  health(): Promise<ResultOf<'health.state'>>;
  projects(): ResultOf<'projects.list'>;
  /** The status of the intercom. */
  sip(): Promise<ResultOf<'sip.getStatus'> | undefined>;
  update(): ResultOf<'update.state'> | undefined;
  /** A roll-out of this panel. */
  rollout(id: string): RolloutProgress | undefined;
  /** Told of an edge at an input that the panel did not write itself. */
  onInput(listener: (edge: PinState) => void): () => void;
  /** Told of the name of each command that has ended, from any surface. */
  onCall(listener: (command: string) => void): () => void;
}
