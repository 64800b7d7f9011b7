/** @see stalePages.mjs */
export function stalePages(root: string): ('manage' | 'keys')[];
/** @see stalePages.mjs */
export function newest(path: string): number;
