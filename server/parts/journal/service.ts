import { join } from 'node:path';
import { commands, type ParamsOf, type ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { InTurn } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import type { JournalEntry } from './contract.ts';
import {
  JournalFiles,
  normalTime,
  OF_CALLERS,
  StrangerEntries,
  timeOfLine,
  UniqueTimes,
} from './journalFiles.ts';
import { fittingJson, ParamSchemas, withoutSecrets } from './secrets.ts';

/** Milliseconds that an entry waits for others, so that many of them are one write. */
export const WRITE_AFTER_MS = 500;
/** Characters that may wait for the disk; entries beyond that are lost, and counted. */
const MAX_WAITING = 1024 * 1024;

/** What happened, as `note` takes it; the journal adds the time. */
export type Noted = Omit<JournalEntry, 'time'>;

interface JournalOptions {
  readonly dataDir: string;
  readonly clock: Clock;
  /** Time of day in milliseconds since 1970. */
  readonly date: () => number;
  /** Params of some commands, made fit to be read by others before anything else is done with them. */
  readonly masks: Readonly<Record<string, (params: unknown) => unknown>>;
  /** What is noted once it is open. */
  readonly first?: Noted;
  readonly log: Logger;
}

/** Entries that could not be written. */
interface Gap {
  readonly since: string;
  readonly until: string;
  readonly lost: number;
}

/**
 * Who changed what: stored on disk, the last 10 MiB of it, and what strangers tried beside it. Noting never fails and never
 * waits; what does not reach the disk is reported by an entry `journal.gap` as soon as there is room again.
 */
export class JournalService {
  readonly #options: JournalOptions;
  readonly #files: JournalFiles;
  readonly #times: UniqueTimes;
  readonly #strangers: StrangerEntries;
  readonly #schemas = new ParamSchemas(commands);
  #waiting: string[] = [];
  #waitingLength = 0;
  #gap: Gap | undefined;
  #cancel: (() => void) | undefined;
  readonly #writes = new InTurn();
  #isOpen = false;

  constructor(options: JournalOptions) {
    this.#options = options;
    const { dataDir, date, clock, log } = options;
    this.#files = new JournalFiles(join(dataDir, 'journal'), OF_CALLERS);
    this.#times = new UniqueTimes(date);
    const folder = join(dataDir, 'journal', 'refused');
    this.#strangers = new StrangerEntries({ folder, clock, times: this.#times, log });
  }

  /** Opens the journal. Where its folder cannot be used the panel works on without one. */
  async start(): Promise<void> {
    try {
      await this.#files.start();
      await this.#strangers.start();
      const [latest] = await this.#lines(undefined, 1);
      if (latest !== undefined) this.#times.after(timeOfLine(latest));
    } catch (error) {
      this.#options.log.error({ err: error }, 'journal: could not read');
    }
    this.#isOpen = true;
    if (this.#options.first !== undefined) this.note(this.#options.first);
  }

  /** Writes what still waits. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    await this.#write();
    this.#isOpen = false;
    await this.#strangers.stop();
    await this.#files.stop();
  }

  /** Adds an entry, between `start` and `stop`. Secrets among the params are replaced here, so that callers may pass what they were given. */
  note(call: Noted): void {
    this.#note(call, this.readable(call.command, call.params));
  }

  /** The same for a call of a stranger, which has a budget, and pushes out no other entry. */
  noteStranger(call: Noted): void {
    if (this.#isOpen) this.#strangers.note(call);
  }

  /** The params of a command as anybody may read them: without secrets. */
  readable(command: string, params: unknown): unknown {
    const given = this.#options.masks[command]?.(params) ?? params;
    return withoutSecrets(given, this.#schemas.of(command));
  }

  /** Something that the panel did or found by itself, such as `page.state`. Only logins in addresses are masked. */
  noteFact(command: string, params: object): void {
    const caller = { id: 'panel', name: 'panel', address: null };
    this.#note({ command, surface: 'panel', caller, params, code: 'OK', ms: 0 }, withoutSecrets(params, {}));
  }

  #note({ command, surface, caller, code, ms }: Noted, params: unknown): void {
    if (!this.#isOpen) return;
    const time = this.#times.next();
    const shown = fittingJson(params);
    const head = JSON.stringify({ time, command, surface, caller });
    const line = `${head.slice(0, -1)},"params":${shown},"code":${JSON.stringify(code)},"ms":${ms}}\n`;
    if (this.#waitingLength + line.length > MAX_WAITING) {
      this.#gap = joined(this.#gap, gapOf([line]));
      return;
    }
    this.#waiting.push(line);
    this.#waitingLength += line.length;
    this.#cancel ??= this.#options.clock.after(WRITE_AFTER_MS, () => void this.#write());
  }

  /** @throws FaceplateError HARDWARE_ERROR when the disk cannot be read */
  async read({ limit, before, format }: ParamsOf<'journal.read'>): Promise<ResultOf<'journal.read'>> {
    await this.#write();
    const lines = await this.#lines(before === undefined ? undefined : normalTime(before), limit).catch(
      (error: unknown) => {
        const errno = errnoOf(error);
        if (errno === undefined) throw error;
        throw new FaceplateError('HARDWARE_ERROR', `The journal cannot be read: ${errnoWords(errno)}.`, {
          cause: error,
        });
      },
    );
    if (format === 'ndjson')
      return { type: 'application/x-ndjson; charset=utf-8', body: lines.map((line) => `${line}\n`).join('') };
    return { entries: lines.map((line) => JSON.parse(line) as JournalEntry) };
  }

  /** The newest lines. */
  async #lines(before: string | undefined, limit: number): Promise<string[]> {
    const found: string[] = [];
    const [files, strangers] = [this.#files.backwards(before), this.#strangers.backwards(before)];
    for await (const line of newestFirst(files, strangers, before)) {
      found.push(line);
      if (found.length === limit) break;
    }
    return found;
  }

  /** Resolves when all that was noted before is on disk, or lost. */
  #write(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    return this.#writes.run(() => this.#writeWaiting());
  }

  async #writeWaiting(): Promise<void> {
    if (!this.#isOpen) return;
    const lines = this.#waiting;
    this.#waiting = [];
    this.#waitingLength = 0;
    const gap = this.#gap;
    this.#gap = undefined;
    // A line begins with its time.
    const text = gap === undefined ? lines.join('') : [...lines, lineOf(gap)].sort().join('');
    if (text === '') return;
    try {
      await this.#files.append(text);
    } catch (error) {
      if (gap === undefined) this.#options.log.error({ err: error }, 'journal: could not write');
      this.#gap = joined(joined(gap, gapOf(lines)), this.#gap);
    }
  }
}

function gapOf(lines: readonly string[]): Gap | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  return { since: timeOfLine(first), until: timeOfLine(lines.at(-1)!), lost: lines.length };
}

function joined(one: Gap | undefined, later: Gap | undefined): Gap | undefined {
  if (one === undefined || later === undefined) return one ?? later;
  return { since: one.since, until: later.until, lost: one.lost + later.lost };
}

/** It takes the time of the first entry that was lost, so that the order and the uniqueness of times stay. */
function lineOf({ since, until, lost }: Gap): string {
  const entry: JournalEntry = {
    time: since,
    command: 'journal.gap',
    surface: 'panel',
    caller: { id: 'panel', name: 'panel', address: null },
    params: { lost, until },
    code: 'STORAGE_FULL',
    ms: 0,
  };
  return `${JSON.stringify(entry)}\n`;
}

/** Batches of lines, from the newest to the oldest. */
type Batches = AsyncGenerator<readonly string[]>;

/** The entries of two journals by their time, older than `before`; each is read only as far as it is asked to. */
async function* newestFirst(one: Batches, other: Batches, before?: string): AsyncGenerator<string> {
  const [first, second] = [entries(one, before), entries(other, before)];
  try {
    let [a, b] = await Promise.all([first.next(), second.next()]);
    while (!a.done || !b.done) {
      if (b.done || (!a.done && timeOfLine(a.value) > timeOfLine(b.value))) {
        yield a.value as string;
        a = await first.next();
      } else {
        yield b.value;
        b = await second.next();
      }
    }
  } finally {
    await Promise.all([first.return(undefined), second.return(undefined)]);
  }
}

/** Whole ones only: a damaged disk must not hide the rest. */
async function* entries(batches: Batches, before: string | undefined): AsyncGenerator<string> {
  for await (const lines of batches) {
    for (const line of lines) {
      if ((before === undefined || timeOfLine(line) < before) && isEntry(line)) yield line;
    }
  }
}

function isEntry(line: string): boolean {
  try {
    return typeof (JSON.parse(line) as Partial<JournalEntry>).time === 'string';
  } catch {
    return false;
  }
}
