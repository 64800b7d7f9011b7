import { InTurn } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import { StrangerBudget } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { JournalEntry } from './contract.ts';
import { JournalFiles, OF_STRANGERS, timeOfLine, type UniqueTimes } from './journalFiles.ts';

/** Longest line, in bytes. */
const MAX_LINE_BYTES = 300;
/** Most lines that wait for a slow disk: those of ten minutes. With them the files stay below their bound. */
const MOST_WAITING = 310;
/** Characters that stay of each text that a stranger chose, the most that fits. */
const SHORTER = [64, 32, 16, 8, 4, 0];

interface StrangerEntriesOptions {
  readonly folder: string;
  readonly clock: Clock;
  readonly times: UniqueTimes;
  readonly log: Logger;
}

/**
 * The entries of strangers: so many in a minute, short, without params, in files of their own, so that nobody without a
 * scope pushes out the entries of others or wears out the disk. Written once a minute, and when the panel stops.
 */
export class StrangerEntries {
  readonly #options: StrangerEntriesOptions;
  readonly #files: JournalFiles;
  readonly #budget: StrangerBudget;
  /** Not on the disk yet, oldest first. */
  #waiting: string[] = [];
  readonly #writes = new InTurn();

  constructor(options: StrangerEntriesOptions) {
    this.#options = options;
    this.#files = new JournalFiles(options.folder, OF_STRANGERS);
    this.#budget = new StrangerBudget(options.clock, (dropped) => this.#minuteEnded(dropped));
  }

  /** @throws an errno exception */
  start(): Promise<void> {
    return this.#files.start();
  }

  async stop(): Promise<void> {
    this.#budget.end();
    await this.#writes.idle();
    await this.#files.stop();
  }

  note(call: Omit<JournalEntry, 'time'>): void {
    const { name, address } = call.caller;
    if (this.#budget.take(address ?? name)) this.#push(call);
  }

  /** As `JournalFiles.backwards`, with what is not on the disk yet. */
  async *backwards(before?: string): AsyncGenerator<readonly string[]> {
    const waiting = this.#waiting.toReversed();
    const oldest = waiting.at(-1);
    yield waiting.map((line) => line.trimEnd());
    for await (const lines of this.#files.backwards(before)) {
      // Some of those may have been written meanwhile.
      yield oldest === undefined ? lines : lines.filter((line) => timeOfLine(line) < timeOfLine(oldest));
    }
  }

  #push(call: Omit<JournalEntry, 'time' | 'params'>, params?: object): void {
    if (this.#waiting.length < MOST_WAITING)
      this.#waiting.push(shortLine(this.#options.times.next(), call, params));
  }

  #minuteEnded(dropped: number): void {
    if (dropped > 0) {
      const caller = { id: 'panel', name: 'panel', address: null };
      const counted = { command: 'journal.refused', surface: 'panel', caller, code: 'OK', ms: 0 } as const;
      this.#push(counted, { dropped });
    }
    void this.#writes.follow(() => this.#write(), this.#onLost);
  }

  /** What cannot be written is lost. */
  async #write(): Promise<void> {
    const lines = [...this.#waiting];
    if (lines.length === 0) return;
    await this.#files.append(lines.join('')).catch(this.#onLost);
    // They are read from here until they are in the file.
    this.#waiting = this.#waiting.slice(lines.length);
  }

  readonly #onLost = (error: unknown): void =>
    this.#options.log.warn({ err: error }, 'journal: could not record refused calls');
}

/** An entry as a line of at most 300 bytes. */
function shortLine(
  time: string,
  { command, surface, caller, code, ms }: Omit<JournalEntry, 'time' | 'params'>,
  params: object = {},
): string {
  const lines = SHORTER.map((most) => {
    const { id, name, address } = caller;
    const shown = { id: cut(id, most), name: cut(name, most), address: address && cut(address, most) };
    return `${JSON.stringify({ time, command, surface, caller: shown, params, code, ms })}\n`;
  });
  return lines.find((line) => Buffer.byteLength(line) <= MAX_LINE_BYTES) ?? lines.at(-1)!;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
