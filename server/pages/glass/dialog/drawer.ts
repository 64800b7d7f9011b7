import type { DialogOnGlass, GlassOrder } from '../../../kiosk/glass/contract.ts';
import { button, type Drawer, element, type Need, scrolling, type Tell } from '../drawer.ts';

/** Longest answer to a `prompt`, in characters. */
const ANSWER_LIMIT = 10_000;

/** Questions of the kiosk page; their buttons are English, whatever the language of the panel. */
export class DialogDrawer implements Drawer<'dialog'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  #drawn = '';
  #text: ReturnType<typeof scrolling> | undefined;
  #answer = (_accepted: boolean): void => {};

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#answer(false);
    });
  }

  draw(dialog: DialogOnGlass | null, _order: GlassOrder): Need | null {
    const box = this.#box;
    if (dialog === null) {
      this.#drawn = '';
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    box.hidden = false;
    if (this.#drawn !== dialog.id) this.#write(dialog);
    this.#drawn = dialog.id;
    this.#text?.look();
    // The page below stands still. What lay beside the question could only look as if it were usable.
    return { area: 'screen', focus: true };
  }

  #write({ id, kind, origin, text, value }: DialogOnGlass): void {
    const box = this.#box;
    box.className = 'question';
    const field = element('input', {
      type: 'text',
      value,
      'aria-labelledby': 'dialog-text',
      maxlength: String(ANSWER_LIMIT),
      autocomplete: 'off',
      dir: 'auto',
    });
    this.#answer = (accepted) =>
      this.#tell({ slot: 'dialog', id, accepted, value: accepted && kind === 'prompt' ? field.value : '' });
    const said = element('p', { id: 'dialog-text', dir: 'auto' }, text);
    const body = element('div', { class: 'body' }, said);
    const row = element('div', { class: 'buttons' });
    if (kind !== 'alert') row.append(button('Cancel', {}, () => this.#answer(false)));
    const ok = button('OK', { class: 'primary' }, () => this.#answer(true));
    row.append(ok);
    box.replaceChildren(element('h1', { id: 'dialog-origin' }, origin), body);
    if (kind === 'prompt') box.append(field);
    box.append(row);
    this.#text = scrolling(body);
    field.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.isComposing) this.#answer(true);
    });
    if (kind === 'prompt') {
      field.focus();
      field.select();
    } else ok.focus();
  }
}
