/** 32 letters and digits that are hard to confuse when a person copies them by hand. */
const SIGNS = 'abcdefghijkmnpqrstuvwxyz23456789';
const LENGTH = 24;

/** A secret of 120 random bits that a person can copy from one panel to the next, in groups of four. */
export function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  // 256 is a multiple of 32, so all characters are equally likely.
  const signs = Array.from(bytes, (byte) => SIGNS[byte % SIGNS.length]!);
  return signs.join('').match(/.{4}/g)!.join('-');
}
