import type { Feed } from '../contract/command.ts';
import type { LogEntry, LogLineLevel } from '../parts/log/contract.ts';
import { Tail } from './tail.ts';

const KEPT = 500;
/** Characters of the longest line that is kept whole. */
const LONGEST = 16 * 1024;

const GRAVITY: Readonly<Record<LogLineLevel, number>> = {
  fatal: 60,
  error: 50,
  warn: 40,
  info: 30,
  debug: 20,
  trace: 10,
};

/** Passes the log on, and keeps its last 500 lines for those who read it over the API: redacted, as they are written. */
export class LogTail {
  readonly #out: { write(line: string): unknown };
  readonly #lines = new Tail<string>(KEPT);

  constructor(out: { write(line: string): unknown } = process.stderr) {
    this.#out = out;
  }

  /** Takes one line of the log. */
  write(line: string): void {
    this.#out.write(line);
    this.#lines.add(line.length > LONGEST ? shortened(line) : line);
  }

  /**
   * The kept lines and each new one, of this level and graver ones.
   * @throws FaceplateError CONFLICT when too many follow the log already
   */
  feed(level: LogLineLevel = 'trace'): Feed<LogEntry> {
    return this.#lines.feed('log', (line) => {
      const entry = JSON.parse(line) as LogEntry;
      return GRAVITY[entry.level] >= GRAVITY[level] ? entry : undefined;
    });
  }
}

/** Without the fields: they are what makes a line long. */
function shortened(line: string): string {
  const { time, level, msg = '' } = JSON.parse(line) as LogEntry;
  return JSON.stringify({ time, level, msg: msg.slice(0, LONGEST / 2), shortened: true });
}
