/** @see stalePages.mjs */
export function stalePages(root: string): ('manage' | 'glass' | 'keys')[];
/** @see stalePages.mjs */
export function newest(path: string): number;
/** @see stalePages.mjs */
export function sourcesOfPages(root: string): string[];
/** @see stalePages.mjs */
export function madePages(): string[];
