import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { IntercomPage, Tone } from '../ports.ts';
import { CALL_MAX_VOLUME } from '../sipContract.ts';

/** Milliseconds for which a failed call is shown, with the busy tone if the remote party is busy. */
export const FAILED_SHOWN_MS = 5_000;

/** The last failure: a sentence for a person, and for a while the failed call too. */
export class FailureNotice {
  /** Why the last action failed; null once an action succeeds or the next call starts. */
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

  /** Whether a failed call is shown now. */
  get isShown(): boolean {
    return this.#call !== undefined;
  }

  /** Whether that call failed because the remote party is busy. */
  get isBusy(): boolean {
    return this.#call?.busy ?? false;
  }

  /** Shows a failed call, in place of any other tone. */
  show({ busy, sentence }: { readonly busy: boolean; readonly sentence: string }): void {
    this.problem = sentence;
    this.#call = { busy };
    void this.#sound.play(busy ? 'busy' : 'none');
    this.#cancelHide = this.#clock.after(FAILED_SHOWN_MS, () => this.hide());
  }

  /** Stops showing the failed call; its sentence stays. */
  hide(): void {
    this.#cancelHide();
    if (this.isBusy) void this.#sound.play('none');
    this.#call = undefined;
  }

  /** A new action starts: clears everything. */
  clear(): void {
    this.hide();
    this.problem = null;
  }

  /** Runs an action that may fail; a failure becomes the `problem`. @param what sentence for the case that it fails */
  async attempt(what: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#log.warn({ err: error, action: what }, 'intercom: action failed');
      this.problem = error instanceof FaceplateError ? `${what}: ${error.message}` : `${what}.`;
    }
  }
}

/** Tones and volume of the intercom page, sent again when it reconnects. No method rejects. */
export class PanelSound {
  readonly #page: IntercomPage;
  readonly #log: Logger;
  readonly #volume: () => number;
  #tone: Tone = 'none';

  /** @param volume 0 to CALL_MAX_VOLUME */
  constructor(page: IntercomPage, volume: () => number, log: Logger) {
    this.#page = page;
    this.#volume = volume;
    this.#log = log;
  }

  /** Plays a tone, or `none`. False: it cannot be played now. */
  async play(tone: Tone): Promise<boolean> {
    this.#tone = tone;
    try {
      await this.#page.play(tone);
      return true;
    } catch (error) {
      this.#log.warn({ err: error, tone }, 'intercom: could not play a tone');
      return false;
    }
  }

  applyVolume(): void {
    this.#page
      .setVolume(this.#volume() / CALL_MAX_VOLUME)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'intercom: could not set the volume'));
  }

  /** The intercom page is back, and silent. */
  pageCameBack(): void {
    this.applyVolume();
    if (this.#tone !== 'none') void this.play(this.#tone);
  }
}
