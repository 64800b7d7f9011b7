/** @see stalePages.mjs */
export function stalePages(root: string): ('manage' | 'keys')[];
