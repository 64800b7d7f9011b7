import type { PowerSaveBlocker } from 'electron';

/** Keeps the system from switching the screen off while the panel is awake; a sleeping one may save power. */
export class ScreenPower {
  readonly #blocker: PowerSaveBlocker;
  #held: number | undefined;

  constructor(blocker: PowerSaveBlocker) {
    this.#blocker = blocker;
  }

  keepOn(): void {
    this.#held ??= this.#blocker.start('prevent-display-sleep');
  }

  letGo(): void {
    if (this.#held !== undefined) this.#blocker.stop(this.#held);
    this.#held = undefined;
  }
}
