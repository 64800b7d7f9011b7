import type { PinEdge, PinState } from './contract.ts';

/** Edges that are kept of each pin: one that chatters must not push out those of the others. */
const KEPT = 250;

/** An edge as it is kept; most are never asked for. */
interface Kept extends PinState {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  readonly written: boolean;
}

/** The last edges of one pin, in a ring. */
interface Ring {
  readonly edges: Kept[];
  /** Where the next one goes once the ring is full. */
  next: number;
}

/** The last edges of all pins, in memory. */
export class EdgeList {
  readonly #rings = new Map<number, Ring>();

  add(edge: Kept): void {
    let ring = this.#rings.get(edge.pin);
    if (ring === undefined) {
      ring = { edges: [], next: 0 };
      this.#rings.set(edge.pin, ring);
    }
    ring.edges[ring.next] = edge;
    ring.next = (ring.next + 1) % KEPT;
  }

  /** The newest ones, newest first. */
  newest(limit: number): PinEdge[] {
    return [...this.#rings.values()]
      .flatMap(({ edges, next }) => [...edges.slice(next), ...edges.slice(0, next)].reverse())
      .sort((a, b) => b.at - a.at)
      .slice(0, limit)
      .map(({ at, pin, level, count, written }) => ({
        time: new Date(at).toISOString(),
        pin,
        level,
        count,
        written,
      }));
  }
}
