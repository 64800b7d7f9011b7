import type {
  DialogOnGlass,
  GlassOrder,
  MessageOnGlass,
  NoteOnGlass,
} from '../../../kiosk/glass/contract.ts';
import {
  areaOf,
  button,
  CLOSE,
  type Drawer,
  element,
  icon,
  type Need,
  scrolling,
  type Tell,
  textsOf,
} from '../drawer.ts';

const ICONS = {
  info: 'M12 2a10 10 0 1 0 0 20 10 10 0 0 0 0-20ZM12 11v6M12 7v.5',
  warning: 'M12 3 1.5 21h21ZM12 10v5M12 18v.5',
  alarm:
    'M12 3a6 6 0 0 0-6 6v5l-2 3h16l-2-3V9a6 6 0 0 0-6-6ZM10 20.5h4M2.5 8A8 8 0 0 1 5 3.5M21.5 8A8 8 0 0 0 19 3.5',
};

/** Messages of callers. */
export class MessageDrawer implements Drawer<'message'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  /** What is shown, but for its picture. */
  #drawn = '';
  #text: ReturnType<typeof scrolling> | undefined;
  #picture: HTMLImageElement | undefined;

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') box.querySelector<HTMLButtonElement>('.close')?.click();
    });
  }

  draw(message: MessageOnGlass | null, order: GlassOrder): Need | null {
    const box = this.#box;
    if (message === null) {
      this.#drawn = '';
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    const { image, ...words } = message;
    const drawn = JSON.stringify([words, order.language]);
    const isNew = drawn !== this.#drawn;
    if (isNew) this.#write(message, order.language);
    this.#drawn = drawn;
    this.#show(image);
    box.hidden = false;
    const { style } = message;
    if (isNew && style !== 'banner') box.focus();
    this.#text?.look();
    // What is beside a dialog would only look usable.
    if (style !== 'banner') return { area: 'screen', focus: true };
    return { area: areaOf(box), focus: false };
  }

  #write(message: MessageOnGlass, language: string): void {
    const { id, title, text, level, style, buttons } = message;
    const [box, words, tell] = [this.#box, textsOf(language), this.#tell];
    const isModal = style !== 'banner';
    box.className = `message ${style === 'dialog' ? 'sheet ' : ''}${style} ${level} ${lengthOf(text)}`;
    // Set before the text comes, so that screen readers notice it.
    box.setAttribute('role', isModal ? 'alertdialog' : level === 'info' ? 'status' : 'alert');
    box.toggleAttribute('aria-modal', isModal);
    if (isModal) box.setAttribute('aria-modal', 'true');
    box.setAttribute('aria-labelledby', title === null ? 'message-level' : 'message-title');
    box.setAttribute('aria-describedby', 'message-text');
    box.tabIndex = -1;

    const sign = icon(ICONS[level], words[level]);
    sign.id = 'message-level';
    const said = element('p', { id: 'message-text', dir: 'auto' }, text);
    const body = element('div', { class: 'body' });
    if (title !== null) body.append(element('h1', { id: 'message-title', dir: 'auto' }, title));
    const picture = element('img', { alt: '', class: 'picture' });
    picture.hidden = true;
    // A picture that cannot be drawn is none.
    picture.addEventListener('error', () => {
      picture.hidden = true;
    });
    body.append(picture, said);
    const dismissed = () => tell({ slot: 'message', id, did: 'dismissed' });
    const row = element('div', { class: 'buttons' });
    for (const [at, { id: pressed, label }] of buttons.entries())
      row.append(
        button(label, { dir: 'auto', ...(at === 0 && { class: 'primary' }) }, () =>
          tell({ slot: 'message', id, did: 'pressed', button: pressed }),
        ),
      );
    if (buttons.length === 0) {
      if (isModal) row.append(button(words.close, { class: 'close primary' }, dismissed));
      else row.append(button(icon(CLOSE), { class: 'close', 'aria-label': words.close }, dismissed));
    }
    box.replaceChildren(sign, body, row);
    this.#text = scrolling(body);
    this.#picture = picture;
  }

  #show(image: string | null): void {
    const picture = this.#picture;
    if (picture === undefined || (picture.getAttribute('src') ?? null) === image) return;
    if (image === null) picture.removeAttribute('src');
    else picture.src = image;
    picture.hidden = image === null;
  }
}

/** Short texts are read from across the room. */
function lengthOf(text: string): 'short' | 'middle' | 'long' {
  if (text.length <= 80) return 'short';
  return text.length <= 300 ? 'middle' : 'long';
}

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
    // The page below is blocked. What is beside the question would only look usable.
    return { area: 'screen', focus: true };
  }

  #write({ id, kind, origin, text, value }: DialogOnGlass): void {
    const box = this.#box;
    box.className = 'sheet question';
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
