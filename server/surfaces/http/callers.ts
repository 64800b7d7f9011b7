import { isIP } from 'node:net';

/** A host as RFC 3986 section 3.2.2 writes it, an address in brackets or a name, with a port that may be empty. */
const HOST = /^(?:\[([0-9a-fA-F:.]+)\]|([\w.~!$&'()*+,;=%-]+))(?::\d{0,5})?$/;

/** The name in a Host header: lower case, without port, brackets and final dot. Empty when the header holds no host. */
export function hostName(header: string): string {
  const match = HOST.exec(header);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase().replace(/\.$/, '');
}

/** How many Host headers a request has. */
export function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (rawHeaders[i]!.length === 4 && rawHeaders[i]!.toLowerCase() === 'host') count++;
  return count;
}

/** An absolute-form target (RFC 9112 section 3.2.2): its authority and the rest; undefined for any other form. */
export function absoluteForm(target: string): { authority: string; path: string } | undefined {
  if (target.startsWith('/')) return undefined;
  const match = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/is.exec(target);
  if (match === null) return undefined;
  const [, authority = '', rest = ''] = match;
  return { authority, path: rest.startsWith('/') ? rest : `/${rest}` };
}

/**
 * Whether a Host header names this panel: an IP address, localhost, *.localhost, or the panel's own name, also with
 * `.local`. Any other name may belong to an attacker whose DNS points here (DNS rebinding).
 */
export function isOwnHost(name: string, panelName: string): boolean {
  const own = panelName.toLowerCase();
  const short = own.split('.')[0] ?? own;
  return (
    isIP(name) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    (own !== '' && [own, short, `${own}.local`, `${short}.local`].includes(name))
  );
}

/** Whether a name is among those of `http.allowedHosts`; `*.example.org` stands for every name below it. */
export function isAllowedHost(name: string, allowed: readonly string[]): boolean {
  return allowed.some((entry) => {
    const wanted = entry.toLowerCase();
    return wanted.startsWith('*.')
      ? name.endsWith(wanted.slice(1)) && name.length > wanted.length - 1
      : name === wanted;
  });
}

/** The project id in `<id>.localhost`, or undefined for another host name. */
export function projectIdOf(name: string): string | undefined {
  return name.endsWith('.localhost') ? name.slice(0, -'.localhost'.length) : undefined;
}
