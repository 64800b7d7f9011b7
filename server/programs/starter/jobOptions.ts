import type { JobAnswer } from '../../platform/kioskJobs.ts';
import type { Logger } from '../../platform/log.ts';

/** What every job has. */
export interface JobOptions {
  /** The connection of the service, an open file. */
  readonly socket: number;
  readonly env: NodeJS.ProcessEnv;
  readonly answer: (answer: JobAnswer) => void;
  /** Made when there is something to say: a sound waits for nothing that it does not need. */
  readonly log: () => Promise<Logger>;
}
