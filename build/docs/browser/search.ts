// The search of the documentation site. It needs no server: the texts load once, with the first search.
import MiniSearch from 'minisearch';

interface Entry {
  readonly id: number;
  readonly page: string;
  readonly heading: string;
  readonly href: string;
  readonly text: string;
}

declare global {
  var searchEntries: readonly Entry[] | undefined;
}

const MOST_RESULTS = 20;
/** Characters of text around the first word that was found. */
const EXCERPT = 140;

const base = document.currentScript?.dataset.base ?? '';
const query = document.querySelector<HTMLInputElement>('#query')!;
const results = document.querySelector<HTMLElement>('#results')!;

let index: Promise<MiniSearch<Entry>> | undefined;

async function loadIndex(): Promise<MiniSearch<Entry>> {
  const script = document.createElement('script');
  script.src = `${base}assets/entries.js`;
  const loaded = new Promise((resolve, reject) => {
    script.onload = resolve;
    script.onerror = reject;
  });
  document.head.append(script);
  await loaded;
  const made = new MiniSearch<Entry>({
    fields: ['heading', 'page', 'text'],
    storeFields: ['page', 'heading', 'href', 'text'],
    // Names such as kiosk.url or GPIO_ERROR are found whole, and by their parts.
    tokenize: (text) => text.split(/[^\p{L}\p{N}_.]+/u).flatMap((word) => [word, ...word.split(/[._]/)]),
    searchOptions: { boost: { heading: 4, page: 2 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' },
  });
  made.addAll(globalThis.searchEntries ?? []);
  return made;
}

async function search(): Promise<void> {
  const asked = query.value.trim();
  index ??= loadIndex();
  const found = asked === '' ? [] : (await index).search(asked);
  // A newer question has been asked meanwhile.
  if (asked !== query.value.trim()) return;
  results.hidden = asked === '';
  const items = found.slice(0, MOST_RESULTS).map(({ page, heading, href, text, terms }) => {
    const link = document.createElement('a');
    link.href = base + String(href);
    link.textContent = heading === page ? String(page) : `${page}: ${heading}`;
    const excerpt = document.createElement('p');
    excerpt.textContent = excerptOf(String(text), terms);
    const item = document.createElement('li');
    item.append(link, excerpt);
    return item;
  });
  const list = document.createElement('ul');
  list.append(...items);
  const none = document.createElement('p');
  none.textContent = `Nothing is found for "${asked}".`;
  results.replaceChildren(items.length > 0 ? list : none);
}

function excerptOf(text: string, terms: readonly string[]): string {
  const lower = text.toLowerCase();
  const places = terms.map((term) => lower.indexOf(term)).filter((place) => place >= 0);
  const from = Math.max(0, Math.min(...places, text.length) - EXCERPT / 2);
  return `${from > 0 ? '…' : ''}${text.slice(from, from + EXCERPT).trim()}…`;
}

function close(): void {
  query.value = '';
  results.hidden = true;
}

query.addEventListener('input', () => void search());
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') close();
  if (event.key !== '/' || event.ctrlKey || document.activeElement === query) return;
  event.preventDefault();
  query.focus();
});
// A link to a heading of the same page leaves the results open otherwise.
results.addEventListener('click', ({ target }) => {
  if (target instanceof HTMLAnchorElement) close();
});
// On a wide screen the list of pages is beside the text, and on a wider one its sections are; on a phone both are folded.
for (const [list, width] of [
  ['pages', '60rem'],
  ['contents', '85rem'],
])
  document
    .querySelector(`nav.${list} details`)
    ?.toggleAttribute('open', matchMedia(`(min-width: ${width})`).matches);
