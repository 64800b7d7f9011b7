import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { PageState } from '../contract.ts';
import type { Glass } from './glass.ts';

/** How long the page has to be in trouble before the note appears, in milliseconds. */
const TROUBLE_MS = 10_000;

const texts = {
  en: {
    failed: 'The page on this panel does not work. More about it:',
    blank: 'The page on this panel shows nothing. More about it:',
  },
  de: {
    failed: 'Die Seite auf diesem Panel funktioniert nicht. Mehr dazu:',
    blank: 'Die Seite auf diesem Panel zeigt nichts. Mehr dazu:',
  },
  es: {
    failed: 'La página de este panel no funciona. Más información:',
    blank: 'La página de este panel no muestra nada. Más información:',
  },
};

interface PageNoteOptions {
  readonly glass: Pick<Glass, 'set' | 'onEvent'>;
  readonly language: () => string;
  /** The address of /manage/, as others reach it. */
  readonly manageUrl: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The note in the corner about a page that has failed or is blank, with the address where more is said. */
export class PageNote {
  readonly #options: PageNoteOptions;
  #state: PageState['state'] = 'loading';
  #cancel = (): void => {};
  #isShown = false;
  readonly #endEvents: () => void;

  constructor(options: PageNoteOptions) {
    this.#options = options;
    this.#endEvents = options.glass.onEvent((event) => {
      if (event.slot === 'note') this.#hide();
    });
  }

  /** What the page does now. */
  follow({ state }: PageState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#cancel();
    if (state !== 'failed' && state !== 'blank') this.#hide();
    // It was in trouble already, and is only in another.
    else if (this.#isShown) this.#show(state);
    else this.#cancel = this.#options.clock.after(TROUBLE_MS, () => this.#show(state));
  }

  async stop(): Promise<void> {
    this.#cancel();
    this.#endEvents();
  }

  #show(state: 'failed' | 'blank'): void {
    const { language, manageUrl } = this.#options;
    const words = texts[language() as keyof typeof texts] ?? texts.en;
    this.#isShown = true;
    this.#set({ text: words[state], url: manageUrl() });
  }

  #hide(): void {
    if (!this.#isShown) return;
    this.#isShown = false;
    this.#set(null);
  }

  #set(note: { text: string; url: string } | null): void {
    this.#options.glass
      .set('note', note)
      .catch((error: unknown) => this.#options.log.debug({ err: error }, 'glass: could not show the note'));
  }
}
