import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';

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

/** The current addresses of this machine. */
export function ownAddresses(): OwnAddress[] {
  return Object.values(networkInterfaces()).flatMap((entries = []) =>
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
