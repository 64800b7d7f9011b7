import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { plainAddress } from '../../../platform/net/addresses.ts';
import type { Hop } from './hop.ts';
import { DEFAULT_PORT, type Protocol } from './protocol.ts';

interface ServiceRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** The look-ups of RFC 3263; replaced in tests. Both reject if there is no result. */
export interface Resolver {
  services(name: string): Promise<ServiceRecord[]>;
  addresses(name: string): Promise<string[]>;
}

export const systemResolver: Resolver = {
  services: (name) => dns.resolveSrv(name),
  // Not resolve4: names in /etc/hosts and .local names must work too.
  addresses: async (name) => (await dns.lookup(name, { all: true })).map(({ address }) => address),
};

const SERVICE: Readonly<Record<Protocol, string>> = { udp: '_sip._udp', tcp: '_sip._tcp', tls: '_sips._tcp' };
const MAX_HOPS = 8;

/** Where messages for a name go. */
export interface Destination {
  readonly host: string;
  readonly port: number | undefined;
  readonly protocol: Protocol;
}

/**
 * The hops to try, best first (RFC 3263 section 4.2): an address as it is, a name with port by its address records, a
 * name without port by its SRV records, then by its address records at the default port.
 * @param random from 0 up to, but not including, 1
 * @throws Error if the name does not resolve
 */
export async function resolveHops(
  { host, port, protocol }: Destination,
  resolver: Resolver = systemResolver,
  random: () => number = Math.random,
): Promise<Hop[]> {
  if (isIP(host) !== 0) return [{ protocol, host: plainAddress(host), port: port ?? DEFAULT_PORT[protocol] }];
  if (port === undefined) {
    const records = await resolver.services(`${SERVICE[protocol]}.${host}`).catch(() => []);
    const hops: Hop[] = [];
    for (const record of byPriority(records, random).slice(0, MAX_HOPS)) {
      const addresses =
        isIP(record.name) === 0 ? await resolver.addresses(record.name).catch(() => []) : [record.name];
      // The certificate must have the name that was requested, not the one from DNS (RFC 5922 section 4).
      for (const address of addresses)
        hops.push({ protocol, host: plainAddress(address), port: record.port, serverName: host });
    }
    if (hops.length > 0) return hops.slice(0, MAX_HOPS);
  }
  const addresses = await resolver.addresses(host);
  if (addresses.length === 0) throw new Error(`the name ${host} has no address`);
  return addresses.slice(0, MAX_HOPS).map((address) => ({
    protocol,
    host: plainAddress(address),
    port: port ?? DEFAULT_PORT[protocol],
    serverName: host,
  }));
}

/** RFC 2782: lowest priority first; within one priority at random, in proportion to weight. */
function byPriority(records: readonly ServiceRecord[], random: () => number): ServiceRecord[] {
  const left = records.filter(({ name, port }) => name !== '' && name !== '.' && port > 0);
  const ordered: ServiceRecord[] = [];
  while (left.length > 0) {
    const priority = Math.min(...left.map((record) => record.priority));
    const rivals = left.filter((record) => record.priority === priority);
    let ticket = random() * rivals.reduce((sum, { weight }) => sum + weight, 0);
    const chosen =
      rivals.find(({ weight }) => {
        ticket -= weight;
        return ticket < 0;
      }) ?? rivals[0]!;
    ordered.push(chosen);
    left.splice(left.indexOf(chosen), 1);
  }
  return ordered;
}
