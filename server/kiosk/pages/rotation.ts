/** An entry of `kiosk.pages`. */
export interface NamedPage {
  readonly name: string;
  readonly url: string;
  /** For how long it is shown in the rotation; without it, it is no part of the rotation. */
  readonly seconds?: number | undefined;
}

/** A page of the rotation. */
export interface Turn {
  /** null: the home page. */
  readonly url: string | null;
  readonly ms: number;
}

/**
 * The pages that take turns by themselves, in the order of the list; empty: there is no rotation.
 * @param home its address; an entry with it is the home page itself
 */
export function turnsOf(pages: readonly NamedPage[], home: string): Turn[] {
  return pages.flatMap(({ url, seconds }) =>
    seconds === undefined ? [] : [{ url: new URL(url).href === home ? null : url, ms: seconds * 1_000 }],
  );
}
