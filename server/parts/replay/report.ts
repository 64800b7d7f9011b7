import { CONTROLS } from '../../contract/fields.ts';
import type { Recorded } from './recordedJournal.ts';

/** How many damaged lines are reported one by one; all are counted. */
const TOLD = 20;
/** Characters of one text of the journal in a line. */
const MAX_TEXT = 300;
const UNSAFE = new RegExp(`[${CONTROLS}\\u2028-\\u202e\\u2066-\\u2069]`, 'g');
const TROUBLES = { 'no entry': 'is no entry of a journal', 'too long': 'is too long for an entry' } as const;

/** What became of the lines of a journal. */
export type Outcome = 'played' | 'different' | 'shown' | 'skipped' | 'damaged' | 'backwards' | 'shortened';

/** Text of a stranger for a terminal: one line, without what steers it. */
export function plainText(text: string): string {
  const shown = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return shown.replace(UNSAFE, '?');
}

/** A length of time in its two greatest units: `2 h 5 min`. */
export function durationText(milliseconds: number): string {
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
export class Tally {
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
