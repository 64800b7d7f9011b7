import type { Settings } from '../../config/settings.ts';
import { withHiddenQuery } from '../../platform/hidden.ts';
import { shownAddress } from '../recovery/pageWatch.ts';

/** How many parts are remembered. */
const LIMIT = 2_000;
/** An address in a text, and the line and column that may follow it. */
const ADDRESS = /(https?:\/\/[^\s"'<>()]+?)((?::\d+){0,2})(?=[\s"'<>()]|$)/g;

type Given = Pick<
  Settings,
  'kiosk.url' | 'kiosk.pages' | 'kiosk.parameters' | 'projects.parameters' | 'idle.saver'
>;

/**
 * What settings put into the queries and fragments of addresses: often a key, which only the owner reads. Others see such
 * an address as they see the setting: `https://hub.lan/?…`. A page that goes elsewhere by itself is told as it is.
 */
export class GivenQueries {
  readonly #settings: () => Given;
  /** Each `key=value` of a query, and each fragment, also of settings of before: their page may still be there. */
  readonly #parts = new Set<string>();
  #of: Given | undefined;

  constructor(settings: () => Given) {
    this.#settings = settings;
  }

  /** An address for everybody to read. */
  shown(address: string): string {
    this.#follow();
    return partsOf(address).some((part) => this.#parts.has(part)) ? withHiddenQuery(address) : address;
  }

  /** A text with the addresses in it for everybody to read. */
  shownIn(text: string): string {
    return text.includes('://')
      ? text.replace(ADDRESS, (_whole, address: string, place: string) => `${this.shown(address)}${place}`)
      : text;
  }

  #follow(): void {
    const settings = this.#settings();
    if (settings === this.#of) return;
    this.#of = settings;
    const addresses = [
      settings['kiosk.url'],
      settings['idle.saver'],
      ...settings['kiosk.pages'].map(({ url }) => url),
      ...[settings['kiosk.parameters'], ...Object.values(settings['projects.parameters'])].map(
        (query) => `http://project.localhost/?${query}`,
      ),
    ];
    for (const part of addresses.flatMap(partsOf)) {
      this.#parts.delete(part);
      this.#parts.add(part);
    }
    for (const part of this.#parts) {
      if (this.#parts.size <= LIMIT) break;
      this.#parts.delete(part);
    }
  }
}

/** The parts of an address that may be a key, as everybody writes them. */
function partsOf(address: string): string[] {
  if (!URL.canParse(address)) return [];
  const { search, hash } = new URL(shownAddress(address));
  return [...search.slice(1).split('&'), hash].filter((part) => part.length > 1);
}
