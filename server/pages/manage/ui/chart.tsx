import { useRef } from 'preact/hooks';
import { t } from '../language.ts';

/** Values that a chart holds. */
const LENGTH = 60;

/** The last values of something that is measured again and again. @param moment differs with each measurement */
export function useHistory(value: number | undefined, moment: unknown): readonly number[] {
  const values = useRef<number[]>([]);
  const last = useRef<unknown>(undefined);
  if (moment !== last.current && value !== undefined)
    values.current = [...values.current, value].slice(-LENGTH);
  last.current = moment;
  return values.current;
}

interface ChartProps {
  readonly name: string;
  readonly values: readonly number[];
  /** The last value in words. */
  readonly value: string;
  /** The value at the top; without it the greatest one. */
  readonly max?: number;
}

/** A small line of values; the words beside it say the last one. */
export function Chart({ name, values, value, max }: ChartProps) {
  const top = max ?? Math.max(...values, 0.001) * 1.1;
  const points = values.map((one, at) => `${(at * 100) / (LENGTH - 1)},${30 - (one * 30) / top}`);
  return (
    <div class="chart">
      <p>
        {name} <strong>{value}</strong>
      </p>
      <svg
        viewBox="0 0 100 30"
        preserveAspectRatio="none"
        role="img"
        aria-label={t('chartOf', { name, value })}
      >
        <polyline points={points.join(' ')} />
      </svg>
    </div>
  );
}
