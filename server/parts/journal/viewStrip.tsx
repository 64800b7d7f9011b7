import type { ComponentChildren } from 'preact';
import { t } from '../../pages/manage/language.ts';
import type { PinEdge, PinFacts } from '../gpio/contract.ts';
import { type Lane, placeOf, type Row, type Span, stepsOf } from './viewRows.ts';

/** Width and height of a band in the units of the picture. */
const WIDTH = 1_000;
const HEIGHT = 20;

interface StripProps {
  readonly rows: readonly Row[];
  readonly pins: readonly PinFacts[];
  readonly edges: readonly PinEdge[];
  /** When the panel began to note edges. */
  readonly since: number;
  /** The lanes that are seen. */
  readonly lanes: ReadonlySet<Lane>;
  readonly span: Span;
}

/** The whole span at a glance: a mark for each call, and the level of each pin. The list below says the same in words. */
export function Strip({ rows, pins, edges, since, lanes, span }: StripProps) {
  const marked = (['commands', 'page'] as const).filter((lane) => lanes.has(lane));
  return (
    <div class="strip" data-testid="strip">
      {marked.map((lane) => (
        <Band key={lane} name={t(`lane_${lane}`)}>
          {rows
            .filter((row) => row.lane === lane)
            .map((row) => (
              <path
                key={row.key}
                class={`${lane} ${row.entry?.code === 'OK' ? '' : 'refused'}`}
                d={`M${placeOf(row.at, span) * WIDTH},2V${HEIGHT - 2}`}
              />
            ))}
        </Band>
      ))}
      {lanes.has('pins') &&
        pins.map((pin) => (
          <Band key={pin.pin} name={pin.label}>
            <path class="pins" d={lineOf(stepsOf(pin, edges, span, since))} />
          </Band>
        ))}
    </div>
  );
}

function Band({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <span class="hint">{name}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {children}
      </svg>
    </>
  );
}

function lineOf(steps: readonly { readonly at: number; readonly level: 0 | 1 }[]): string {
  const yOf = (level: 0 | 1) => (level === 1 ? 3 : HEIGHT - 3);
  const [first, ...more] = steps;
  if (first === undefined) return '';
  return [
    `M${first.at * WIDTH},${yOf(first.level)}`,
    ...more.map(({ at, level }) => `H${at * WIDTH}V${yOf(level)}`),
    `H${WIDTH}`,
  ].join('');
}
