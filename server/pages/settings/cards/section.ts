import { h } from '../dom.ts';

/** A card with a heading. */
export function section(title: string, ...children: (Node | string | undefined)[]): HTMLElement {
  return h('section', { class: 'card' }, h('h2', {}, title), ...children);
}

/** A list of names and values. */
export function facts(rows: readonly (readonly [string, string])[]): HTMLElement {
  return h('dl', {}, ...rows.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}
