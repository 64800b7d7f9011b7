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
  /** Those of the service that are sockets. */
  readonly sockets: number | null;
  /** What keeps the service's loop busy: timers, connections, processes. */
  readonly resources: number | null;
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
  { measure: 'sockets', label: 'sockets of the service', unit: '', atMost: 12 },
  { measure: 'resources', label: 'timers and handles of the service', unit: '', atMost: 24 },
  { measure: 'browserFiles', label: 'file descriptors of the browser', unit: '', atMost: 64 },
  { measure: 'processes', label: 'processes', unit: '', atMost: 3 },
  { measure: 'disk', label: 'disk', unit: 'MiB', atMost: 60 },
];

interface Growth extends Limit {
  /** Medians of the second and the last quarter: the first one warms up. */
  readonly from: number;
  readonly to: number;
  readonly grown: number;
  /** Slope after the first quarter, for each hour, and how far off it may be: with a chance of 95 % the true one is within. */
  readonly perHour: Slope;
  /** It grew past the limit, and not because single samples jump: on a busy machine they do. */
  readonly isTooMuch: boolean;
}

interface Slope {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** How each measure grew. What is not known, and what has too few samples, is left out. */
export function growthOf(samples: readonly Sample[]): Growth[] {
  return limits.flatMap((limit) => {
    const known = samples.flatMap((sample) => {
      const value = sample[limit.measure];
      return value === null ? [] : { x: sample.hours, y: value };
    });
    const quarter = Math.floor(known.length / 4);
    if (quarter === 0) return [];
    const middle = (points: readonly Point[]) => median(points.map(({ y }) => y));
    const from = middle(known.slice(quarter, 2 * quarter));
    const to = middle(known.slice(-quarter));
    const warm = known.slice(quarter);
    const isTooMuch = to - from > limit.atMost && rises(warm);
    return [{ ...limit, from, to, grown: to - from, perHour: slopeOf(warm), isTooMuch }];
  });
}

interface Point {
  readonly x: number;
  readonly y: number;
}

/** Of the normal distribution: 95 % of it, from both sides and from one. */
const TWO_SIDED = 1.96;
const ONE_SIDED = 1.645;

/** Whether later values are higher than earlier ones more often than by chance (Mann and Kendall). */
function rises(points: readonly Point[]): boolean {
  const rank = pairsOf(points).reduce((sum, [a, b]) => sum + Math.sign(b.y - a.y), 0);
  return rank > 0 && (rank - 1) / deviationOf(points) > ONE_SIDED;
}

/** The median of the slopes of all pairs (Theil and Sen): single jumps do not move it. */
function slopeOf(points: readonly Point[]): Slope {
  const slopes = pairsOf(points)
    .map(([a, b]) => (b.y - a.y) / (b.x - a.x))
    .toSorted((a, b) => a - b);
  if (slopes.length === 0) return { median: 0, least: 0, most: 0 };
  const aside = (TWO_SIDED * deviationOf(points)) / 2;
  const at = (index: number) => slopes[Math.min(slopes.length - 1, Math.max(0, Math.round(index)))]!;
  const middle = (slopes.length - 1) / 2;
  return { median: median(slopes), least: at(middle - aside), most: at(middle + aside) };
}

function pairsOf(points: readonly Point[]): [Point, Point][] {
  return points.flatMap((a, index) => points.slice(index + 1).map((b): [Point, Point] => [a, b]));
}

/** The standard deviation of Kendall's rank over all pairs, where nothing rises; equal values make it smaller. */
function deviationOf(points: readonly Point[]): number {
  const weight = (n: number) => n * (n - 1) * (2 * n + 5);
  const equal = Map.groupBy(points, ({ y }) => y);
  const ties = [...equal.values()].reduce((sum, { length }) => sum + weight(length), 0);
  return Math.sqrt((weight(points.length) - ties) / 18);
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
export function growthText({ label, unit, from, to, grown, perHour, atMost, isTooMuch }: Growth): string {
  const verdict = isTooMuch ? 'TOO MUCH' : 'ok';
  const change = signed(grown);
  const slope = `${signed(perHour.median)} an hour (${signed(perHour.least)} to ${signed(perHour.most)})`;
  return `  ${label.padEnd(36)} ${round(from).padStart(7)} to ${round(to).padStart(7)} ${unit.padEnd(4)} ${change.padStart(7)}  at most +${atMost}: ${verdict}; ${slope}`;
}

function signed(value: number): string {
  return `${value >= 0 ? '+' : ''}${round(value)}`;
}

function round(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
