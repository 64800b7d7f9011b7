import type { GlassArea, GlassEvent, GlassOrder, GlassSlot, GlassSlots } from '../../kiosk/glass/contract.ts';

/** What one slot needs of the screen. */
export interface Need {
  readonly area: GlassArea;
  /** Whether it wants the keys. */
  readonly focus: boolean;
}

/** Draws one slot into its element. The same content again leaves the element as it is. */
export interface Drawer<S extends GlassSlot> {
  /** @returns what it needs; called with null it takes everything away and needs nothing */
  draw(content: GlassSlots[S] | null, order: GlassOrder): Need | null;
}

export type Tell = (event: GlassEvent) => void;

/**
 * Makes an element with text. Text is text: whatever a caller or a page wrote gets onto the glass through here alone.
 */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...content: readonly (string | Node)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...content);
  return made;
}

/** A button of the layer. Only a person presses it: there is no script here that could. */
export function button(
  label: string | Node,
  attributes: Readonly<Record<string, string>>,
  press: () => void,
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, label);
  made.addEventListener('click', press);
  return made;
}

/** What is pressed so soon after something has come was meant for something else, in milliseconds. */
const HEED_MS = 500;

/**
 * Tells presses that a person has begun while something was there to be seen: no key that was pressed before, no second
 * tap of two, no click of a script.
 */
export class Heed {
  #from = Number.POSITIVE_INFINITY;
  /** Whether the press under way began too early, or none has begun yet. */
  #isEarly = true;

  /** @param box around all that is pressed */
  constructor(box: HTMLElement) {
    const press = (isRepeat: boolean) => {
      this.#isEarly = isRepeat || performance.now() < this.#from;
    };
    box.addEventListener('pointerdown', () => press(false), { capture: true });
    box.addEventListener('keydown', (event) => press(event.repeat), { capture: true });
  }

  /** Something else is there from now on. */
  begin(): void {
    this.#from = performance.now() + HEED_MS;
    this.#isEarly = true;
  }

  /** Nothing is there. */
  end(): void {
    this.#from = Number.POSITIVE_INFINITY;
  }

  counts(event: Event): boolean {
    return event.isTrusted && !this.#isEarly;
  }
}

const SVG = 'http://www.w3.org/2000/svg';

/** A drawing of 24 by 24, in the colour of the text. @param name what a screen reader says; without it, nothing */
export function icon(path: string, name?: string): SVGSVGElement {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('class', 'icon');
  if (name === undefined) svg.setAttribute('aria-hidden', 'true');
  else {
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', name);
  }
  const line = document.createElementNS(SVG, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

/** A box whose text scrolls where it is too long; its lower edge fades while there is more. */
export function scrolling(box: HTMLElement): { readonly look: () => void } {
  const look = () => {
    const hidden = box.scrollHeight - box.clientHeight;
    box.classList.toggle('more', hidden - box.scrollTop > 2);
    // Without the focus it could not be scrolled by keys.
    if (hidden > 2) box.tabIndex = 0;
    else box.removeAttribute('tabindex');
  };
  box.addEventListener('scroll', look, { passive: true });
  return { look };
}

/** The box around an element, in whole pixels of the screen. */
export function areaOf(box: HTMLElement): { x: number; y: number; width: number; height: number } {
  const screen = box.offsetParent?.getBoundingClientRect();
  const { left, top, right, bottom } = box.getBoundingClientRect();
  const [x0, y0] = [screen?.left ?? 0, screen?.top ?? 0];
  const [x, y] = [Math.floor(left - x0), Math.floor(top - y0)];
  return { x, y, width: Math.ceil(right - x0) - x, height: Math.ceil(bottom - y0) - y };
}

export const CLOSE = 'M6 6 18 18M18 6 6 18';

/** Words of the layer itself. What the page's own dialogs say stays English, as their buttons do. */
const texts = {
  en: { close: 'Close', info: 'Information', warning: 'Warning', alarm: 'Alarm' },
  de: { close: 'Schließen', info: 'Hinweis', warning: 'Warnung', alarm: 'Alarm' },
  es: { close: 'Cerrar', info: 'Información', warning: 'Advertencia', alarm: 'Alarma' },
};

/** The words of a language of the panel; English for one that is not known. */
export function textsOf(language: string): typeof texts.en {
  return texts[language as keyof typeof texts] ?? texts.en;
}
