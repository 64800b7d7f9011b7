import type { Clock, WallClock } from '../../platform/clock.ts';
import type { Level, PinEdge, PinState } from './contract.ts';
import type { PinChange } from './driver.ts';

/** How many changes of one pin from outside are announced within a second; the last level always is. */
const CHANGES_A_SECOND = 100;
const SECOND_MS = 1_000;

interface PinLevelsOptions {
  readonly clock: WallClock;
  /** The pin has another level. `isOwn`: the panel has written it. */
  readonly announce: (change: PinState, isOwn: boolean) => void;
  /** Every change. @param at milliseconds since 1970 */
  readonly changed: (change: PinState, count: number, at: number, isOwn: boolean) => void;
}

interface Facts {
  level: Level;
  announced: Level;
  edges: number;
  /** Milliseconds since 1970; undefined before the first change. */
  since: number | undefined;
}

/**
 * What is known of each pin: its level, how often it has changed, and when it last did. Every change counts; a wire that
 * chatters is announced a hundred times a second at most.
 */
export class PinLevels {
  readonly #options: PinLevelsOptions;
  readonly #facts = new Map<number, Facts>();
  /** By pin: how many changes from outside were announced in the second that runs. */
  readonly #seconds = new Map<number, { count: number; readonly cancel: () => void }>();

  constructor(options: PinLevelsOptions) {
    this.#options = options;
  }

  /** Last level seen of each pin, by pin. */
  get all(): PinState[] {
    return [...this.#facts].map(([pin, { level }]) => ({ pin, level })).sort((a, b) => a.pin - b.pin);
  }

  of(pin: number): Level | undefined {
    return this.#facts.get(pin)?.level;
  }

  /** Changes since the start. */
  edges(pin: number): number {
    return this.#facts.get(pin)?.edges ?? 0;
  }

  /** The last change, ISO 8601; null when there was none. */
  since(pin: number): string | null {
    const since = this.#facts.get(pin)?.since;
    return since === undefined ? null : new Date(since).toISOString();
  }

  /** The level at the start, which is no change. */
  learned({ pin, level }: PinState): void {
    this.#facts.set(pin, { level, announced: level, edges: 0, since: undefined });
  }

  /** A level that was read, written or heard. */
  saw({ pin, level, edges = 1, at }: PinChange, isOwn: boolean): void {
    const facts = this.#facts.get(pin);
    // An even number of edges leads back to the level of before.
    if (facts?.level === level && edges < 2) return;
    const now = facts ?? { level, announced: undefined, edges: 0, since: undefined };
    now.level = level;
    now.edges += edges;
    now.since = at ?? this.#options.clock.wall();
    this.#facts.set(pin, now as Facts);
    this.#options.changed({ pin, level }, edges, now.since, isOwn);
    if (isOwn || this.#mayAnnounce(pin)) this.#announce(pin, isOwn);
  }

  stop(): void {
    for (const { cancel } of this.#seconds.values()) cancel();
    this.#seconds.clear();
  }

  #mayAnnounce(pin: number): boolean {
    const second = this.#seconds.get(pin);
    if (second !== undefined) return ++second.count <= CHANGES_A_SECOND;
    const cancel = this.#options.clock.after(SECOND_MS, () => {
      this.#seconds.delete(pin);
      this.#announce(pin, false);
    });
    this.#seconds.set(pin, { count: 1, cancel });
    return true;
  }

  #announce(pin: number, isOwn: boolean): void {
    const facts = this.#facts.get(pin);
    if (facts === undefined || facts.announced === facts.level) return;
    facts.announced = facts.level;
    this.#options.announce({ pin, level: facts.level }, isOwn);
  }
}

interface DebouncerOptions {
  readonly ms: number;
  readonly clock: Clock;
  /** The level that counts now; undefined while it is not known. */
  readonly levelOf: (pin: number) => Level | undefined;
  /** The wire was stable at this level for long enough. */
  readonly settled: (change: PinChange) => void;
}

/** Accepts a level of an input only when the wire was stable for a time: contacts bounce. */
export class Debouncer {
  readonly #options: DebouncerOptions;
  readonly #waiting = new Map<number, { readonly level: Level; readonly cancel: () => void }>();

  constructor(options: DebouncerOptions) {
    this.#options = options;
  }

  /** What a driver heard. */
  heard(change: PinChange): void {
    const { ms, clock, levelOf, settled } = this.#options;
    const { pin, level } = change;
    if (ms === 0) {
      settled(change);
      return;
    }
    if (this.#waiting.get(pin)?.level === level) return;
    this.forget(pin);
    if (levelOf(pin) === level) return;
    const cancel = clock.after(ms, () => {
      this.#waiting.delete(pin);
      settled(change);
    });
    this.#waiting.set(pin, { level, cancel });
  }

  /** The panel drives the pin itself. */
  forget(pin: number): void {
    this.#waiting.get(pin)?.cancel();
    this.#waiting.delete(pin);
  }

  stop(): void {
    for (const pin of [...this.#waiting.keys()]) this.forget(pin);
  }
}

/** Edges that are stored of each pin: one that chatters must not push out those of the others. */
const KEPT = 250;

/** An edge as it is stored; most are never asked for. */
interface Kept extends PinState {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
  readonly written: boolean;
}

/** The last edges of one pin, in a ring. */
interface Ring {
  readonly edges: Kept[];
  /** The place of the next one once the ring is full. */
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
