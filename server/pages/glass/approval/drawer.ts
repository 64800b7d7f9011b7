import type { ApprovalOnGlass, GlassOrder, LabelledText } from '../../../kiosk/glass/contract.ts';
import { button, type Drawer, element, Heed, icon, type Need, scrolling, type Tell } from '../drawer.ts';

/**
 * Questions of the panel about calls from outside. An answer is a press that a person has begun while the question was
 * there to be read: no key that was pressed before, no second tap of two.
 */
export class ApprovalDrawer implements Drawer<'approval'> {
  readonly #box: HTMLElement;
  readonly #tell: Tell;
  #drawn = '';
  #text: ReturnType<typeof scrolling> | undefined;
  readonly #heed: Heed;
  #timer: number | undefined;
  #answer = (_isYes: boolean): void => {};

  constructor(box: HTMLElement, tell: Tell) {
    this.#box = box;
    this.#tell = tell;
    this.#heed = new Heed(box);
    box.addEventListener('keydown', (event) => {
      if (event.key === 'Escape') this.#press(event, false);
    });
  }

  draw(question: ApprovalOnGlass | null, _order: GlassOrder): Need | null {
    const box = this.#box;
    if (question === null) {
      this.#drawn = '';
      this.#heed.end();
      window.clearInterval(this.#timer);
      box.hidden = true;
      box.replaceChildren();
      return null;
    }
    box.hidden = false;
    if (this.#drawn !== question.id) this.#write(question);
    this.#drawn = question.id;
    this.#text?.look();
    return { area: 'screen', focus: true };
  }

  #write({ id, title, action, facts, params, swatch, seconds, yes, no }: ApprovalOnGlass): void {
    const box = this.#box;
    box.className = 'sheet approval';
    box.tabIndex = -1;
    this.#answer = (isYes) => this.#tell({ slot: 'approval', id, isYes });
    const body = element(
      'div',
      { class: 'body' },
      element('p', { id: 'approval-action', class: 'action', dir: 'auto' }, action),
      ...(swatch === null ? [] : [colour(swatch)]),
      listOf('facts', facts),
      listOf('params', params),
    );
    const row = element('div', { class: 'buttons' });
    for (const [label, isYes] of [
      [no, false],
      [yes, true],
    ] as const) {
      const one = button(label, { class: isYes ? 'yes' : 'no primary' }, () => {});
      one.addEventListener('click', (event) => this.#press(event, isYes));
      row.append(one);
    }
    const heading = element('h1', { id: 'approval-title' }, title);
    box.replaceChildren(element('header', {}, icon(SHIELD), heading, this.#ring(seconds)), body, row);
    this.#text = scrolling(body);
    this.#heed.begin();
    // No button has the focus: somebody who is typing answers nothing.
    box.focus();
  }

  /** Counts the seconds down that are left for an answer; the ring shortens with them. */
  #ring(seconds: number): HTMLElement {
    const words = element('span', { 'aria-hidden': 'true' }, String(seconds));
    const ring = element('div', { class: 'ring', role: 'timer' }, circle(), circle('left'), words);
    const until = performance.now() + seconds * 1_000;
    const show = () => {
      const left = Math.max(0, (until - performance.now()) / 1_000);
      words.textContent = String(Math.ceil(left));
      ring.style.setProperty('--left', String(left / seconds));
    };
    window.clearInterval(this.#timer);
    this.#timer = window.setInterval(show, 250);
    show();
    return ring;
  }

  #press(event: Event, isYes: boolean): void {
    if (this.#heed.counts(event)) this.#answer(isYes);
  }
}

const SHIELD =
  'M12 2.500 4.500 5.500v6c0 4.500 3 8 7.500 10 4.500-2 7.500-5.500 7.500-10v-6zM9 12l2.500 2.500 4-4.500';

/** The ring, whole or what is left of it (approval.css). */
function circle(kind = ''): SVGSVGElement {
  const drawn = icon('M12 2a10 10 0 1 1 0 20 10 10 0 1 1 0-20');
  drawn.setAttribute('class', kind);
  drawn.firstElementChild!.setAttribute('pathLength', '1');
  return drawn;
}

function colour(value: string): HTMLElement {
  const box = element('div', { class: 'swatch', role: 'img', 'aria-label': value });
  box.style.backgroundColor = value;
  return box;
}

/** Texts of others, each in a place of its own, so that none can look like another. */
function listOf(name: string, entries: readonly LabelledText[]): HTMLElement {
  const list = element('dl', { class: name });
  for (const { label, text } of entries)
    list.append(element('dt', { dir: 'auto' }, label), element('dd', { dir: 'auto' }, text));
  return list;
}
