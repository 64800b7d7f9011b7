import { type SoundName, soundName } from './contract.ts';

/** What is to be heard: a sound, a text, or a sound and then a text. */
export interface SoundRequest {
  /** Of its events; a new one when it is left out. */
  readonly id?: string;
  readonly name?: SoundName;
  /** Instead of `name`: an http or https address, or a file of the active project. */
  readonly url?: string;
  /** Spoken after the sound. */
  readonly text?: string;
  /** Of `text`; default: that of the panel. */
  readonly language?: string;
  /** Percent of the panel's volume; default 100. */
  readonly volume?: number;
  /** How often sound and text are repeated; default 1. What lasts until it is stopped goes on after a call. */
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
  /** Whether somebody knows its id and so is told what becomes of it. */
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
