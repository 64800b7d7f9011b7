import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import type { PanelSound } from './panelSound.ts';

/** Milliseconds that a call that failed is shown as such, with the busy tone where the far end is busy. */
export const FAILED_SHOWN_MS = 5_000;

/** What failed last: a sentence for a person, and for a while the failed call itself. */
export class FailureNotice {
  /** Why the last thing failed; null once something succeeds, or the next call begins. */
  problem: string | null = null;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #sound: PanelSound;
  #call: { readonly busy: boolean } | undefined;
  #cancelHide: () => void = () => {};

  constructor({ clock, log, sound }: { clock: Clock; log: Logger; sound: PanelSound }) {
    this.#clock = clock;
    this.#log = log;
    this.#sound = sound;
  }

  /** Whether a call that failed is shown. */
  get isShown(): boolean {
    return this.#call !== undefined;
  }

  /** Whether that call failed because the far end is busy. */
  get isBusy(): boolean {
    return this.#call?.busy ?? false;
  }

  /** Shows a call that failed, in place of every other tone. */
  show({ busy, sentence }: { readonly busy: boolean; readonly sentence: string }): void {
    this.problem = sentence;
    this.#call = { busy };
    void this.#sound.play(busy ? 'busy' : 'none');
    this.#cancelHide = this.#clock.after(FAILED_SHOWN_MS, () => this.hide());
  }

  /** The failed call is shown no longer; its sentence stays. */
  hide(): void {
    this.#cancelHide();
    if (this.isBusy) void this.#sound.play('none');
    this.#call = undefined;
  }

  /** Something new begins. */
  clear(): void {
    this.hide();
    this.problem = null;
  }

  /** Does something that may fail; a failure is the `problem`. @param what in words, should it fail */
  async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn({ err: error }, what);
      this.problem = error instanceof FaceplateError ? `${what}: ${error.message}` : `${what}.`;
    }
  }
}
