import { BlockList, isIP } from 'node:net';
import { isIn } from '../../observe/localAddress.ts';

/** A network of this machine. */
export interface OwnNetwork {
  readonly address: string;
  readonly prefixLength: number;
}

interface PolicyOptions {
  /** `sip.allow`: addresses and networks. */
  readonly allow: readonly string[];
  /** `sip.allowLan` */
  readonly allowLan: boolean;
  /** Addresses of the doors' peers. */
  readonly doors: readonly string[];
  /** The networks this machine is on now. */
  readonly networks: () => readonly OwnNetwork[];
  /** Addresses of the panels that are there now. */
  readonly panels: () => Iterable<string>;
}

/**
 * Who may ring here, besides the registrar and the devices that are registered here, whose addresses signalling knows.
 * Everything else is dropped without an answer. Asked for each message, so that a change counts at once.
 */
export class CallerPolicy {
  readonly #options: PolicyOptions;
  readonly #listed = new BlockList();
  readonly #doors: ReadonlySet<string>;

  constructor(options: PolicyOptions) {
    this.#options = options;
    for (const entry of options.allow) {
      const [network = '', prefix] = entry.split('/');
      addTo(this.#listed, network, prefix === undefined ? undefined : Number(prefix));
    }
    this.#doors = new Set(options.doors.map(plainAddress));
  }

  /** Whether an address may call: listed, a door, a panel that was found, or on-link with `allowLan`. */
  mayCall(address: string): boolean {
    const plain = plainAddress(address);
    if (isIP(plain) === 0) return false;
    return (
      this.isListed(plain) ||
      this.#doors.has(plain) ||
      this.isPanel(plain) ||
      (this.#options.allowLan && isOnLink(plain, this.#options.networks()))
    );
  }

  /** Whether an address stands in `sip.allow`: the only ones whose calls may be answered without a touch. */
  isListed(address: string): boolean {
    return isIn(this.#listed, plainAddress(address));
  }

  /** Whether a panel that was found has this address: those may page us. */
  isPanel(address: string): boolean {
    return has(this.#options.panels(), plainAddress(address));
  }
}

/** Whether an address is on one of these networks. */
export function isOnLink(address: string, networks: readonly OwnNetwork[]): boolean {
  const own = new BlockList();
  for (const { address: mine, prefixLength } of networks) {
    if (prefixLength > 0) addTo(own, plainAddress(mine), prefixLength);
  }
  return isIn(own, plainAddress(address));
}

/** Without the zone of a link-local address, and IPv4 as IPv4 where it comes mapped (RFC 4291 section 2.5.5.2). */
function plainAddress(address: string): string {
  return address
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')
    .toLowerCase();
}

function has(addresses: Iterable<string>, wanted: string): boolean {
  for (const address of addresses) if (plainAddress(address) === wanted) return true;
  return false;
}

function addTo(list: BlockList, address: string, prefix: number | undefined): void {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, prefix, family);
}
