import { isIP } from 'node:net';

/** The name in a Host header: lower case, without port, brackets and final dot. Empty for a malformed one. */
export function hostName(header: string): string {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/@\s]+))(?::\d{1,5})?$/.exec(header);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase().replace(/\.$/, '');
}

/**
 * Whether a Host header names this panel: an IP address, localhost, *.localhost, or the panel's own name, also with
 * `.local`. Any other name may be an attacker's whose DNS points here (DNS rebinding).
 */
export function isOwnHost(name: string, panelName: string): boolean {
  const own = panelName.toLowerCase();
  const short = own.split('.')[0] ?? own;
  return (
    isIP(name) !== 0 ||
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    (own !== '' && [own, short, `${own}.local`, `${short}.local`].includes(name))
  );
}

/** The project id in `<id>.localhost`, or undefined for another host name. */
export function projectIdOf(name: string): string | undefined {
  return name.endsWith('.localhost') ? name.slice(0, -'.localhost'.length) : undefined;
}

const WINDOW_MS = 60_000;
const MAX_WRONG = 10;
const MAX_ADDRESSES = 10_000;

/** Counts wrong tokens per address: after ten within a minute, further wrong ones are refused for a minute. */
export class WrongTokens {
  readonly #now: () => number;
  readonly #byAddress = new Map<string, { times: number[]; blockedUntil: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a wrong token. @returns true where the address has to wait (429), false for a plain 401. */
  note(address: string): boolean {
    const now = this.#now();
    const entry = this.#byAddress.get(address) ?? { times: [], blockedUntil: 0 };
    if (now < entry.blockedUntil) return true;
    entry.times = entry.times.filter((time) => now - time < WINDOW_MS);
    entry.times.push(now);
    if (entry.times.length >= MAX_WRONG) {
      entry.blockedUntil = now + WINDOW_MS;
      entry.times = [];
    }
    // Re-inserted, so that the map's order is oldest first and the bound forgets those who were quiet longest.
    this.#byAddress.delete(address);
    this.#byAddress.set(address, entry);
    if (this.#byAddress.size > MAX_ADDRESSES) {
      for (const oldest of this.#byAddress.keys()) {
        this.#byAddress.delete(oldest);
        break;
      }
    }
    return false;
  }
}
