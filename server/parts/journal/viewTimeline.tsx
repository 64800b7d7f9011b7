import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { inLanguage, momentText, t, timeText } from '../../pages/manage/language.ts';
import { EmptyState, Facts, Problem, SearchBox, Skeleton } from '../../pages/manage/ui/card.tsx';
import { Group } from '../../pages/manage/ui/roving.tsx';
import { developerMode, useStore } from '../../pages/manage/ui/store.ts';
import { commandWords } from '../approval/commandWords.generated.ts';
import type { PinEdge, PinFacts } from '../gpio/contract.ts';
import { useTimeline } from './viewKept.tsx';
import {
  LANES,
  type Lane,
  placeOf,
  type Row,
  repeatedRows,
  rowsOf,
  type Span,
  stepsOf,
  wantedRows,
} from './viewRows.ts';

/** Time ranges, in milliseconds. */
const RANGES = { minutes: 600_000, hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;
type Range = keyof typeof RANGES;

/** Rows that are drawn at once; more by a button. */
const AT_ONCE = 300;

/** Who did what, and when: calls, the page and the pins, in words, and side by side in time. */
export function Activity() {
  const isDeveloper = useStore(developerMode) === 'on';
  const [range, setRange] = useState<Range>('day');
  const [lanes, setLanes] = useState<ReadonlySet<Lane>>(new Set(LANES));
  const [filter, setFilter] = useState('');
  const [most, setMost] = useState(AT_ONCE);
  const [open, setOpen] = useState<string>();
  const { facts, error, read } = useTimeline(RANGES[range]);
  if (facts === undefined) return error === undefined ? <Skeleton /> : <Problem error={error} />;
  const { entries, isAll, edges, pins, since, now } = facts;
  const all = rowsOf(entries, edges);
  // What came while it was read is seen too.
  const to = Math.max(now, all[0]?.at ?? 0);
  const span = { from: to - RANGES[range], to };
  const textOf = (row: Row) => searched(row, pins);
  // Somebody who only watched did nothing.
  const acted = all.filter(({ entry }) => isDeveloper || entry?.command !== 'kiosk.live');
  const rows = wantedRows(acted, { ...span, lanes, words: filter }, textOf);
  const repeats = repeatedRows(rows);
  const oldest = entries.at(-1);
  const isShort = !isAll && oldest !== undefined && Date.parse(oldest.time) > span.from;
  const toggle = (lane: Lane) => {
    const next = new Set(lanes);
    if (!next.delete(lane)) next.add(lane);
    setLanes(next);
  };
  return (
    <div class="feed wide timeline">
      <div class="row">
        <select
          aria-label={t('timelineRange')}
          data-testid="range"
          value={range}
          onChange={({ currentTarget }) => setRange(currentTarget.value as Range)}
        >
          {(Object.keys(RANGES) as Range[]).map((name) => (
            <option key={name} value={name}>
              {t(`range_${name}`)}
            </option>
          ))}
        </select>
        <Group role="toolbar" label={t('filter')} class="row">
          {LANES.map((lane) => (
            <button
              key={lane}
              type="button"
              data-testid={`lane-${lane}`}
              class="chip"
              aria-pressed={lanes.has(lane)}
              onClick={() => toggle(lane)}
            >
              {t(`lane_${lane}`)}
            </button>
          ))}
        </Group>
        <SearchBox label={t('filter')} testId="filter" value={filter} onText={setFilter} />
        <button type="button" data-testid="refresh" onClick={() => void read()}>
          {t('refresh')}
        </button>
      </div>
      <Problem error={error} />
      <div class="card">
        <p class="hint ends">
          <span>{timeText(new Date(span.from).toISOString())}</span>
          <span>{timeText(new Date(span.to).toISOString())}</span>
        </p>
        <Strip rows={rows} pins={pins} edges={edges} since={since ?? 0} lanes={lanes} span={span} />
        {since !== undefined && since > span.from && (
          <p class="hint">{t('edgesSince', { time: timeText(new Date(since).toISOString()) })}</p>
        )}
        {isShort && <p class="hint">{t('journalSince', { time: timeText(oldest.time) })}</p>}
      </div>
      <ol class="card rows" data-testid="timeline" aria-label={t('activity')}>
        {rows.length === 0 && (
          <li>
            <EmptyState icon="search" words={t('timelineNone')} />
          </li>
        )}
        {repeats.slice(0, most).map(({ row, count }) => (
          <li key={row.key} class={row.lane}>
            <button
              type="button"
              aria-expanded={open === row.key}
              onClick={() => setOpen(open === row.key ? undefined : row.key)}
            >
              <time dateTime={new Date(row.at).toISOString()}>{momentText(row.at)}</time>
              <span class="what">
                <Brief row={row} pins={pins} isDeveloper={isDeveloper} />
                {count > 1 && <span class="badge">{t('repeated', { count })}</span>}
              </span>
            </button>
            {open === row.key && <Details row={row} pins={pins} />}
          </li>
        ))}
      </ol>
      {repeats.length > most && (
        <button type="button" data-testid="older" onClick={() => setMost(most + AT_ONCE)}>
          {t('older')}
        </button>
      )}
    </div>
  );
}

interface RowProps {
  readonly row: Row;
  readonly pins: readonly PinFacts[];
}

/** What a call does, in words; what is no command of this version has none. */
function deedOf(command: string): string {
  return Object.hasOwn(commandWords, command)
    ? inLanguage(commandWords[command as keyof typeof commandWords])
    : t('otherDeed');
}

/** A row in a line. */
function Brief({ row: { entry, edge }, pins, isDeveloper }: RowProps & { isDeveloper: boolean }) {
  if (edge !== undefined)
    return (
      <>
        <strong>{labelOf(edge.pin, pins)}</strong> {levelText(edge.pin, edge.level, pins)}
      </>
    );
  return (
    <>
      <strong>{deedOf(entry!.command)}</strong> {isDeveloper && <code>{entry!.command}</code>}
      {entry!.code !== 'OK' && <span class="badge warm">{isDeveloper ? entry!.code : t('notDone')}</span>}{' '}
      <span class="hint">{entry!.caller.name}</span>
    </>
  );
}

/** All that is known of a row. */
function Details({ row: { at, entry, edge }, pins }: RowProps) {
  const time = timeText(new Date(at).toISOString());
  if (edge !== undefined)
    return (
      <div class="details" data-testid="details">
        <Facts
          rows={[
            [t('clock'), time],
            [t('timelinePin'), `${labelOf(edge.pin, pins)} (${edge.pin})`],
            [t('timelineLevel'), levelText(edge.pin, edge.level, pins)],
            [t('timelineBy'), t(edge.written ? 'edgeWritten' : 'edgeOutside')],
            [t('timelineEdges'), edge.count > 1 ? edge.count : null],
          ]}
        />
      </div>
    );
  const { surface, caller, code, ms, params } = entry!;
  return (
    <div class="details" data-testid="details">
      <Facts
        rows={[
          [t('clock'), time],
          [t('timelineBy'), `${caller.name} (${[surface, caller.address].filter(Boolean).join(', ')})`],
          [t('timelineResult'), `${code}, ${ms} ms`],
        ]}
      />
      {JSON.stringify(params) !== '{}' && <code>{JSON.stringify(params)}</code>}
    </div>
  );
}

function labelOf(pin: number, pins: readonly PinFacts[]): string {
  return pins.find((facts) => facts.pin === pin)?.label ?? String(pin);
}

function levelText(pin: number, level: 0 | 1, pins: readonly PinFacts[]): string {
  const isRelay = pins.find((facts) => facts.pin === pin)?.kind === 'relay';
  if (isRelay) return t(level === 1 ? 'levelClosed' : 'levelOpen');
  return t(level === 1 ? 'levelHigh' : 'levelLow');
}

/** What the filter looks at. */
function searched({ entry, edge }: Row, pins: readonly PinFacts[]): string {
  if (entry !== undefined) return `${deedOf(entry.command)} ${JSON.stringify(entry)}`;
  return `${labelOf(edge!.pin, pins)} ${levelText(edge!.pin, edge!.level, pins)}`;
}

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
function Strip({ rows, pins, edges, since, lanes, span }: StripProps) {
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
