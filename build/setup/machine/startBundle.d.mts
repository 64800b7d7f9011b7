/** @see startBundle.mjs */
export const BUNDLES: string;
/** @see startBundle.mjs */
export const STAMP: string;
/** @see startBundle.mjs */
export function markOf(
  root: string,
  path: string,
): [size: number, modified: number, changed: number, inode: number];
/** @see startBundle.mjs */
export function startBundle(root: string): string | undefined;
