import { FaceplateError } from '../../contract/errors.ts';
import type { Job } from './job.ts';

/** Sounds that may wait. */
const MAX_WAITING = 20;

interface QueueOptions {
  /** Plays a job. Resolves once it has been heard; rejects when it fails or its signal aborts. */
  play(job: Job): Promise<void>;
  /** It is over: it was heard or stopped, or it failed. */
  onEnded(job: Job, failure?: unknown): void;
}

/** Plays one job after the other. While it is held, nothing plays. */
export class SoundQueue {
  readonly #options: QueueOptions;
  #waiting: Job[] = [];
  #current: Job | undefined;
  #isHeld = false;
  #running: Promise<void> | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  get isHeld(): boolean {
    return this.#isHeld;
  }

  /** Whether a new job would begin at once. */
  get isFree(): boolean {
    return this.#current === undefined && this.#waiting.length === 0;
  }

  /** @throws FaceplateError CONFLICT when too many wait */
  add(job: Job): void {
    if (job.request.urgent) {
      const behind = this.#waiting.findIndex(({ request }) => !request.urgent);
      this.#waiting.splice(behind === -1 ? this.#waiting.length : behind, 0, job);
      if (this.#current && !this.#current.request.urgent) this.#current.end();
    } else {
      if (this.#waiting.length >= MAX_WAITING)
        throw new FaceplateError(
          'CONFLICT',
          `${MAX_WAITING} sounds wait already. Stop them, or try again later.`,
        );
      this.#waiting.push(job);
    }
    this.#pump();
  }

  /** Ends a job, whether it plays or waits. */
  end(job: Job): void {
    if (job.isEnded) return;
    const waited = this.#waiting.indexOf(job);
    job.end();
    if (waited === -1) return;
    this.#waiting.splice(waited, 1);
    this.#options.onEnded(job);
  }

  endAll(): void {
    for (const job of [this.#current, ...this.#waiting]) if (job) this.end(job);
  }

  /** Silence: everything ends but what lasts until it is stopped; that waits for `release`. */
  hold(): void {
    this.#isHeld = true;
    for (const job of [...this.#waiting]) if (!job.lasts) this.end(job);
    if (this.#current?.lasts) this.#current.pause();
    else if (this.#current) this.end(this.#current);
  }

  release(): void {
    this.#isHeld = false;
    this.#pump();
  }

  /** Resolves once nothing plays any more. */
  async settled(): Promise<void> {
    await this.#running;
  }

  #pump(): void {
    if (this.#current || this.#isHeld) return;
    const job = this.#waiting.shift();
    if (!job) return;
    this.#current = job;
    this.#running = this.#run(job).finally(() => {
      this.#current = undefined;
      this.#pump();
    });
  }

  async #run(job: Job): Promise<void> {
    const { signal } = job;
    try {
      await this.#options.play(job);
    } catch (error) {
      if (!signal.aborted) {
        job.fail(error);
        return this.#options.onEnded(job, error);
      }
      if (!job.isEnded) {
        // Paused: it is the first to go on.
        this.#waiting.unshift(job);
        return;
      }
    }
    job.end();
    this.#options.onEnded(job);
  }
}
