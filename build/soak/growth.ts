/** What a panel takes at one moment. Null: not known from here. */
export interface Sample {
  /** Hours since the start. */
  readonly hours: number;
  /** Memory in MiB: PSS on a desk; as `health` says of a panel on the network. */
  readonly service: number | null;
  /** MiB that the service has in use after a garbage collection: what is more of its memory is free, but not given back. */
  readonly inUse: number | null;
  readonly browser: number | null;
  /** Open file descriptors of the service, and of the browser with all its helpers. */
  readonly serviceFiles: number | null;
  readonly browserFiles: number | null;
  readonly processes: number | null;
  /** MiB that are taken on the disk. */
  readonly disk: number | null;
}

export type Measure = Exclude<keyof Sample, 'hours'>;

interface Limit {
  readonly measure: Measure;
  readonly label: string;
  readonly unit: string;
  /** Largest growth from the second to the last quarter of a run. */
  readonly atMost: number;
}

/**
 * What may grow, and how far. The journal (10 MiB) and the browser's caches fill once; growth after that is a leak.
 */
export const limits: readonly Limit[] = [
  { measure: 'service', label: 'memory of the service', unit: 'MiB', atMost: 30 },
  { measure: 'inUse', label: 'memory in use by the service', unit: 'MiB', atMost: 8 },
  { measure: 'browser', label: 'memory of the browser', unit: 'MiB', atMost: 120 },
  { measure: 'serviceFiles', label: 'file descriptors of the service', unit: '', atMost: 16 },
  { measure: 'browserFiles', label: 'file descriptors of the browser', unit: '', atMost: 64 },
  { measure: 'processes', label: 'processes', unit: '', atMost: 3 },
  { measure: 'disk', label: 'disk', unit: 'MiB', atMost: 60 },
];

interface Growth extends Limit {
  /** Medians of the second and the last quarter: the first one warms up. */
  readonly from: number;
  readonly to: number;
  readonly grown: number;
  readonly isTooMuch: boolean;
}

/** How each measure grew. What is not known, and what has too few samples, is left out. */
export function growthOf(samples: readonly Sample[]): Growth[] {
  return limits.flatMap((limit) => {
    const values = samples.flatMap((sample) => sample[limit.measure] ?? []);
    const quarter = Math.floor(values.length / 4);
    if (quarter === 0) return [];
    const from = median(values.slice(quarter, 2 * quarter));
    const to = median(values.slice(-quarter));
    return [{ ...limit, from, to, grown: to - from, isTooMuch: to - from > limit.atMost }];
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** One line of the table while it runs. */
export function sampleText(sample: Sample): string {
  const fields = limits.flatMap(({ measure, label, unit }) => {
    const value = sample[measure];
    return value === null ? [] : `${label} ${round(value)}${unit && ` ${unit}`}`;
  });
  return `${sample.hours.toFixed(2)} h  ${fields.join(', ')}`;
}

/** One line of the verdict. */
export function growthText({ label, unit, from, to, grown, atMost, isTooMuch }: Growth): string {
  const verdict = isTooMuch ? 'TOO MUCH' : 'ok';
  const change = `${grown >= 0 ? '+' : ''}${round(grown)}`;
  return `  ${label.padEnd(34)} ${round(from).padStart(7)} to ${round(to).padStart(7)} ${unit.padEnd(4)} ${change.padStart(7)}  at most +${atMost}: ${verdict}`;
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
