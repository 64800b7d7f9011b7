/**
 * The purposes of our requests, and how many of each may be under way at once. Each has its own quota, so that a
 * stranger who makes us send one kind cannot keep us from registering, calling or opening a door.
 */
const QUOTAS = {
  registration: 16,
  /** All requests of a call except keys. */
  call: 500,
  /** Keys sent within a call: they open doors. */
  keys: 32,
  /** Asks whether a panel or a door station is reachable. */
  ping: 260,
  /** Goodbyes to unwanted answers. */
  decline: 32,
} as const;

export type RequestUse = keyof typeof QUOTAS;

/** Our requests under way, by purpose. */
export class Quotas {
  readonly #taken = new Map<RequestUse, number>();

  /** @returns false if there are already too many of this kind */
  take(use: RequestUse): boolean {
    const taken = this.#taken.get(use) ?? 0;
    if (taken >= QUOTAS[use]) return false;
    this.#taken.set(use, taken + 1);
    return true;
  }

  giveBack(use: RequestUse): void {
    this.#taken.set(use, (this.#taken.get(use) ?? 1) - 1);
  }
}
