import type { PinEdge, PinFacts } from '../gpio/contract.ts';
import type { JournalEntry } from './contract.ts';

/** The group of a row: what callers asked for, what the page was sent or did, and what the wires did. */
export const LANES = ['commands', 'page', 'pins'] as const;
export type Lane = (typeof LANES)[number];

/** Something that happened. */
export interface Row {
  /** No two rows have the same. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly lane: Lane;
  readonly entry?: JournalEntry;
  readonly edge?: PinEdge;
}

/** A stretch of time, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Wanted extends Span {
  readonly lanes: ReadonlySet<Lane>;
  /** Text that a row has to contain; the case does not matter. */
  readonly words: string;
}

export function laneOf(command: string): Lane {
  return /^(?:page|kiosk)\./.test(command) ? 'page' : 'commands';
}

/** Entries and edges together, newest first. @param entries, edges newest first each */
export function rowsOf(entries: readonly JournalEntry[], edges: readonly PinEdge[]): Row[] {
  const seen = new Map<string, number>();
  const rows: Row[] = entries.map((entry) => ({
    key: entry.time,
    at: Date.parse(entry.time),
    lane: laneOf(entry.command),
    entry,
  }));
  for (const edge of edges.toReversed()) {
    // Edges of one pin may have one time.
    const name = `${edge.pin} ${edge.time}`;
    const nth = (seen.get(name) ?? 0) + 1;
    seen.set(name, nth);
    rows.push({ key: `${name} ${nth}`, at: Date.parse(edge.time), lane: 'pins', edge });
  }
  const edgesFirst = rows.splice(entries.length).toReversed();
  // The wire moves before the call that moved it has its answer.
  return [...rows, ...edgesFirst].sort((a, b) => b.at - a.at);
}

/** The rows that somebody wants to see. @param textOf what a row says */
export function wantedRows(rows: readonly Row[], wanted: Wanted, textOf: (row: Row) => string): Row[] {
  const words = wanted.words.toLowerCase();
  return rows.filter(
    (row) =>
      row.at >= wanted.from &&
      row.at <= wanted.to &&
      wanted.lanes.has(row.lane) &&
      textOf(row).toLowerCase().includes(words),
  );
}

/** A row, and how many of its kind it stands for. */
export interface Repeated {
  readonly row: Row;
  readonly count: number;
}

/** Rows of which several follow each other, of the same caller with the same result, in one; the newest stands for them. */
export function repeatedRows(rows: readonly Row[]): Repeated[] {
  const all: { row: Row; count: number }[] = [];
  const kindOf = ({ entry }: Row) =>
    entry && JSON.stringify([entry.command, entry.surface, entry.caller.id, entry.caller.name, entry.code]);
  for (const row of rows) {
    const last = all.at(-1);
    const kind = kindOf(row);
    if (last !== undefined && kind !== undefined && kindOf(last.row) === kind) last.count++;
    else all.push({ row, count: 1 });
  }
  return all;
}

/** Place of a time in a span: 0 at its beginning, 1 at its end. */
export function placeOf(at: number, { from, to }: Span): number {
  return to <= from ? 1 : Math.min(1, Math.max(0, (at - from) / (to - from)));
}

/** A level, and from where in the span it holds. */
export interface Step {
  readonly at: number;
  readonly level: 0 | 1;
}

/**
 * How a pin went through a span; empty while nothing is known of it.
 * @param edges newest first
 * @param since when the panel began to listen, in milliseconds since 1970
 */
export function stepsOf(
  pin: Pick<PinFacts, 'pin' | 'level'>,
  edges: readonly PinEdge[],
  span: Span,
  since: number,
): Step[] {
  const own = edges
    .filter((edge) => edge.pin === pin.pin)
    .map((edge) => ({ ...edge, at: Date.parse(edge.time) }))
    .toReversed();
  const within = own.filter(({ at }) => at >= span.from && at <= span.to);
  const before = own.filter(({ at }) => at < span.from).at(-1);
  const next = own.find(({ at }) => at >= span.from);
  // The level before an edge was the other one, unless the entry counts an even number of edges.
  const first =
    before?.level ?? (next && (next.count % 2 === 1 ? other(next.level) : next.level)) ?? pin.level;
  if (first === null) return [];
  return [
    { at: placeOf(since, span), level: first },
    ...within.map(({ at, level }) => ({ at: placeOf(at, span), level })),
  ];
}

function other(level: 0 | 1): 0 | 1 {
  return level === 1 ? 0 : 1;
}
