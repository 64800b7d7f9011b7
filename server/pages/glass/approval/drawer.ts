import type { ApprovalOnGlass, GlassOrder, LabelledText } from '../../../kiosk/glass/contract.ts';
import { button, type Drawer, element, Heed, type Need, scrolling, type Tell } from '../drawer.ts';

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

  #write({ id, title, action, facts, params, yes, no }: ApprovalOnGlass): void {
    const box = this.#box;
    box.className = 'approval';
    box.tabIndex = -1;
    this.#answer = (isYes) => this.#tell({ slot: 'approval', id, isYes });
    const body = element(
      'div',
      { class: 'body' },
      element('p', { id: 'approval-action', class: 'action' }, action),
      listOf('facts', facts),
      listOf('params', params),
    );
    const row = element('div', { class: 'buttons' });
    for (const [label, isYes] of [
      [no, false],
      [yes, true],
    ] as const) {
      const one = button(label, { class: isYes ? 'yes' : 'no' }, () => {});
      one.addEventListener('click', (event) => this.#press(event, isYes));
      row.append(one);
    }
    box.replaceChildren(element('h1', { id: 'approval-title' }, title), body, row);
    this.#text = scrolling(body);
    this.#heed.begin();
    // No button has the focus: somebody who is typing answers nothing.
    box.focus();
  }

  #press(event: Event, isYes: boolean): void {
    if (this.#heed.counts(event)) this.#answer(isYes);
  }
}

/** Texts of others, each in a place of its own, so that none can look like another. */
function listOf(name: string, entries: readonly LabelledText[]): HTMLElement {
  const list = element('dl', { class: name });
  for (const { label, text } of entries)
    list.append(element('dt', { dir: 'auto' }, label), element('dd', { dir: 'auto' }, text));
  return list;
}
