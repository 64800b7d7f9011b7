import { BlockList, isIP } from 'node:net';
import { isIn, plainAddress, withoutZone } from '../../platform/net/addresses.ts';

/** A network of this machine. */
interface OwnNetwork {
  readonly address: string;
  readonly prefixLength: number;
}

interface PolicyOptions {
  /** `sip.allow`: addresses and networks. */
  readonly allow: readonly string[];
  /** `sip.allowLan` */
  readonly allowLan: boolean;
  /** Addresses of the door stations. */
  readonly doors: readonly string[];
  /** The networks of this machine now. */
  readonly networks: () => readonly OwnNetwork[];
  /** Addresses of the panels that are present now. */
  readonly panels: () => Iterable<string>;
  /** `sip.srtpOverUdp` */
  readonly srtpOverUdp?: 'off' | 'known' | 'any';
}

/**
 * Decides which addresses may call, besides the registrar and the devices registered here (signalling knows those).
 * Everything else is dropped without an answer. Asked for each message, so that a change applies at once.
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
    this.#doors = new Set(options.doors.map(listed));
  }

  /** Whether an address may call: listed, a door, or on-link with `allowLan`. */
  mayCall(address: string): boolean {
    const plain = listed(address);
    if (isIP(plain) === 0) return false;
    return this.isNamed(plain) || (this.#options.allowLan && isOnLink(plain, this.#options.networks()));
  }

  /** Whether somebody wrote this address, or its network, into `sip.allow` or `sip.doors`. */
  isNamed(address: string): boolean {
    return this.isListed(address) || this.#doors.has(listed(address));
  }

  /** Whether a remote party without TLS may have its sound encrypted. @param viaRegistrar the registrar vouches for it */
  takesKeys(address: string, viaRegistrar: boolean): boolean {
    const { srtpOverUdp = 'off' } = this.#options;
    if (srtpOverUdp !== 'known') return srtpOverUdp === 'any';
    return viaRegistrar || this.isNamed(address);
  }

  /** Whether an address is in `sip.allow`: only calls from these may be answered without a touch. */
  isListed(address: string): boolean {
    return isIn(this.#listed, listed(address));
  }

  /**
   * Whether a panel that announces itself has this address. Any device can announce itself, so this alone grants
   * nothing.
   */
  isPanel(address: string): boolean {
    return has(this.#options.panels(), listed(address));
  }
}

/** Whether an address is on one of these networks. */
export function isOnLink(address: string, networks: readonly OwnNetwork[]): boolean {
  const own = new BlockList();
  for (const { address: mine, prefixLength } of networks) {
    if (prefixLength > 0) addTo(own, listed(mine), prefixLength);
  }
  return isIn(own, listed(address));
}

/** An address in the form that the lists use. */
function listed(address: string): string {
  return withoutZone(plainAddress(address));
}

function has(addresses: Iterable<string>, wanted: string): boolean {
  for (const address of addresses) if (listed(address) === wanted) return true;
  return false;
}

function addTo(list: BlockList, address: string, prefix: number | undefined): void {
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, family);
  else list.addSubnet(address, prefix, family);
}
