import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

const local = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
] as const)
  local.addSubnet(network, prefix);
for (const [network, prefix] of [
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
] as const)
  local.addSubnet(network, prefix, 'ipv6');

/**
 * An address in its one spelling, so that two can be compared. An IPv4 address that an IPv6 socket shows as
 * `::ffff:192.0.2.1` becomes the IPv4 address (RFC 4291 section 2.5.5.2), all others lower case. The zone of a
 * link-local address stays: a socket needs it.
 */
export function plainAddress(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '').toLowerCase();
}

/** An address without the zone of a link-local one, for lists that contain no zones. */
export function withoutZone(address: string): string {
  return address.split('%', 1)[0]!;
}

/**
 * What counts as one caller, for limits: an IPv4 address, or the /64 of an IPv6 one (RFC 6177), in which a single
 * machine may take as many addresses as it likes. `::1` stays whole.
 */
export function networkOf(address: string): string {
  const plain = withoutZone(plainAddress(address));
  if (isIP(plain) !== 6 || plain === '::1') return plain;
  // A last part in dotted form stands for two groups.
  const groups = (part: string) =>
    part.split(':').flatMap((group) => (group.includes('.') ? ['', ''] : [group]));
  const [head = '', tail] = plain.split('::');
  const first = head === '' ? [] : groups(head);
  const last = tail === undefined || tail === '' ? [] : groups(tail);
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  const all = [...first, ...Array.from({ length: missing }, () => '0'), ...last];
  const network = all.slice(0, 4).map((group) => Number.parseInt(group || '0', 16).toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * Whether an address belongs to this machine: 127/8, also mapped into IPv6, and ::1. False for anything that is no IP
 * address.
 */
export function isLoopback(address: string): boolean {
  return isIn(loopback, address);
}

/**
 * Whether an address belongs to a local network: private (RFC 1918, RFC 4193), link-local (RFC 3927, RFC 4291 section
 * 2.5.6) or loopback. False for anything that is no IP address.
 */
export function isLocalAddress(address: string): boolean {
  return isIn(local, address);
}

/** Whether an address, with or without a link-local zone, is in a list. False for anything that is no IP address. */
export function isIn(list: BlockList, address: string): boolean {
  const plain = withoutZone(address);
  const family = isIP(plain);
  return family !== 0 && list.check(plain, family === 6 ? 'ipv6' : 'ipv4');
}
