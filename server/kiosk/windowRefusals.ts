import type { Refusals } from './refusals.ts';

/** What the window guard (preload/windowGuard.ts) refuses, in our words. */
const WORDS: ReadonlyMap<unknown, readonly [what: string, details?: Readonly<Record<string, string>>]> =
  new Map([
    ['scheme', ['navigation refused', { why: 'a page may not use its scheme' }]],
    ['window', ['window refused', { instead: 'the page itself shows its address' }]],
    ['dialog', ['dialog refused']],
    ['pointer-lock', ['pointer lock refused']],
    ['security-key', ['security key refused']],
  ]);

/** Tells what the window guard has refused; ignores what it never says. */
export function tellWindowRefusal(refusals: Refusals, refusal: unknown): void {
  const words = WORDS.get(refusal);
  if (words !== undefined) refusals.tell(...words);
}
