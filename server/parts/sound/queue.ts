import { FaceplateError } from '../../contract/errors.ts';
import { type SoundName, soundName } from './contract.ts';

/** What is to be heard: a sound, a text, or a sound and then a text. */
export interface SoundRequest {
  /** Of its events; a new one when it is left out. */
  readonly id?: string;
  readonly name?: SoundName;
  /** Instead of `name`: an http or https address, or a file of the active project. */
  readonly url?: string;
  /** Played when `url` fails: somebody has to hear something. */
  readonly instead?: SoundName;
  /** Spoken after the sound. */
  readonly text?: string;
  /** Of `text`; default: that of the panel. */
  readonly language?: string;
  /** Percent of the panel's volume; default 100. */
  readonly volume?: number;
  /** How often sound and text are repeated; default 1. What lasts until it is stopped continues after a call. */
  readonly repeat?: number | 'untilStopped';
  /** Ends what plays now and comes before all that wait. */
  readonly urgent?: boolean;
}

/** What a text means that may be the name of a sound or an address. */
export function soundMeant(sound: string): Pick<SoundRequest, 'name' | 'url'> {
  const name = soundName.safeParse(sound);
  return name.success ? { name: name.data } : { url: sound };
}

/** A sound that was asked for from within the service. */
export interface SoundHandle {
  readonly id: string;
  /** Ends it, whether it plays or waits; nothing when it has ended. */
  stop(): void;
}

/** One entry of the queue. */
export class Job {
  readonly id: string;
  readonly request: SoundRequest;
  /** Resolves when it begins, or when it is ended before. */
  readonly begun: Promise<void>;
  /** Whether a caller knows its id and so learns its outcome. */
  isKnown: boolean;
  hasBegun = false;
  isEnded = false;
  #resolve!: () => void;
  #reject!: (error: unknown) => void;
  #round = new AbortController();

  constructor(id: string, request: SoundRequest, isKnown: boolean) {
    this.id = id;
    this.request = request;
    this.isKnown = isKnown;
    this.begun = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.begun.catch(() => {});
  }

  get lasts(): boolean {
    return this.request.repeat === 'untilStopped';
  }

  /** Aborts when it has to be silent. */
  get signal(): AbortSignal {
    return this.#round.signal;
  }

  begin(): void {
    this.hasBegun = true;
    this.isKnown = true;
    this.#resolve();
  }

  fail(error: unknown): void {
    this.isEnded = true;
    this.#reject(error);
  }

  /** Makes it silent for good. */
  end(): void {
    this.isEnded = true;
    this.isKnown = true;
    this.#resolve();
    this.#round.abort();
  }

  /** Makes it silent until it plays again. */
  pause(): void {
    this.#round.abort();
    this.#round = new AbortController();
  }
}

/** Sounds that may wait. */
const MAX_WAITING = 20;

interface QueueOptions {
  /** Plays a job. Resolves once it has been heard; rejects when it fails or its signal aborts. */
  play(job: Job): Promise<void>;
  /** It is over: it was heard or stopped, or it failed. */
  onEnded(job: Job, failure?: unknown): void;
}

/** Plays one job after the other. While it is paused, nothing plays. */
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
