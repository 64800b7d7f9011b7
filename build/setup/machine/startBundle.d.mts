/** @see startBundle.mjs */
export const BUNDLES: string;
/** @see startBundle.mjs */
export const STAMP: string;
/** @see startBundle.mjs */
export function startBundle(root: string): string | undefined;
/** Paths with their marks. */
type Marks = readonly (readonly [
  path: string,
  size: number,
  modified: number,
  changed: number,
  inode: number,
])[];
/** @see startBundle.mjs */
export function marksOf(root: string, list: () => readonly string[]): Marks | undefined;
/** @see startBundle.mjs */
export function isChecked(root: string, isKiosk: boolean): boolean;
/** @see startBundle.mjs */
export function noteChecked(root: string, isKiosk: boolean, files: Marks): void;
