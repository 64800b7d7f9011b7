/** @see stalePages.mjs */
export function stalePages(root: string): ('manage' | 'glass' | 'keys')[];
/** @see stalePages.mjs */
export function newest(path: string): number;
