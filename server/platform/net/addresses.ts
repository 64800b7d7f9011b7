import { createSocket } from 'node:dgram';
import { BlockList, isIP, isIPv6 } from 'node:net';
import os, { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');

/** Addresses that lead back to this machine wherever it is; Linux takes the unspecified ones as loopback too. */
const toOurselves = new BlockList();
toOurselves.addSubnet('127.0.0.0', 8);
toOurselves.addSubnet('0.0.0.0', 8);
toOurselves.addAddress('::1', 'ipv6');
toOurselves.addAddress('::', 'ipv6');

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
  // A last part in dotted form counts as two groups.
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

/** Whether a connection to an address ends on this machine: loopback, or unspecified. False for anything that is no IP address. */
export function leadsToOurselves(address: string): boolean {
  return isIn(toOurselves, address);
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

/** An address of this machine, with the network that it is on. */
interface OwnAddress {
  readonly address: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly netmask: string;
  /** Bits of the network. */
  readonly prefixLength: number;
  /** Of the loopback interface. */
  readonly isInternal: boolean;
}

type Interfaces = NodeJS.Dict<NetworkInterfaceInfo[]>;

let lastInterfaces: Interfaces = {};

/**
 * The interfaces of this machine. While the system cannot tell, such as without a free descriptor, they are as they were
 * last: nothing then looks as if the network were gone.
 */
export function interfacesNow(read: () => Interfaces = networkInterfaces): Interfaces {
  try {
    lastInterfaces = read();
  } catch {
    // Logged again with the next reading that works.
  }
  return lastInterfaces;
}

let isReadable = false;

/** Lets libraries read them the same way: those of mDNS do so in timers, where an error would end the service. */
export function keepInterfacesReadable(): void {
  if (isReadable) return;
  isReadable = true;
  // In a program that is one CommonJS script, what is imported by name is this property too.
  const read = os.networkInterfaces;
  os.networkInterfaces = () => interfacesNow(read);
}

/** The current addresses of this machine. */
export function ownAddresses(): OwnAddress[] {
  return Object.values(interfacesNow()).flatMap((entries = []) =>
    entries.flatMap(({ address, family, netmask, cidr, internal }) =>
      cidr === null
        ? []
        : [{ address, family, netmask, prefixLength: Number(cidr.split('/')[1]), isInternal: internal }],
    ),
  );
}

/** How packets get to a host: both ends as IP addresses. */
export interface Route {
  readonly local: string;
  readonly remote: string;
}

/**
 * Our own address from which packets to a host leave, and the host's address. Connecting a UDP socket sends nothing:
 * the kernel only chooses the route.
 * @throws the system's Error when there is no route
 */
export async function routeTo(host: string): Promise<Route> {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(9, host, () => resolve());
    });
    return { local: socket.address().address, remote: socket.remoteAddress().address };
  } finally {
    socket.close();
  }
}

/** Link-local IPv6 addresses need the name of the caller's own interface, so a person cannot use them. */
function usableOf(own: readonly OwnAddress[]): readonly OwnAddress[] {
  return own.filter(({ isInternal, address }) => !isInternal && !/^fe80:/i.test(address));
}

/** The addresses under which others reach this machine, IPv4 first. */
export function reachableAddresses(): string[] {
  const found = usableOf(ownAddresses());
  return ['IPv4', 'IPv6'].flatMap((family) =>
    found.filter((entry) => entry.family === family).map(({ address }) => address),
  );
}

/** The ports of the panel's API and pages. */
export interface WebPorts {
  readonly port: number;
  /** Of HTTPS; undefined while it is off. */
  readonly securePort: number | undefined;
}

/** The address of this panel for browsers in the house: the first that is not loopback, by https where that is on. */
export function panelUrl({ port, securePort }: WebPorts): string {
  return webOrigin(reachableAddress('::', port), securePort);
}

/** The origin of a panel. @param address its `<ip>:<port>` of HTTP @param securePort that of HTTPS, where it is on */
export function webOrigin(address: string, securePort: number | undefined): string {
  return securePort === undefined
    ? `http://${address}`
    : `https://${address.replace(/\d+$/, String(securePort))}`;
}

/**
 * Where others reach a server that listens on `host`, as `<ip>:<port>`: its first address of the network, IPv4 first;
 * of loopback only where it listens nowhere else.
 * @param host an IP address or `localhost`
 */
export function reachableAddress(host: string, port: number, own = ownAddresses()): string {
  const address = reachable(host, own);
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

function reachable(host: string, own: readonly OwnAddress[]): string {
  if (host === 'localhost') return '127.0.0.1';
  if (host !== '0.0.0.0' && host !== '::') return host;
  const usable = usableOf(own);
  const found = usable.find(({ family }) => family === 'IPv4') ?? (host === '::' ? usable[0] : undefined);
  return found?.address ?? '127.0.0.1';
}
