import type { WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { FleetPanel } from './contract.ts';
import type { Heard, Neighbour } from './driver.ts';
import {
  infoSchema,
  pageSchema,
  projectSchema,
  type ReportedPage,
  type ReportedUpdate,
  updateSchema,
} from './statesContract.ts';

/** Most panels: a network that invents them must not fill the memory. */
export const MAX_PANELS = 10_000;
/** Most characters of JSON that are stored of all of them together. */
export const MAX_KEPT = 24 * 1_024 * 1_024;
/** Characters that a panel counts at least. */
const LEAST = 200;
/** Longest part of a panel's states that is stored, in characters of JSON. */
const MAX_PART = 8_192;
/** Most projects of one panel among which the active one is looked for. */
const MAX_PROJECTS = 1_000;

/** This panel, as it is now. */
export interface OwnPanel extends ReportedState {
  /** Its name on the broker. */
  readonly id: string;
  readonly page: ReportedPage | null;
  readonly project: FleetPanel['project'];
  readonly update: ReportedUpdate | null;
}

/** A panel as a roll-out sees it. */
export interface SeenPanel {
  readonly id: string;
  readonly isOnline: boolean;
  readonly groups: readonly string[] | null;
  readonly page: ReportedPage | null;
  readonly update: ReportedUpdate | null;
}

interface StoredPanel {
  info: ReportedState;
  page: ReportedPage | null;
  project: FleetPanel['project'];
  update: ReportedUpdate | null;
  /** Null until `availability` was heard. */
  isOnline: boolean | null;
  /** Milliseconds since 1970. */
  since: number;
  /** Which connection to the broker it was heard on last. */
  connection: number;
  /** Characters of the stored JSON, by topic. */
  readonly sizes: Map<string, number>;
  /** Its place in the list, until something of it changes. */
  entry: FleetPanel | undefined;
}

interface PanelsOptions {
  /** The name of this panel on the broker. */
  ownId(): string;
  own(): OwnPanel;
  neighbours(): readonly Neighbour[];
  readonly clock: WallClock;
  readonly log: Logger;
}

const NOTHING_REPORTED = readInfo(undefined);

/**
 * The panels of the house as they were heard last: on the broker, by mDNS, and this one. A panel speaks for itself
 * alone: its messages are stored under the id of its topics, in bounded size.
 */
export class Panels {
  readonly #options: PanelsOptions;
  readonly #stored = new Map<string, StoredPanel>();
  readonly #neighbourSince = new Map<string, number>();
  readonly #startedAt: number;
  #size = 0;
  #connection = 0;
  #hasOverflown = false;

  constructor(options: PanelsOptions) {
    this.#options = options;
    this.#startedAt = options.clock.wall();
  }

  /** Takes what a panel reported on the broker. */
  hear({ id, topic, payload }: Heard): void {
    if (topic === 'availability' && payload === undefined) {
      this.#drop(id);
      return;
    }
    const stored = this.#stored.get(id) ?? (payload === undefined ? undefined : this.#add(id));
    if (stored === undefined) return;
    stored.connection = this.#connection;
    if (topic === 'availability') this.#setOnline(stored, payload === 'online');
    else this.#take(stored, topic, payload);
  }

  /** A new connection to the broker: what is not heard again on it is dropped by `dropUnheard`. */
  connected(): void {
    this.#connection++;
  }

  /** @param mayDrop false for panels that somebody still waits for */
  dropUnheard(mayDrop: (id: string) => boolean): void {
    for (const [id, { connection, isOnline }] of this.#stored)
      if ((connection !== this.#connection || isOnline === null) && mayDrop(id)) this.#drop(id);
  }

  /** There is no broker any more. */
  clear(): void {
    this.#stored.clear();
    this.#size = 0;
    this.#hasOverflown = false;
  }

  /** A panel that can be reached over the broker; undefined for one that never announced itself there. */
  get(id: string): SeenPanel | undefined {
    if (id === this.#options.ownId()) return { ...this.#options.own(), isOnline: true };
    const stored = this.#stored.get(id);
    if (stored === undefined || stored.isOnline === null) return undefined;
    const { info, page, update, isOnline } = stored;
    return { id, isOnline, groups: info.groups, page, update };
  }

  /** Ids of the panels of a group, this one among them. */
  idsOf(group: string): string[] {
    const own = this.#options.own();
    const others = [...this.#stored].flatMap(([id, { info, isOnline }]) =>
      id !== own.id && isOnline !== null && info.groups?.includes(group) ? [id] : [],
    );
    return own.groups?.includes(group) ? [own.id, ...others] : others;
  }

  /** All panels, by id. */
  list(): FleetPanel[] {
    const own = this.#options.own();
    const neighbours = new Map(this.#options.neighbours().map((one) => [one.id, one]));
    const panels = [entryOf(own.id, own, true, this.#startedAt)];
    if (own.infoId !== null) neighbours.delete(own.infoId);
    for (const [id, stored] of this.#stored) {
      if (id === own.id || stored.isOnline === null) continue;
      const { infoId } = stored.info;
      const neighbour = infoId === null ? undefined : neighbours.get(infoId);
      if (infoId !== null) neighbours.delete(infoId);
      stored.entry ??= entryOf(id, { ...stored, ...stored.info }, stored.isOnline, stored.since);
      // The port of HTTPS belongs to the address.
      const heard = stored.info.address === null ? neighbour : undefined;
      panels.push(heard ? { ...stored.entry, address: heard.address, https: heard.https } : stored.entry);
    }
    const taken = new Set(panels.map(({ id }) => id));
    for (const one of neighbours.values()) {
      if (taken.has(one.id)) continue;
      const reported = { ...NOTHING_REPORTED, ...one, groups: null, page: null, project: null, update: null };
      panels.push(entryOf(one.id, reported, true, this.#sinceOf(one.id)));
    }
    for (const id of this.#neighbourSince.keys()) if (!neighbours.has(id)) this.#neighbourSince.delete(id);
    return panels.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  #sinceOf(neighbour: string): number {
    const since = this.#neighbourSince.get(neighbour) ?? this.#options.clock.wall();
    this.#neighbourSince.set(neighbour, since);
    return since;
  }

  #add(id: string): StoredPanel | undefined {
    if (this.#stored.size >= MAX_PANELS) {
      this.#overflown();
      return undefined;
    }
    const stored: StoredPanel = {
      info: NOTHING_REPORTED,
      page: null,
      project: null,
      update: null,
      isOnline: null,
      since: this.#options.clock.wall(),
      connection: this.#connection,
      sizes: new Map([['', LEAST]]),
      entry: undefined,
    };
    this.#stored.set(id, stored);
    this.#size += LEAST;
    return stored;
  }

  #drop(id: string): void {
    for (const size of this.#stored.get(id)?.sizes.values() ?? []) this.#size -= size;
    this.#stored.delete(id);
  }

  #setOnline(stored: StoredPanel, isOnline: boolean): void {
    if (stored.isOnline === isOnline) return;
    stored.isOnline = isOnline;
    stored.since = this.#options.clock.wall();
    stored.entry = undefined;
  }

  #take(stored: StoredPanel, topic: string, payload: unknown): void {
    const part = partOf(topic, payload);
    if (part === undefined) return;
    const size = JSON.stringify(part).length;
    const next = this.#size + size - (stored.sizes.get(topic) ?? 0);
    if (next > MAX_KEPT) {
      this.#overflown();
      return;
    }
    Object.assign(stored, part);
    stored.sizes.set(topic, size);
    stored.entry = undefined;
    this.#size = next;
  }

  #overflown(): void {
    if (this.#hasOverflown) return;
    this.#hasOverflown = true;
    this.#options.log.warn(
      { panels: this.#stored.size, characters: this.#size },
      'fleet: too many panels on the broker, some are not listed',
    );
  }
}

/** What a topic says of a panel; undefined for one that is not heard. */
function partOf(topic: string, payload: unknown): Partial<StoredPanel> | undefined {
  switch (topic) {
    case 'state/info':
      return { info: readInfo(payload) };
    case 'state/page':
      return { page: readPage(payload) };
    case 'state/projects':
      return { project: readProject(payload) };
    case 'state/update':
      return { update: readUpdate(payload) };
    default:
      return undefined;
  }
}

type Reported = Omit<OwnPanel, 'id' | 'infoId'>;

function entryOf(id: string, reported: Reported, online: boolean, since: number): FleetPanel {
  const { name, version, board, address, https, groups, page, project, update } = reported;
  return {
    id,
    name,
    version,
    board,
    address,
    https,
    groups: groups === null ? null : [...groups],
    online,
    since: new Date(since).toISOString(),
    page,
    project,
    update,
  };
}

/** What a panel says in `state/info`. */
interface ReportedState {
  /** `info.id` of that panel. */
  readonly infoId: string | null;
  readonly name: string | null;
  readonly version: string | null;
  readonly board: string | null;
  readonly address: string | null;
  /** Port of HTTPS. */
  readonly https: number | null;
  readonly groups: readonly string[] | null;
}

/** Everything here is of strangers: what does not fit, or is too long, is not known (null). */
function readInfo(payload: unknown): ReportedState {
  const reported = infoSchema.safeParse(payload).data;
  return {
    infoId: reported?.id ?? null,
    name: reported?.name ?? null,
    version: reported?.version ?? null,
    board: reported?.board ?? null,
    address: reported?.address ?? null,
    https: reported?.https?.port ?? null,
    groups: reported?.mqtt?.groups ?? null,
  };
}

function readPage(payload: unknown): ReportedPage | null {
  return ofBoundedSize(pageSchema.safeParse(payload).data);
}

function readUpdate(payload: unknown): ReportedUpdate | null {
  return ofBoundedSize(updateSchema.safeParse(payload).data);
}

/** The active project of the list that a panel sends. */
function readProject(payload: unknown): FleetPanel['project'] {
  const { projects } = (payload ?? {}) as { projects?: unknown };
  if (!Array.isArray(projects)) return null;
  const active = projects
    .slice(0, MAX_PROJECTS)
    .find((one) => (one as { active?: unknown } | null)?.active === true);
  return projectSchema.safeParse(active).data ?? null;
}

function ofBoundedSize<T>(reported: T | undefined): T | null {
  return reported === undefined || JSON.stringify(reported).length > MAX_PART ? null : reported;
}
