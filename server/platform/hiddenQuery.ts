/** Stands for a part that is not told to everybody. */
const HIDDEN = '…';

/**
 * An address with its query and its fragment hidden: `https://hub.lan/wall?…#…`. It may be any text, also one that is no
 * address; it stays as it is where it has neither.
 */
export function withHiddenQuery(address: string): string {
  const hash = address.indexOf('#');
  const rest = hash === -1 ? address : address.slice(0, hash);
  const search = rest.indexOf('?');
  const isBare = (text: string) => text.length <= 1;
  const query = search === -1 ? '' : rest.slice(search);
  const fragment = hash === -1 ? '' : address.slice(hash);
  const place = search === -1 ? rest : rest.slice(0, search);
  return `${place}${isBare(query) ? query : `?${HIDDEN}`}${isBare(fragment) ? fragment : `#${HIDDEN}`}`;
}
