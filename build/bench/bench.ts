import { type Figure, type Goal, meets, short, wordsOf } from './figures.ts';

/** One number of a round. */
interface Row {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  /** The goal of the median, if the number itself has one. */
  readonly goal?: { readonly atMost: number };
  /** Of the program that ours is compared with. */
  readonly isPeer?: true;
  /** Shown in a picture, not in the table. */
  readonly isDrawn?: true;
}

/** A ratio of two rows of the same round, and the goal it has to meet. */
interface Ratio {
  readonly label: string;
  readonly of: string;
  readonly by: string;
  readonly goal: Goal;
}

/** What a bench measures in one round, by the keys of its rows. */
export type Round = Readonly<Record<string, number>>;

/** A bench that is set up: rounds can be run, and `tearDown` ends what it started. */
interface ReadyBench {
  /** What is skipped on this machine, and why. Its rows and ratios have no numbers. */
  readonly notes?: readonly string[];
  round(): Promise<Round>;
  tearDown(): Promise<void>;
}

export interface Bench {
  readonly name: string;
  /** One sentence: what is measured against what. */
  readonly about: string;
  /** It takes many minutes, and runs only where it is named. */
  readonly isLong?: true;
  /** One round is enough: it finds the same each time. */
  readonly isOnce?: true;
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  setUp(): Promise<ReadyBench>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** What a bench gave. */
interface BenchResult {
  readonly figures: readonly Figure[];
  /** The lines of the table. */
  readonly lines: readonly string[];
  /** False if a figure misses its goal. */
  readonly met: boolean;
}

/** Runs the rounds. @throws what set-up or a round throws, with the bench torn down */
export async function runBench(bench: Bench, rounds: number): Promise<BenchResult> {
  const ready = await bench.setUp();
  const results: Round[] = [];
  try {
    for (let i = 0; i < (bench.isOnce ? 1 : rounds); i++) results.push(await ready.round());
  } finally {
    await ready.tearDown();
  }
  const figures = figuresOf(bench, results);
  const lines = figures.map(({ label, unit, median, rounds, goal }) => {
    const judged = goal && `  goal: ${wordsOf(goal)}: ${meets(median, goal) ? 'met' : 'MISSED'}`;
    const spread = rounds.map(short).join(', ');
    return `  ${label.padEnd(44)} ${short(median).padStart(10)} ${unit.padEnd(4)} (${spread})${judged ?? ''}`;
  });
  return {
    figures,
    lines: [`${bench.name}: ${bench.about}`, ...lines, ...(ready.notes ?? []).map((note) => `  ${note}`)],
    met: figures.every(({ median, goal }) => goal === undefined || meets(median, goal)),
  };
}

/** One figure for each row and ratio that has numbers. */
function figuresOf({ rows, ratios }: Bench, results: readonly Round[]): Figure[] {
  const ofRows = rows.map((row) => ({ ...row, rounds: results.flatMap((round) => round[row.key] ?? []) }));
  const ofRatios = ratios.map(({ label, of, by, goal }) => ({
    key: `${of} / ${by}`,
    label,
    unit: 'x',
    goal,
    // A ratio is taken within each round, so that a busy moment of the machine slows both its sides.
    rounds: results.flatMap((round) => (round[of] && round[by] ? round[of] / round[by] : [])),
  }));
  return [...ofRows, ...ofRatios]
    .filter(({ rounds }) => rounds.length > 0)
    .map((figure) => ({
      ...figure,
      median: rounded(median(figure.rounds)),
      rounds: figure.rounds.map(rounded),
    }));
}

/** What is committed has no more digits than mean something. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
