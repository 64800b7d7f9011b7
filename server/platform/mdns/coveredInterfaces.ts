import { isIPv6 } from 'node:net';
import type { NetworkInterfaceInfo } from 'node:os';

/** An interface on which a server can be reached. */
export interface CoveredInterface {
  readonly name: string;
  /** Its IPv4 address from which mDNS is spoken. */
  readonly speaksFrom: string;
  /** Addresses of the server there. */
  readonly addresses: readonly string[];
}

/** Interfaces as `networkInterfaces()` of node:os gives them. */
export type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

/**
 * The interfaces on which a server that listens on `host` can be announced; one without IPv4 speaks no mDNS here.
 * @param host an IP address or `localhost`
 * @param only name or IPv4 address of the one interface to take; empty for all but loopback
 */
export function coveredInterfaces(host: string, only: string, interfaces: Interfaces): CoveredInterface[] {
  return Object.entries(interfaces).flatMap(([name, entries = []]) => {
    const v4 = entries.filter(({ family }) => family === 'IPv4').map(({ address }) => address);
    const isNamed = only === name || v4.includes(only);
    const isLoopback = entries.some(({ internal }) => internal);
    if (only === '' ? isLoopback : !isNamed) return [];
    const addresses = entries.map(({ address }) => address).filter((address) => isServed(address, host));
    const speaksFrom = v4.includes(only) ? only : v4[0];
    return speaksFrom === undefined || addresses.length === 0 ? [] : [{ name, speaksFrom, addresses }];
  });
}

function isServed(address: string, host: string): boolean {
  // A link-local address needs the name of the caller's own interface, which no record can tell.
  if (/^fe80:/i.test(address)) return false;
  if (host === '0.0.0.0') return !isIPv6(address);
  if (host === 'localhost') return address === '127.0.0.1';
  return host === '::' || address === host;
}
