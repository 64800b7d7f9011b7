import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import os, { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';

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
    // Told again with the next reading that works.
  }
  return lastInterfaces;
}

/** Lets libraries read them the same way: those of mDNS do so in timers, where an error would end the service. */
export function keepInterfacesReadable(): void {
  os.networkInterfaces = () => interfacesNow();
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
