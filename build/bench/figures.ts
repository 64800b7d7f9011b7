import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

/** What a figure has to meet. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** The figure of a row or a ratio: the median of its rounds. */
export interface Figure {
  /** Names it within its bench. */
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  readonly median: number;
  /** Its spread. */
  readonly rounds: readonly number[];
  readonly goal?: Goal;
  /** Of the program that ours is compared with: shown, and never a regression. */
  readonly isPeer?: true;
  /** Shown in a picture, not in the table. */
  readonly isDrawn?: true;
  /** What a reader has to know of this figure. */
  readonly note?: string;
}

/** Figures of one bench, and where they were taken. */
interface BenchFigures {
  readonly machine: string;
  readonly figures: readonly Figure[];
}

/** By the name of the bench. */
export type CommittedFigures = Readonly<Record<string, BenchFigures>>;

/** The one source of the table in docs/benchmarks.md and of `npm run bench -- --compare`. */
const FILE = join(import.meta.dirname, '../../docs/benchmarks.json');

export function readFigures(): CommittedFigures {
  return JSON.parse(readFileSync(FILE, 'utf8')) as CommittedFigures;
}

/** Puts the figures of a bench, as measured here, in the place of those before. */
export function saveFigures(bench: string, figures: readonly Figure[]): void {
  const all = { ...readFigures(), [bench]: { machine: machineKind(), figures } };
  writeFileSync(FILE, `${JSON.stringify(all, null, 2)}\n`);
}

/** Figures of two machines are compared only where this is the same. */
export function machineKind(): string {
  const cores = cpus();
  return `${cores[0]?.model.trim() ?? 'unknown processor'}, ${cores.length} cores, ${process.arch}`;
}

export function meets(median: number, goal: Goal): boolean {
  return 'atLeast' in goal ? median >= goal.atLeast : median <= goal.atMost;
}

export function wordsOf(goal: Goal): string {
  return 'atLeast' in goal ? `at least ${short(goal.atLeast)}` : `at most ${short(goal.atMost)}`;
}

/** A figure as people read it: three digits that count. */
export function short(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(3)));
}

/** The figures as a table in Markdown, each beside its goal, with the machine that they are of. */
export function figuresTable(committed: CommittedFigures): string {
  const benches = Object.entries(committed);
  const machines = Map.groupBy(benches, ([, { machine }]) => machine);
  const places = [...machines].map(([machine, theirs]) =>
    machines.size === 1 ? `- ${machine}` : `- ${machine}: ${theirs.map(([name]) => name).join(', ')}`,
  );
  const rows = benches.flatMap(([name, { figures }]) =>
    figures
      .filter(({ isDrawn }) => !isDrawn)
      .map(({ label, unit, median, rounds, goal, note }, at) => {
        const spread = rounds.length > 1 ? ` (${rounds.map(short).join(', ')})` : '';
        const value = `${short(median)}${unit && ` ${unit}`}${spread}${note ? `, ${note}` : ''}`;
        const judged = goal && `${wordsOf(goal)}: ${meets(median, goal) ? 'met' : 'missed'}`;
        return `| ${[at === 0 ? name : '', label, value, judged ?? ''].join(' | ')} |`.replaceAll(
          '|  |',
          '| |',
        );
      }),
  );
  return `Machines:\n\n${places.join('\n')}\n
| bench | figure | median (rounds) | goal |
| --- | --- | --- | --- |
${rows.join('\n')}
`;
}
