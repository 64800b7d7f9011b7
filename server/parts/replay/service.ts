import { CONTROLS } from '../../contract/fields.ts';
import { pause } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { isRedacted } from '../../platform/redaction.ts';
import type { Recorded, RecordedEntry } from './recordedJournal.ts';

/** What is replayed. */
interface RecordedSource {
  readonly facts: { readonly entries: number; readonly lines: number };
  /** Oldest first. @throws an errno exception */
  read(): AsyncIterable<Recorded>;
  /** Safe to call twice. */
  close(): Promise<void>;
}

/** The commands of this desk. */
export interface ReplayedCalls {
  /** Whether the contract lets a replay carry it out; any text may be asked. */
  mayRun(command: string): boolean;
  /** @returns `OK`, or the code of the error; never rejects */
  run(command: string, params: unknown, signal: AbortSignal): Promise<string>;
}

/** Longest pause that is waited for, in milliseconds on this desk. */
export const LONGEST_PAUSE_MS = 30_000;
/** What becomes of a longer one. */
export const SHORT_PAUSE_MS = 3_000;

/** Codes of calls that were refused for their caller, or for the moment: they did nothing, and tell nothing of a desk. */
const NEVER_CARRIED_OUT: ReadonlySet<string> = new Set([
  'UNAUTHORIZED',
  'FORBIDDEN',
  'NOT_APPROVED',
  'RATE_LIMITED',
  'REQUEST_TIMEOUT',
  'STARTING',
  'SHUTTING_DOWN',
]);

interface ReplayOptions {
  readonly journal: RecordedSource;
  /** How many seconds of the journal pass in one second here. */
  readonly speed: number;
  readonly calls: ReplayedCalls;
  readonly clock: Clock;
  /** A line for the person at this desk. */
  say(line: string): void;
  readonly log: Logger;
}

/**
 * Plays the journal of a panel on a desk: one entry after the other, with the pauses between them. Says of each what
 * became of it, and at the end how many differ from what happened on the panel. It has no effect on the journal.
 */
export class ReplayService {
  readonly #options: ReplayOptions;
  readonly #ending = new AbortController();
  readonly #tally: Tally;
  #playing: Promise<void> = Promise.resolve();
  /** When the last entry was due here, and when its call began on the panel. */
  #due: { readonly here: number; readonly there: number } | undefined;
  /** The time of the last entry. */
  #at = Number.NEGATIVE_INFINITY;

  constructor(options: ReplayOptions) {
    this.#options = options;
    this.#tally = new Tally((line) => this.#say(line));
  }

  /** Begins; it plays on by itself. */
  async start(): Promise<void> {
    const { journal, speed } = this.#options;
    this.#say(`${journal.facts.entries} entries, speed ${speed}, times in UTC`);
    this.#playing = this.#play();
  }

  /** Ends it in the middle, and says what was played. Safe to call twice, and before `start`. */
  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#playing;
    await this.#options.journal.close();
  }

  /** Resolves when it has ended by itself or by `stop`. */
  ended(): Promise<void> {
    return this.#playing;
  }

  async #play(): Promise<void> {
    const { journal, log } = this.#options;
    const { signal } = this.#ending;
    try {
      for await (const recorded of journal.read()) {
        if (signal.aborted) break;
        await this.#line(recorded);
        if (signal.aborted) break;
      }
    } catch (error) {
      log.error({ err: error }, 'replay: could not read on in the journal');
      this.#say('the journal cannot be read on: the log says why');
    }
    await journal
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'replay: could not close the journal'));
    this.#say(`${signal.aborted ? 'ended early' : 'the end'}: ${this.#tally.words}`);
    log.info(this.#tally.counts, signal.aborted ? 'replay: stopped' : 'replay: finished');
  }

  async #line(recorded: Recorded): Promise<void> {
    const { entry } = recorded;
    if (entry === undefined) return this.#tally.damaged(recorded);
    if (entry.at < this.#at) this.#tally.backwards(recorded);
    this.#at = entry.at;
    await this.#pauseBefore(entry);
    if (!this.#ending.signal.aborted) await this.#entry(recorded.line, entry);
  }

  /** Waits until the call is due: as long after the one before as it began after it on the panel. */
  async #pauseBefore({ at, ms }: RecordedEntry): Promise<void> {
    const { clock, speed } = this.#options;
    const there = at - ms;
    const last = this.#due ?? { here: clock.now(), there };
    const between = Math.max(0, there - last.there);
    let wanted = between / speed;
    if (wanted > LONGEST_PAUSE_MS) {
      wanted = SHORT_PAUSE_MS;
      this.#tally.count('shortened');
      this.#say(`a pause of ${durationText(between)} is shortened`);
    }
    // What is late, because a call took longer here, is not caught up: the pauses stay.
    const here = Math.max(last.here + wanted, clock.now());
    this.#due = { here, there };
    if (here > clock.now()) await pause(here - clock.now(), clock, this.#ending.signal);
  }

  async #entry(line: number, entry: RecordedEntry): Promise<void> {
    const { calls, log } = this.#options;
    const { command, params, code } = entry;
    if (NEVER_CARRIED_OUT.has(code) || !calls.mayRun(command)) {
      this.#tally.count('shown');
      this.#tell(line, entry, code === 'OK' ? 'shown' : `shown: ${plainText(code)} on the panel`);
      return;
    }
    if (isRedacted(params)) {
      this.#tally.count('skipped');
      this.#tell(line, entry, 'skipped: its params are hidden or cut');
      return;
    }
    const now = await calls.run(command, params, this.#ending.signal);
    // An end in the middle is no result.
    if (this.#ending.signal.aborted) return;
    this.#tally.count('played');
    if (now === code) return this.#tell(line, entry, code);
    this.#tally.count('different');
    this.#tell(line, entry, `DIFFERENT: ${now} here, ${plainText(code)} on the panel`);
    log.warn(
      { line, call: command, here: now, there: plainText(code) },
      "replay: the result differs from the panel's",
    );
  }

  #tell(line: number, { time, command, caller, params }: RecordedEntry, result: string): void {
    const call = plainText(command);
    const given = plainText(JSON.stringify(params) ?? '');
    this.#say(`${time.slice(0, 23).replace('T', ' ')} ${plainText(caller)}: ${call} ${given} ${result}`);
    // Without the params: a log line holds no texts and addresses of callers.
    this.#options.log.info({ line, call, result }, 'replay: call');
  }

  #say(line: string): void {
    this.#options.say(`replay: ${line}`);
  }
}

/** How many damaged lines are reported one by one; all are counted. */
const TOLD = 20;
/** Characters of one text of the journal in a line. */
const MAX_TEXT = 300;
const UNSAFE = new RegExp(`[${CONTROLS}\\u2028-\\u202e\\u2066-\\u2069]`, 'g');
const TROUBLES = { 'no entry': 'is no entry of a journal', 'too long': 'is too long for an entry' } as const;

/** What became of the lines of a journal. */
type Outcome = 'played' | 'different' | 'shown' | 'skipped' | 'damaged' | 'backwards' | 'shortened';

/** Text of a stranger for a terminal: one line, without what steers it. */
function plainText(text: string): string {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return shown.replace(UNSAFE, '?');
}

/** A length of time in its two greatest units: `2 h 5 min`. */
function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  const units = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = units.findIndex(([count]) => count > 0);
  if (first < 0) return '0 s';
  const shown = units.slice(first, first + 2).filter(([count]) => count > 0);
  return shown.map(([count, unit]) => `${count} ${unit}`).join(' ');
}

/** Counts what becomes of the lines, and tells the damaged ones. */
class Tally {
  readonly #counts = new Map<Outcome, number>();
  readonly #say: (line: string) => void;

  constructor(say: (line: string) => void) {
    this.#say = say;
  }

  count(outcome: Outcome): number {
    const now = (this.#counts.get(outcome) ?? 0) + 1;
    this.#counts.set(outcome, now);
    return now;
  }

  damaged({ line, trouble }: Recorded): void {
    this.#tell(this.count('damaged'), `line ${line} ${TROUBLES[trouble!]}`);
  }

  backwards({ line }: Recorded): void {
    this.#tell(this.count('backwards'), `line ${line}: its time is before that of the entry before it`);
  }

  /** The counts, for the log. */
  get counts(): Record<Outcome, number> {
    const of = (outcome: Outcome) => this.#counts.get(outcome) ?? 0;
    return {
      played: of('played'),
      different: of('different'),
      shown: of('shown'),
      skipped: of('skipped'),
      damaged: of('damaged'),
      backwards: of('backwards'),
      shortened: of('shortened'),
    };
  }

  /** The counts in words. */
  get words(): string {
    const { played, different, shown, skipped, damaged, backwards, shortened } = this.counts;
    const parts = [`${played} played (${different} with another result), ${shown} shown, ${skipped} skipped`];
    if (damaged > 0) parts.push(lines(damaged, 'damaged'));
    if (backwards > 0) parts.push(lines(backwards, 'with a time that goes back'));
    if (shortened > 0) parts.push(`${shortened} ${shortened === 1 ? 'pause' : 'pauses'} shortened`);
    return parts.join('; ');
  }

  #tell(nth: number, text: string): void {
    if (nth <= TOLD) this.#say(text);
    if (nth === TOLD + 1) this.#say('… further lines like this are only counted');
  }
}

function lines(count: number, what: string): string {
  return `${count} ${count === 1 ? 'line' : 'lines'} ${what}`;
}
