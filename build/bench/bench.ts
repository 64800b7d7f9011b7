/** One number of a round. */
interface Row {
  readonly key: string;
  readonly label: string;
  readonly unit: string;
  /** The goal of the median, if the number itself has one. */
  readonly goal?: { readonly atMost: number };
}

/** A ratio of two rows of the same round, and the goal it has to meet. */
interface Ratio {
  readonly label: string;
  readonly of: string;
  readonly by: string;
  readonly goal: { readonly atLeast: number } | { readonly atMost: number };
}

/** What a bench measures in one round, by the keys of its rows. */
type Round = Readonly<Record<string, number>>;

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
  readonly rows: readonly Row[];
  readonly ratios: readonly Ratio[];
  setUp(): Promise<ReadyBench>;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Runs the rounds and returns the lines of the table; `met` is false if a ratio misses its goal. */
export async function runBench(bench: Bench, rounds: number): Promise<{ lines: string[]; met: boolean }> {
  const ready = await bench.setUp();
  const results: Round[] = [];
  try {
    for (let i = 0; i < rounds; i++) results.push(await ready.round());
  } finally {
    await ready.tearDown();
  }
  const lines = [`${bench.name}: ${bench.about}`];
  let met = true;
  for (const { key, label, unit, goal } of bench.rows) {
    const values = results.flatMap((round) => round[key] ?? []);
    if (values.length === 0) continue;
    const all = values.map(short).join(', ');
    const ok = goal === undefined || median(values) <= goal.atMost;
    const judged = goal === undefined ? '' : `  goal: at most ${goal.atMost}: ${ok ? 'met' : 'MISSED'}`;
    lines.push(
      `  ${label.padEnd(44)} ${short(median(values)).padStart(10)} ${unit.padEnd(4)} (${all})${judged}`,
    );
    met &&= ok;
  }
  for (const { label, of, by, goal } of bench.ratios) {
    // A ratio is taken within each round, so that a busy moment of the machine slows both its sides.
    const ratios = results.flatMap((round) => (round[of] && round[by] ? round[of] / round[by] : []));
    if (ratios.length === 0) continue;
    const ratio = median(ratios);
    const ok = 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost;
    const wanted = 'atLeast' in goal ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`;
    lines.push(
      `  ${label.padEnd(44)} ${ratio.toFixed(2).padStart(10)} x    goal: ${wanted}: ${ok ? 'met' : 'MISSED'}`,
    );
    met &&= ok;
  }
  lines.push(...(ready.notes ?? []).map((note) => `  ${note}`));
  return { lines, met };
}

function short(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
