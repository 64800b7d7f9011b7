import { BlockList } from 'node:net';
import type { LocalNetwork } from './driver.ts';

/** Private (RFC 1918), link-local (RFC 3927), loopback, multicast (RFC 5771) and the limited broadcast address. */
const always = new BlockList();
always.addSubnet('10.0.0.0', 8);
always.addSubnet('172.16.0.0', 12);
always.addSubnet('192.168.0.0', 16);
always.addSubnet('169.254.0.0', 16);
always.addSubnet('127.0.0.0', 8);
always.addSubnet('224.0.0.0', 4);
always.addAddress('255.255.255.255');

/**
 * Whether an IPv4 address belongs to the local network: one of the ranges above, or any network that the panel itself
 * is on (their directed broadcast addresses are part of them).
 */
export function isLocalTarget(host: string, networks: () => readonly LocalNetwork[]): boolean {
  if (always.check(host)) return true;
  const own = new BlockList();
  for (const { address, prefixLength } of networks()) own.addSubnet(address, prefixLength);
  return own.check(host);
}
