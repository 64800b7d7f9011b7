import { type LookupAddress, lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { FaceplateError } from '../../contract/errors.ts';
import { unlessAborted } from '../async.ts';
import { leadsToOurselves, ownAddresses } from './addresses.ts';

/** One IPv4 network of this machine. */
export interface LocalNetwork {
  readonly address: string;
  readonly prefixLength: number;
}

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
  return always.check(host) || blocksOf(networks()).check(host);
}

function blocksOf(networks: readonly LocalNetwork[]): BlockList {
  const blocks = new BlockList();
  for (const { address, prefixLength } of networks) blocks.addSubnet(address, prefixLength);
  return blocks;
}

/** Ports of the panel's own servers: no page and no caller connects to them as to a device. */
export class OwnPorts {
  readonly #claims: (() => readonly number[])[] = [];

  /** @param ports of one server; asked on every use, as it may not listen yet */
  claim(ports: () => readonly number[]): void {
    this.#claims.push(ports);
  }

  readonly now = (): readonly number[] => this.#claims.flatMap((ports) => ports());
}

/** How long the addresses of this machine count as known, in milliseconds. */
const NETWORKS_MS = 1_000;

interface LocalTargetsOptions {
  /** Ports of the panel's own servers, which are never asked. */
  ownPorts(): readonly number[];
  /** Whether services of this machine may be asked: on a simulated board, where devices are simulated too. */
  readonly mayAskOurselves: boolean;
  /** Other networks, another clock (milliseconds) and another name service for tests. */
  readonly networks?: () => readonly LocalNetwork[];
  readonly now?: () => number;
  readonly lookup?: typeof systemLookup;
}

/**
 * Where pages and callers may connect to: devices of the local network by IPv4, this machine on a simulated board alone,
 * and never a server of the panel itself.
 */
export class LocalTargets {
  readonly #options: LocalTargetsOptions;
  #networks:
    | { readonly own: ReadonlySet<string>; readonly blocks: BlockList; readonly until: number }
    | undefined;

  constructor(options: LocalTargetsOptions) {
    this.#options = options;
  }

  /**
   * Resolves a host once and checks all its addresses. The caller connects to the address that this returns: a
   * name may mean another one a moment later (DNS rebinding).
   * @throws FaceplateError FORBIDDEN, HARDWARE_ERROR (an unknown name); the reason of `signal`
   */
  async judged(host: string, port: number, signal: AbortSignal): Promise<string> {
    signal.throwIfAborted();
    const addresses = isIP(host) === 0 ? await unlessAborted(this.#resolve(host), signal) : [host];
    for (const address of addresses) this.#judge(address, port, host);
    return addresses[0]!;
  }

  #judge(address: string, port: number, host: string): void {
    if (!isIPv4(address)) throw outside(host);
    const { own, blocks } = this.#ownNetworks();
    const isOurs = leadsToOurselves(address) || own.has(address);
    if (isOurs && this.#options.ownPorts().includes(port))
      throw new FaceplateError('FORBIDDEN', `Port ${port} of ${host} is a server of the panel itself.`);
    if (isOurs && !this.#options.mayAskOurselves)
      throw new FaceplateError(
        'FORBIDDEN',
        `The host ${host} is this panel itself; only devices can be reached.`,
      );
    if (!always.check(address) && !blocks.check(address)) throw outside(host);
  }

  /** To ask the kernel takes longer than a whole request to a device. */
  #ownNetworks(): { readonly own: ReadonlySet<string>; readonly blocks: BlockList } {
    const { networks = ownNetworks, now = () => performance.now() } = this.#options;
    const at = now();
    if (this.#networks === undefined || at >= this.#networks.until) {
      const found = networks();
      const own = new Set(found.map(({ address }) => address));
      this.#networks = { own, blocks: blocksOf(found), until: at + NETWORKS_MS };
    }
    return this.#networks;
  }

  #resolve(host: string): Promise<string[]> {
    const lookup = this.#options.lookup ?? systemLookup;
    return new Promise((resolve, reject) => {
      lookup(host, { all: true, family: 4 }, (error, found) => {
        const addresses = error ? [] : (found as LookupAddress[]).map(({ address }) => address);
        if (addresses.length > 0) resolve(addresses);
        else reject(new FaceplateError('HARDWARE_ERROR', `The name ${host} is not known on this network.`));
      });
    });
  }
}

/** The IPv4 networks that this machine is on now. */
export function ownNetworks(): readonly LocalNetwork[] {
  return ownAddresses().filter(({ family }) => family === 'IPv4');
}

function outside(host: string): FaceplateError {
  return new FaceplateError('FORBIDDEN', `${host} is not on the local network of this panel.`);
}
