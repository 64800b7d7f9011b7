import type { Clock } from '../../platform/clock.ts';
import type { DialogAnswer, PageDialog } from '../host.ts';
import type { GlassEvent } from './contract.ts';
import type { Glass } from './glass.ts';

/** How long a question waits for a person, in milliseconds. */
const PATIENCE_MS = 5 * 60_000;
/** A question that comes so soon after the one before, in milliseconds, is of the same row. */
const ROW_MS = 1_000;
/** So many in a row are asked that no person has answered. A loop must not hold the panel. */
const LONGEST_ROW = 5;
/** A person cannot have read a question that is answered sooner, in milliseconds. */
const READ_MS = 300;
/** How much of a text is shown, in characters: a page may make it as long as it likes. */
const TEXT_LIMIT = 2_000;
const VALUE_LIMIT = 10_000;
const ORIGIN_LIMIT = 300;

const CANCELLED: DialogAnswer = { accepted: false, value: '' };

interface PageDialogsOptions {
  readonly glass: Pick<Glass, 'set' | 'onEvent'>;
  readonly clock: Clock;
}

/** `alert`, `confirm` and `prompt` of the kiosk page, as dialogs of ours. */
export class PageDialogs {
  readonly #options: PageDialogsOptions;
  #count = 0;
  #open: { readonly id: string; readonly since: number; answer(answer: DialogAnswer): void } | undefined;
  #inRow = 0;
  /** Whether the row was left unanswered: no person is there. */
  #isLeft = false;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(options: PageDialogsOptions) {
    this.#options = options;
    options.glass.onEvent((event) => this.#hear(event));
  }

  /** @see HostDependencies.onDialog */
  async ask({ kind, origin, text, value }: PageDialog, gone: AbortSignal): Promise<DialogAnswer> {
    if (gone.aborted) return CANCELLED;
    const { clock, glass } = this.#options;
    if (clock.now() - this.#lastAt > ROW_MS) {
      this.#inRow = 0;
      this.#isLeft = false;
    }
    this.#inRow++;
    const since = clock.now();
    this.#lastAt = since;
    if (this.#open !== undefined || this.#isLeft || this.#inRow > LONGEST_ROW)
      return { ...CANCELLED, refused: 'dialog refused, the page opens too many' };

    const id = String(++this.#count);
    const { promise, resolve } = Promise.withResolvers<DialogAnswer>();
    this.#open = { id, answer: resolve, since };
    const onGone = () => resolve(CANCELLED);
    gone.addEventListener('abort', onGone);
    const endWait = clock.after(PATIENCE_MS, () => {
      this.#isLeft = true;
      resolve(CANCELLED);
    });
    glass
      .set('dialog', {
        id,
        kind,
        origin: cut(origin, ORIGIN_LIMIT),
        text: cut(text, TEXT_LIMIT),
        value: cut(value, VALUE_LIMIT),
      })
      // Without a window for it no person can answer.
      .catch(() => resolve(CANCELLED));
    try {
      return await promise;
    } finally {
      endWait();
      gone.removeEventListener('abort', onGone);
      this.#open = undefined;
      this.#lastAt = clock.now();
      glass.set('dialog', null).catch(() => {});
    }
  }

  /** Something else needs the screen: the question that is open is cancelled. */
  cancel(): void {
    this.#open?.answer(CANCELLED);
  }

  #hear(event: GlassEvent): void {
    const open = this.#open;
    if (event.slot !== 'dialog' || event.id !== open?.id) return;
    if (this.#options.clock.now() - open.since >= READ_MS) this.#inRow = 0;
    open.answer({ accepted: event.accepted, value: cut(event.value, VALUE_LIMIT) });
  }
}

function cut(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}
