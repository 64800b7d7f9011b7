import type { DialogAnswer, HostDependencies, PageDialog } from './host.ts';
import type { Refusals } from './recovery/pageEntries.ts';

interface OpenDialogsOptions {
  readonly ask: HostDependencies['onDialog'];
  readonly refusals: Refusals;
}

interface Open {
  readonly gone: AbortController;
  readonly answer: (given: DialogAnswer) => void;
}

const CANCELLED: DialogAnswer = { accepted: false, value: '' };

/** The question of a kiosk page, while it is open: the page is blocked, and answers nothing else. */
export class OpenDialogs {
  readonly #options: OpenDialogsOptions;
  readonly #onOpen = new Set<() => void>();
  #open: Open | undefined;

  constructor(options: OpenDialogsOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** What the page answers, or undefined as soon as it asks a question itself. */
  async unlessOpen<T>(answer: Promise<T>): Promise<T | undefined> {
    if (this.isOpen) return undefined;
    return new Promise((resolve, reject) => {
      const onOpen = () => resolve(undefined);
      this.#onOpen.add(onOpen);
      answer.then(resolve, reject).finally(() => this.#onOpen.delete(onOpen));
    });
  }

  /** @param answer called once, also when the question was not shown or has to go */
  ask(dialog: PageDialog, answer: (given: DialogAnswer) => void): void {
    const { ask, refusals } = this.#options;
    if (ask === undefined || this.#open !== undefined) {
      answer(CANCELLED);
      return;
    }
    const gone = new AbortController();
    const open: Open = { gone, answer };
    this.#open = open;
    for (const onOpen of this.#onOpen) onOpen();
    void ask(dialog, gone.signal).then((given) => {
      if (this.#open !== open) return;
      this.#open = undefined;
      if (given.refused !== undefined) refusals.tell(given.refused);
      answer(given);
    });
  }

  /** The page has left or crashed, or it must do something that it could not do meanwhile. */
  cancel(): void {
    const open = this.#open;
    this.#open = undefined;
    open?.gone.abort();
    open?.answer(CANCELLED);
  }
}

/** Longest question, in characters of JSON; the window guard (preload/windowGuard.ts) cuts what is longer. */
const LONGEST = 100_000;

/** What the window guard asks for a document of this origin; undefined for what is no question. */
export function readQuestion(json: string, origin: string): PageDialog | undefined {
  if (json.length > LONGEST) return undefined;
  let asked: unknown;
  try {
    asked = JSON.parse(json);
  } catch {
    return undefined;
  }
  if (typeof asked !== 'object' || asked === null) return undefined;
  const { kind, text, value } = asked as Partial<Record<keyof PageDialog, unknown>>;
  if (kind !== 'alert' && kind !== 'confirm' && kind !== 'prompt') return undefined;
  return { kind, origin, text: String(text ?? ''), value: String(value ?? '') };
}
