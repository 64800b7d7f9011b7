import type { WallClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { FleetPanel } from './contract.ts';
import type { Heard, Neighbour } from './driver.ts';
import {
  infoSaid as infoSchema,
  type PageSaid,
  pageSaid as pageSchema,
  projectSaid as projectSchema,
  type UpdateSaid,
  updateSaid as updateSchema,
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
  readonly page: PageSaid | null;
  readonly project: FleetPanel['project'];
  readonly update: UpdateSaid | null;
}

/** A panel as a roll-out sees it. */
export interface SeenPanel {
  readonly id: string;
  readonly isOnline: boolean;
  readonly groups: readonly string[] | null;
  readonly page: PageSaid | null;
  readonly update: UpdateSaid | null;
}

interface Kept {
  info: ReportedState;
  page: PageSaid | null;
  project: FleetPanel['project'];
  update: UpdateSaid | null;
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

const NOTHING_SAID = infoSaid(undefined);

/**
 * The panels of the house as they were heard last: on the broker, by mDNS, and this one. A panel speaks for itself
 * alone: its messages are stored under the id of its topics, in bounded size.
 */
export class Panels {
  readonly #options: PanelsOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #neighbourSince = new Map<string, number>();
  readonly #startedAt: number;
  #size = 0;
  #connection = 0;
  #hasOverflown = false;

  constructor(options: PanelsOptions) {
    this.#options = options;
    this.#startedAt = options.clock.wall();
  }

  /** Takes what a panel said on the broker. */
  hear({ id, topic, payload }: Heard): void {
    if (topic === 'availability' && payload === undefined) {
      this.#drop(id);
      return;
    }
    const kept = this.#kept.get(id) ?? (payload === undefined ? undefined : this.#add(id));
    if (kept === undefined) return;
    kept.connection = this.#connection;
    if (topic === 'availability') this.#setOnline(kept, payload === 'online');
    else this.#take(kept, topic, payload);
  }

  /** A new connection to the broker: what is not heard again on it is dropped by `dropUnheard`. */
  connected(): void {
    this.#connection++;
  }

  /** @param mayDrop false for panels that somebody still waits for */
  dropUnheard(mayDrop: (id: string) => boolean): void {
    for (const [id, { connection, isOnline }] of this.#kept)
      if ((connection !== this.#connection || isOnline === null) && mayDrop(id)) this.#drop(id);
  }

  /** There is no broker any more. */
  clear(): void {
    this.#kept.clear();
    this.#size = 0;
    this.#hasOverflown = false;
  }

  /** A panel that can be reached over the broker; undefined for one that never announced itself there. */
  get(id: string): SeenPanel | undefined {
    if (id === this.#options.ownId()) return { ...this.#options.own(), isOnline: true };
    const kept = this.#kept.get(id);
    if (kept === undefined || kept.isOnline === null) return undefined;
    const { info, page, update, isOnline } = kept;
    return { id, isOnline, groups: info.groups, page, update };
  }

  /** Ids of the panels of a group, this one among them. */
  idsOf(group: string): string[] {
    const own = this.#options.own();
    const others = [...this.#kept].flatMap(([id, { info, isOnline }]) =>
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
    for (const [id, kept] of this.#kept) {
      if (id === own.id || kept.isOnline === null) continue;
      const { infoId } = kept.info;
      const neighbour = infoId === null ? undefined : neighbours.get(infoId);
      if (infoId !== null) neighbours.delete(infoId);
      kept.entry ??= entryOf(id, { ...kept, ...kept.info }, kept.isOnline, kept.since);
      // The port of HTTPS belongs to the address.
      const heard = kept.info.address === null ? neighbour : undefined;
      panels.push(heard ? { ...kept.entry, address: heard.address, https: heard.https } : kept.entry);
    }
    const taken = new Set(panels.map(({ id }) => id));
    for (const one of neighbours.values()) {
      if (taken.has(one.id)) continue;
      const said = { ...NOTHING_SAID, ...one, groups: null, page: null, project: null, update: null };
      panels.push(entryOf(one.id, said, true, this.#sinceOf(one.id)));
    }
    for (const id of this.#neighbourSince.keys()) if (!neighbours.has(id)) this.#neighbourSince.delete(id);
    return panels.sort((one, other) => (one.id < other.id ? -1 : 1));
  }

  #sinceOf(neighbour: string): number {
    const since = this.#neighbourSince.get(neighbour) ?? this.#options.clock.wall();
    this.#neighbourSince.set(neighbour, since);
    return since;
  }

  #add(id: string): Kept | undefined {
    if (this.#kept.size >= MAX_PANELS) {
      this.#overflown();
      return undefined;
    }
    const kept: Kept = {
      info: NOTHING_SAID,
      page: null,
      project: null,
      update: null,
      isOnline: null,
      since: this.#options.clock.wall(),
      connection: this.#connection,
      sizes: new Map([['', LEAST]]),
      entry: undefined,
    };
    this.#kept.set(id, kept);
    this.#size += LEAST;
    return kept;
  }

  #drop(id: string): void {
    for (const size of this.#kept.get(id)?.sizes.values() ?? []) this.#size -= size;
    this.#kept.delete(id);
  }

  #setOnline(kept: Kept, isOnline: boolean): void {
    if (kept.isOnline === isOnline) return;
    kept.isOnline = isOnline;
    kept.since = this.#options.clock.wall();
    kept.entry = undefined;
  }

  #take(kept: Kept, topic: string, payload: unknown): void {
    const part = partOf(topic, payload);
    if (part === undefined) return;
    const size = JSON.stringify(part).length;
    const next = this.#size + size - (kept.sizes.get(topic) ?? 0);
    if (next > MAX_KEPT) {
      this.#overflown();
      return;
    }
    Object.assign(kept, part);
    kept.sizes.set(topic, size);
    kept.entry = undefined;
    this.#size = next;
  }

  #overflown(): void {
    if (this.#hasOverflown) return;
    this.#hasOverflown = true;
    this.#options.log.warn(
      { panels: this.#kept.size, characters: this.#size },
      'fleet: too many panels on the broker, some are not listed',
    );
  }
}

/** What a topic says of a panel; undefined for one that is not heard. */
function partOf(topic: string, payload: unknown): Partial<Kept> | undefined {
  switch (topic) {
    case 'state/info':
      return { info: infoSaid(payload) };
    case 'state/page':
      return { page: pageSaid(payload) };
    case 'state/projects':
      return { project: projectSaid(payload) };
    case 'state/update':
      return { update: updateSaid(payload) };
    default:
      return undefined;
  }
}

type Said = Omit<OwnPanel, 'id' | 'infoId'>;

function entryOf(id: string, said: Said, online: boolean, since: number): FleetPanel {
  const { name, version, board, address, https, groups, page, project, update } = said;
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
function infoSaid(payload: unknown): ReportedState {
  const said = infoSchema.safeParse(payload).data;
  return {
    infoId: said?.id ?? null,
    name: said?.name ?? null,
    version: said?.version ?? null,
    board: said?.board ?? null,
    address: said?.address ?? null,
    https: said?.https?.port ?? null,
    groups: said?.mqtt?.groups ?? null,
  };
}

function pageSaid(payload: unknown): PageSaid | null {
  return ofBoundedSize(pageSchema.safeParse(payload).data);
}

function updateSaid(payload: unknown): UpdateSaid | null {
  return ofBoundedSize(updateSchema.safeParse(payload).data);
}

/** The active project of the list that a panel sends. */
function projectSaid(payload: unknown): FleetPanel['project'] {
  const { projects } = (payload ?? {}) as { projects?: unknown };
  if (!Array.isArray(projects)) return null;
  const active = projects
    .slice(0, MAX_PROJECTS)
    .find((one) => (one as { active?: unknown } | null)?.active === true);
  return projectSchema.safeParse(active).data ?? null;
}

function ofBoundedSize<T>(said: T | undefined): T | null {
  return said === undefined || JSON.stringify(said).length > MAX_PART ? null : said;
}
