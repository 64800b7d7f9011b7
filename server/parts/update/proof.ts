import type { PageState } from '../../kiosk/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { ProvenPanel } from './driver.ts';

/** How long a version has to be well, and when it has failed, in milliseconds. */
const WELL_MS = 60_000;
const LIMIT_MS = 15 * 60_000;
const LOOK_MS = 1_000;

interface ProofOptions {
  readonly panel: ProvenPanel;
  /** What the page was before the update, where it was not shown; null: it was. */
  readonly pageBefore: PageState['state'] | null;
  readonly clock: Clock;
  onGood(): void;
  /** @param reason a sentence */
  onFailed(reason: string): void;
}

/** The proof of a new version: the service is well, and the page shown, for a minute on end. */
export class Proof {
  readonly #options: ProofOptions;
  #isReady = false;
  #wellSince: number | undefined;
  #page: string | undefined;
  #cancels: (() => void)[] = [];

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** Begins the 15 minutes; nothing counts before `ready`. */
  start(): void {
    const { clock, onFailed } = this.#options;
    const limit = clock.after(LIMIT_MS, () => {
      this.stop();
      onFailed(`It did not prove itself within ${LIMIT_MS / 60_000} minutes: ${this.#whyNot()}.`);
    });
    this.#cancels = [limit];
    this.#look();
  }

  /** The start is over: from now on the panel can be well. */
  ready(): void {
    this.#isReady = true;
  }

  stop(): void {
    for (const cancel of this.#cancels.splice(0)) cancel();
  }

  #look(): void {
    const { clock, onGood } = this.#options;
    const now = clock.now();
    const page = this.#options.panel.page();
    if (!this.#isWell()) this.#wellSince = undefined;
    else if (this.#wellSince === undefined || page?.since !== this.#page) {
      this.#wellSince = now;
      this.#page = page?.since;
    }
    if (this.#wellSince !== undefined && now - this.#wellSince >= WELL_MS) {
      this.stop();
      onGood();
      return;
    }
    this.#cancels[1] = clock.after(LOOK_MS, () => this.#look());
  }

  #isWell(): boolean {
    const { panel, pageBefore } = this.#options;
    if (!this.#isReady || !panel.isWell()) return false;
    const state = panel.page()?.state;
    // A server that is away says nothing about this version.
    return state === undefined || state === 'shown' || state === 'waiting' || state === pageBefore;
  }

  #whyNot(): string {
    const { panel } = this.#options;
    if (!this.#isReady) return 'its start did not end';
    if (!panel.isWell()) return 'the service was not well';
    return this.#isWell() ? 'the page did not stay as it was' : `the page was ${panel.page()?.state}`;
  }
}
