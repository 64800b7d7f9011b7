import type { GlassOrder, NoteOnGlass } from '../../../kiosk/glass/contract.ts';
import type { Drawer, Need, Tell } from '../drawer.ts';
import { areaOf, button, CLOSE, element, icon } from '../elements.ts';
import { textsOf } from '../texts.ts';

/** A word in the corner about a page that does not work. */
export class NoteDrawer implements Drawer<'note'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  #drawn = '';

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
  }

  draw(note: NoteOnGlass | null, { language }: GlassOrder): Need | null {
    const box = this.#box;
    if (note === null) {
      this.#drawn = '';
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    box.hidden = false;
    const drawn = JSON.stringify([note, language]);
    if (drawn !== this.#drawn) this.#write(note, language);
    this.#drawn = drawn;
    return { area: areaOf(box), focus: false };
  }

  #write({ text, url }: NoteOnGlass, language: string): void {
    const words = element('div', {}, element('p', { dir: 'auto' }, text));
    // No link: there is no browser on the panel to open it in.
    if (url !== null) words.append(element('p', { class: 'address', dir: 'ltr' }, url));
    const close = button(icon(CLOSE), { 'aria-label': textsOf(language).close }, () =>
      this.#tell({ slot: 'note', did: 'dismissed' }),
    );
    this.#box.className = 'note';
    this.#box.replaceChildren(words, close);
  }
}
