import type { HostPolicy, TlsServer } from './host.ts';

/** Whether the kiosk may show this address: http or https, and allowed by the policy. */
export function isNavigationAllowed(policy: HostPolicy, url: string): boolean {
  if (!URL.canParse(url)) return false;
  const parsed = new URL(url);
  return /^https?:$/.test(parsed.protocol) && policy.mayNavigate(parsed);
}

/** As `isNavigationAllowed`, for a page that has come. */
export function mayStay(policy: HostPolicy, url: string): boolean {
  if (isNavigationAllowed(policy, url)) return true;
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) && !!policy.mayArrive?.(new URL(url));
}

/**
 * Checks an address that the service itself wants to show: browsers let their host go anywhere, even to file:
 * addresses.
 * @returns the address as the browser writes it.
 * @throws Error when the kiosk may not show it.
 */
export function assertNavigationAllowed(policy: HostPolicy, url: string): string {
  if (!isNavigationAllowed(policy, url)) throw new Error(`The kiosk may not show ${placeOf(url)}.`);
  return new URL(url).href;
}

/** An address without its path, which may hold secrets: for logs and errors. */
export function placeOf(url: string): string {
  if (!URL.canParse(url)) return 'an invalid address';
  const { origin, protocol } = new URL(url);
  return origin === 'null' ? protocol : origin;
}

/** The server of an address. */
export function serverOf(url: string): TlsServer {
  const { hostname, port, protocol } = new URL(url);
  return { host: hostname, port: Number(port) || (/^(https|wss):$/.test(protocol) ? 443 : 80) };
}
