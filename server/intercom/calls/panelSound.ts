import type { Logger } from '../../platform/log.ts';
import type { IntercomPage, Tone } from '../ports.ts';
import { CALL_MAX_VOLUME } from '../sipContract.ts';

/** Tones and loudness of the intercom page, sent again when it comes back. Nothing here rejects. */
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
      this.#log.warn({ err: error, tone }, 'a tone could not be played');
      return false;
    }
  }

  applyVolume(): void {
    this.#page
      .setVolume(this.#volume() / CALL_MAX_VOLUME)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the volume could not be set'));
  }

  /** The intercom page is back, and silent. */
  pageCameBack(): void {
    this.applyVolume();
    if (this.#tone !== 'none') void this.play(this.#tone);
  }
}
