import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { JoinMessage } from '../../contract/pageBridge.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { RateLimit } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import { type Join, type JoinKind, MOST_TEXT } from './contract.ts';
import { JOINS_FILE, type JoinEntry, type JoinSource, readJoins } from './joinsFile.ts';
import { isReserved } from './reserved.ts';
import { type JoinsPage, ShownPage } from './shownPage.ts';

/** Most joins of one page beside those of its file, and most characters of all texts. */
const MOST_JOINS = 1_000;
const MOST_CHARS = 1024 * 1024;
/** Sentences for the console of the page and for the log, in one minute. */
const NOTES = 30;

interface JoinsOptions {
  readonly version: string;
  /** Names of the buttons beside the glass, in the order of the board profile. */
  buttons(): readonly string[];
  /** The project whose pages get joins from now on; null: none. */
  give(id: string | null): void;
  originOf(id: string): string;
  /** Whether a page of this origin is shown. */
  isShown(origin: string): boolean;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly log: Logger;
}

interface Feed {
  readonly entry: JoinEntry;
  readonly source: JoinSource;
}

/** A project with joins. */
interface Project {
  readonly id: string;
  readonly entries: ReadonlyMap<string, JoinEntry>;
  /** Those that get their value from an event. */
  readonly feeds: readonly Feed[];
  /** What is wrong with its file; undefined: nothing. */
  readonly mistake: FaceplateError | undefined;
}

/**
 * The joins of the project that is shown: what its page sends becomes calls and events, and what the panel announces, or a
 * caller sets, becomes values of the page. They belong to the project, and last over its loads.
 */
export class JoinsService {
  readonly #options: JoinsOptions;
  readonly #notes: RateLimit;
  #project: Project | undefined;
  /** The last value of each join in either direction, what the page sent, and what it is given. */
  readonly #last = new Map<string, Join>();
  readonly #sent = new Map<string, Join>();
  readonly #given = new Map<string, Join>();
  #chars = 0;
  /** Joins that the file does not name. */
  #others = 0;
  #page: ShownPage | undefined;
  #unlisten: (() => void) | undefined;
  #onGone = (_gone: readonly Join[]): void => {};

  constructor(options: JoinsOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#notes = new RateLimit({
      clock,
      limit: NOTES,
      windowMs: 60_000,
      onDropped: (dropped) => log.warn({ dropped }, 'joins: too many failures, some not logged'),
    });
  }

  async stop(): Promise<void> {
    this.#page?.end();
    this.#unlisten?.();
    this.#notes.stop();
  }

  /** Whether the files of a project may be installed. @throws FaceplateError INVALID_REQUEST with the path of the entry */
  async check(folder: string): Promise<void> {
    await readJoins(folder);
  }

  /**
   * Another project is shown, or another version of it. A file that is wrong by now gives joins without entries.
   * @param folder of its files; undefined: the demo
   */
  async follow(id: string | null, folder: string | undefined): Promise<void> {
    const project = id === null || folder === undefined ? undefined : await this.#read(id, folder);
    const before = this.#project;
    this.#project = project;
    if (project?.id !== before?.id) this.#forget();
    // What the version before named gives its place to others.
    else this.#drop([...(before?.entries.keys() ?? [])].filter((key) => !project?.entries.has(key)));
    this.#others = [...this.#last.keys()].filter((key) => !project?.entries.has(key)).length;
    this.#unlisten?.();
    this.#unlisten = project && this.#options.events.onAny((name, payload) => this.#announced(name, payload));
    this.#options.give(project?.id ?? null);
  }

  async #read(id: string, folder: string): Promise<Project | undefined> {
    try {
      const entries = await readJoins(folder);
      if (entries === undefined) return undefined;
      const byName = new Map(entries.map((entry) => [keyOf(entry.kind, entry.name), entry]));
      const feeds = entries.flatMap((entry) => (entry.from ? [{ entry, source: entry.from }] : []));
      return { id, entries: byName, feeds, mistake: undefined };
    } catch (error) {
      const mistake =
        error instanceof FaceplateError
          ? error
          : new FaceplateError('INVALID_REQUEST', `${JOINS_FILE} cannot be read.`, { cause: error });
      const details = { project: id, field: mistake.field, reason: mistake.message };
      this.#options.log.warn(details, 'joins: the file of the project is wrong, its entries do nothing');
      return { id, entries: new Map(), feeds: [], mistake };
    }
  }

  list(): ResultOf<'joins.list'> {
    return { joins: [...this.#last.values()].filter(({ name }) => !isReserved(name)) };
  }

  /** @throws FaceplateError NOT_FOUND (no page with joins is shown), CONFLICT (too many) */
  set(given: ParamsOf<'joins.set'>): ResultOf<'joins.set'> {
    const project = this.#project;
    if (project === undefined || !this.#options.isShown(this.#options.originOf(project.id)))
      throw new FaceplateError('NOT_FOUND', 'The panel shows no project with joins.');
    const refusal = this.#remember(given, this.#given);
    if (refusal !== undefined) throw new FaceplateError('CONFLICT', refusal);
    this.#page?.push([given.kind, given.name, given.value]);
    return { status: 'ok' };
  }

  /** What the page sent last, for the broker. */
  sent(): Iterable<Join> {
    return this.#sent.values();
  }

  /** Calls back with what the page sent when that is forgotten. One listener. */
  onGone(listener: (gone: readonly Join[]) => void): void {
    this.#onGone = listener;
  }

  /** @returns undefined for a document of another origin */
  attach(page: JoinsPage): ShownPage | undefined {
    const project = this.#project;
    if (project === undefined || page.origin !== this.#options.originOf(project.id)) return undefined;
    this.#page?.end();
    const { version, buttons, clock } = this.#options;
    const shown: ShownPage = new ShownPage({
      page,
      version,
      buttons: () => buttons(),
      entryOf: (kind, name) => this.#project?.entries.get(keyOf(kind, name)),
      lastOf: (kind, name) => this.#sent.get(keyOf(kind, name))?.value,
      sent: (value) => this.#heard(value),
      values: (snapshot) => this.#valuesFor(snapshot),
      note: (what, error) => this.#note(what, error),
      clock,
      onEnd: () => {
        if (this.#page === shown) this.#page = undefined;
      },
    });
    this.#page = shown;
    page.hear((name, payload) => {
      if (name === 'udp' || name === 'tcp') this.#announced(name, payload);
    });
    return shown;
  }

  /** @returns why the value is not taken */
  #heard(value: Join): string | undefined {
    const refusal = this.#remember(value, this.#sent);
    if (refusal === undefined) this.#options.events.emit('join', value);
    return refusal;
  }

  /** All that the page gets at its load. Of a join whose event has a state, the state is what counts. */
  #valuesFor(snapshot: Snapshot): JoinMessage[] {
    const mistake = this.#project?.mistake;
    if (mistake !== undefined) this.#note('its entries do nothing', mistake);
    for (const feed of this.#project?.feeds ?? []) {
      const state = (snapshot as Readonly<Record<string, unknown>>)[feed.source.event];
      const found = [state].flat().map((one) => feed.source.valueIn(one));
      const now = found.find((one) => one !== undefined);
      const isKnown = this.#given.has(keyOf(feed.entry.kind, feed.entry.name));
      if (now !== undefined || !isKnown) this.#feed(feed, now, false);
    }
    return [...this.#given.values()].map(({ kind, name, value }): JoinMessage => [kind, name, value]);
  }

  #announced(name: string, payload: unknown): void {
    this.#page?.panelAnnounced(name, payload);
    for (const feed of this.#project?.feeds ?? []) {
      if (feed.source.event !== name) continue;
      const found = feed.source.valueIn(payload);
      if (found !== undefined) this.#feed(feed, found, true);
    }
  }

  #feed({ entry: { kind, name }, source }: Feed, found: unknown, isNews: boolean): void {
    const value = { kind, name, value: joinValue(kind, found, source.scale) } as Join;
    if (this.#given.get(keyOf(kind, name))?.value === value.value) return;
    const refusal = this.#remember(value, this.#given);
    if (refusal !== undefined)
      this.#note(`${kind}.${name} gets no value`, new FaceplateError('CONFLICT', refusal));
    else if (isNews) this.#page?.push([kind, name, value.value]);
  }

  /** @returns why there is no room for it; undefined: it is remembered */
  #remember(value: Join, where: Map<string, Join>): string | undefined {
    const key = keyOf(value.kind, value.name);
    const isOther = !this.#last.has(key) && !this.#project?.entries.has(key);
    if (isOther && this.#others >= MOST_JOINS)
      return 'The page has 1,000 joins beside those of its file already.';
    const chars = charsOf(value) - charsOf(where.get(key));
    if (chars > 0 && this.#chars + chars > MOST_CHARS)
      return 'The texts of all joins are longer than 1,048,576 characters together.';
    this.#chars += chars;
    if (isOther) this.#others++;
    where.set(key, value);
    this.#last.set(key, value);
    return undefined;
  }

  #drop(keys: readonly string[]): void {
    const gone = keys.flatMap((key) => this.#sent.get(key) ?? []);
    for (const key of keys) {
      for (const values of [this.#sent, this.#given]) this.#chars -= charsOf(values.get(key));
      for (const values of [this.#last, this.#sent, this.#given]) values.delete(key);
    }
    this.#onGone(gone);
  }

  #forget(): void {
    const gone = [...this.#sent.values()];
    for (const values of [this.#last, this.#sent, this.#given]) values.clear();
    this.#chars = 0;
    this.#onGone(gone);
  }

  /** Tells of a failure in the console of the page and in the log. */
  #note(what: string, error: unknown): void {
    if (!this.#notes.take()) return;
    const { code, field, message: reason } = error as FaceplateError;
    this.#options.log.warn(
      { project: this.#project?.id, what, code, field, reason },
      'joins: an entry failed',
    );
    this.#page?.push(['note', '', `Joins: ${what}: ${reason}`]);
  }
}

function keyOf(kind: string, name: string): string {
  return `${kind}/${name}`;
}

function charsOf(value: Join | undefined): number {
  return typeof value?.value === 'string' ? value.value.length : 0;
}

/** A value of the panel as a join of this kind has it. */
function joinValue(kind: JoinKind, found: unknown, scale: number): boolean | number | string {
  const isNothing = found === undefined || found === null;
  const scaled = typeof found === 'number' ? found * scale : found;
  if (kind === 'boolean') return !(isNothing || found === 0 || found === '' || found === false);
  if (kind === 'string') return isNothing ? '' : String(scaled).slice(0, MOST_TEXT);
  const whole = Math.round(typeof scaled === 'boolean' ? Number(scaled) * scale : Number(scaled ?? 0));
  return Number.isNaN(whole) ? 0 : Math.min(Math.max(whole, -2_147_483_648), 2_147_483_647);
}
