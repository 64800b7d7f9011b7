/** Stands for what is secret, what the contract does not know, and what is too long. */
export const HIDDEN = '…';
/** Characters and items that are kept of what is too long, tried one after the other. */
export const SHORTER = [3_900, 1_900, 900, 400, 100, 30] as const;

/** What `withoutLogins` leaves of a login in an address. */
const MASKED_LOGIN = /\/\/\*\*\*@|(?:=|%3d)\*\*\*/i;

/** What is left of an address that a setting has, where others read it. */
const HIDDEN_QUERY = /:\/\/\S*[?#]…/;

/** Whether params of the journal are as they were given: nothing in them is hidden or cut. */
export function isWhole(params: unknown): boolean {
  if (typeof params === 'string')
    return params !== HIDDEN && !isCut(params) && !MASKED_LOGIN.test(params) && !HIDDEN_QUERY.test(params);
  if (typeof params !== 'object' || params === null) return true;
  return Object.entries(params).every(([key, value]) => key !== HIDDEN && isWhole(value));
}

/** People write "…" too: it was cut where so many characters stand before it as are kept. */
function isCut(text: string): boolean {
  return text.endsWith(HIDDEN) && SHORTER.some((most) => most === text.length - HIDDEN.length);
}
