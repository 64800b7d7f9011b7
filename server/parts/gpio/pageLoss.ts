import type { Clock } from '../../platform/clock.ts';

/** How long until pins that could not be made safe are tried again, in milliseconds. */
const AGAIN_MS = 1_000;

interface PageLossOptions {
  /** Seconds without the page until it counts as lost; null: it never does. */
  readonly after: number | null;
  readonly clock: Clock;
  /** The page is lost. Tried again each second while it fails. */
  readonly lost: () => Promise<void>;
}

/** Notices that the page is gone for too long; a reload that shows in time is no loss. */
export class PageLoss {
  readonly #options: PageLossOptions;
  /** Undefined while the page is shown; once it is lost, until it is shown again. */
  #cancel: (() => void) | undefined;

  constructor(options: PageLossOptions) {
    this.#options = options;
  }

  /** The page is shown, or it is not. */
  pageIs(isShown: boolean): void {
    const { after } = this.#options;
    if (isShown) this.stop();
    else if (after !== null) this.#cancel ??= this.#lostAfter(after * 1_000);
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #lostAfter(ms: number): () => void {
    const { clock, lost } = this.#options;
    let isOver = false;
    const cancel = clock.after(ms, () => {
      lost().catch(() => {
        if (!isOver) this.#cancel = this.#lostAfter(AGAIN_MS);
      });
    });
    return () => {
      isOver = true;
      cancel();
    };
  }
}
