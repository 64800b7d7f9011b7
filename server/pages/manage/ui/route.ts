import type { ComponentType } from 'preact';
import type { Word } from '../language.ts';
import { store } from './store.ts';

/** The entries of the menu, in their order; each name is its address, its icon, and the end of the key of its title. */
export const entries = [
  'home',
  'content',
  'screen',
  'devices',
  'connections',
  'people',
  'system',
  'fleet',
] as const;
export type Entry = (typeof entries)[number];

/** A view: a tab of an entry. Its name is the last part of its address (`#/content/projects`) and the key of its title. */
export interface View {
  readonly name: Word;
  readonly entry: Entry;
  /** It is there in developer mode only. */
  readonly isForDevelopers?: true;
  /** Its code is fetched when it is opened for the first time. */
  load(): Promise<ComponentType>;
}

/** What an address means: a view, and what to look at in it; another address; or nothing. */
export type Place =
  | { readonly view: View; readonly at: string | undefined }
  | { readonly to: string }
  | undefined;

/** Names that views had in addresses of before, and what they are called now. */
const MOVED: Readonly<Record<string, string>> = {
  overview: 'home',
  access: 'people',
  journal: 'activity',
  timeline: 'activity',
};

/** The address of a view, without `#/`. */
export function pathOf({ name, entry }: Pick<View, 'name' | 'entry'>): string {
  return name === entry ? entry : `${entry}/${name}`;
}

/** Reads an address. @param path what follows `#/` */
export function placeOf(path: string, views: readonly View[]): Place {
  const [first = '', second, at] = path.split('/');
  const named = (name: string | undefined) => views.find((view) => view.name === name);
  if (first === '') return { view: views[0]!, at: undefined };
  const ofEntry = views.filter(({ entry }) => entry === first);
  if (ofEntry.length > 0) {
    const view = ofEntry.find(({ name }) => name === (second ?? ofEntry[0]!.name));
    if (view !== undefined) return { view, at };
    const moved = named(MOVED[second ?? '']);
    return moved && { to: pathOf(moved) };
  }
  const moved = second === undefined ? named(MOVED[first] ?? first) : undefined;
  return moved && { to: pathOf(moved) };
}

/** Under which entry a view is listed: the fleet has an entry of its own only where other panels are heard. */
export function listedUnder({ entry }: Pick<View, 'entry'>, othersHeard: boolean): Entry {
  return entry === 'fleet' && !othersHeard ? 'connections' : entry;
}

/** What follows `#/`; empty at the beginning. */
function named(): string {
  return /^#\/([\w/.:-]*)/.exec(location.hash)?.[1] ?? (location.hash.length > 1 ? '?' : '');
}

/** The path of the view that is open, as `content/projects`. */
export const route = store(named());
addEventListener('hashchange', () => route.set(named()));

/** The address of a path. */
export function addressOf(path: string): string {
  return `#/${path}`;
}

/** Opens another address in the place of this one: the way back does not lead here. */
export function replaceRoute(path: string): void {
  history.replaceState(null, '', addressOf(path));
  route.set(path);
}

/** Takes a pairing code out of the address bar, and of the history, at once. @returns undefined without one */
export function takePairingCode(): string | undefined {
  const code = /^#pair=(\d{8})$/.exec(location.hash)?.[1];
  if (location.hash.startsWith('#pair=')) {
    history.replaceState(null, '', location.pathname);
    route.set('');
  }
  return code;
}
