import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { HealthState } from '../../../parts/health/contract.ts';
import { UpdateCard } from '../../../parts/update/view.tsx';
import { ask } from '../client/panel.ts';
import { bytesText, language, t } from '../language.ts';
import { Card, Facts, Field, Loading, Switch } from '../ui/card.tsx';
import { useCall, useEvery } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { developerMode, useStore } from '../ui/store.ts';
import { MoreSettings } from './moreSettings.tsx';
import { Restarts, uptimeText } from './restart.tsx';

/** How often the health is asked for, in milliseconds. */
const EVERY_MS = 5_000;

/** The machine: how it is, and what restarts it. */
export function System() {
  return (
    <>
      <Card title={t('actions')} wide>
        <Restarts />
      </Card>
      <UpdateCard />
      <HealthCard />
      <Reset />
      <DeveloperMode />
      <MoreSettings path="system" title={t('systemSettings')} />
      <About />
    </>
  );
}

/** Of this browser alone: what only developers need is seen, or not. */
function DeveloperMode() {
  const isOn = useStore(developerMode) === 'on';
  return (
    <Card title={t('developer')}>
      <div class="row">
        <p class="grow">{t('developerHint')}</p>
        <Switch
          label={t('developer')}
          isOn={isOn}
          testId="developer"
          onChange={(wished) => developerMode.set(wished ? 'on' : 'off')}
        />
      </div>
    </Card>
  );
}

function HealthCard() {
  const health = useCall<HealthState>('health.state');
  useEvery(EVERY_MS, () => {
    if (!health.error?.isMissing) void health.reload();
  });
  const now = health.data;
  useEffect(() => {
    if (now === undefined) return;
    keep('load', now.load[0]);
    keep('memory', now.memory.total - now.memory.free);
    if (now.temperature !== null) keep('temperature', now.temperature);
  }, [now]);
  return (
    <Card title={t('health')} wide>
      <Loading of={health}>
        {({ uptime, serviceUptime, load: [load], temperature, memory, disk }) => (
          <>
            <div class="charts">
              <Chart
                name={t('load')}
                values={[...measured('load'), load]}
                textOf={(value) => numberText(value)}
                least={1}
              />
              <Chart
                name={t('memoryUsed')}
                values={[...measured('memory'), memory.total - memory.free]}
                textOf={bytesText}
                max={memory.total}
              />
              {temperature !== null && (
                <Chart
                  name={t('temperature')}
                  values={[...measured('temperature'), temperature]}
                  textOf={(value) => `${numberText(value)} °C`}
                  least={60}
                />
              )}
            </div>
            <Facts
              rows={[
                [t('uptime'), uptimeText(uptime)],
                [t('serviceUptime'), uptimeText(serviceUptime)],
                [t('memoryService'), bytesText(memory.service)],
                [t('memoryBrowser'), bytesText(memory.browser)],
                [t('diskFree'), `${bytesText(disk.free)} / ${bytesText(disk.total)}`],
              ]}
            />
          </>
        )}
      </Loading>
    </Card>
  );
}

function numberText(value: number): string {
  return value.toLocaleString(language.get(), { maximumFractionDigits: 2 });
}

function Reset() {
  const info = useCall<{ name: string }>('system.info');
  const [name, setName] = useState('');
  const reset = () => attempt(() => ask('panel.reset', { confirm: name }), t('factoryDone'));
  return (
    <Card title={t('factoryReset')}>
      <Loading of={info}>
        {(data) => (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void reset();
            }}
          >
            <Field label={t('factoryType', { name: data.name })} hint={t('factoryHint')}>
              <input
                type="text"
                autoComplete="off"
                data-testid="reset-name"
                value={name}
                onInput={({ currentTarget }) => setName(currentTarget.value)}
              />
            </Field>
            <button type="submit" class="danger" data-testid="reset" disabled={name !== data.name}>
              {t('factoryDo')}
            </button>
          </form>
        )}
      </Loading>
    </Card>
  );
}

type Info = ResultOf<'system.info'>;

/** What the panel is made of. */
function About() {
  const info = useCall<Info>('system.info');
  return (
    <Card title={t('about')} wide>
      <Loading of={info}>
        {({ board, host, graphics, recoveries }) => (
          <Facts
            rows={[
              [t('board'), board],
              [t('browser'), host],
              [t('graphics'), graphics === null ? undefined : graphicsText(graphics)],
              [t('recoveries'), recoveryText(recoveries)],
              [t('licences'), t('licencesHint')],
            ]}
          />
        )}
      </Loading>
    </Card>
  );
}

/** How the browser draws, as a sentence. */
function graphicsText({ gpu, pages, webgl, video }: NonNullable<Info['graphics']>): string {
  const words = [
    [t('graphicsPages'), pages],
    ['WebGL', webgl],
    [t('graphicsVideo'), video],
  ].map(([name, way]) => `${name}: ${t(`graphics_${way}` as 'graphics_off')}`);
  return [...words, ...(gpu === '' ? [] : [gpu])].join(' · ');
}

function recoveryText(recoveries: Info['recoveries']): string {
  const counts = Object.entries(recoveries).map(([cause, count]) => `${cause} ${count}`);
  return counts.join(', ') || t('none');
}

/** A chart shows so many milliseconds. */
const SPAN_MS = 600_000;

interface Sample {
  readonly at: number;
  readonly value: number;
}

/** What was measured since the app was opened, by name; the panel itself keeps none of it. */
const samples = new Map<string, readonly Sample[]>();

function keep(name: string, value: number): void {
  const from = Date.now() - SPAN_MS;
  const old = (samples.get(name) ?? []).filter(({ at }) => at >= from);
  samples.set(name, [...old, { at: Date.now(), value }]);
}

function measured(name: string): readonly Sample[] {
  return samples.get(name) ?? [];
}

interface ChartProps {
  readonly name: string;
  /** What was measured, and the value of now. */
  readonly values: readonly (Sample | number)[];
  readonly textOf: (value: number) => string;
  /** The value at the top; without it the greatest one, which is never less than `least`. */
  readonly max?: number;
  readonly least?: number;
}

/** A line of values over the last minutes with its axes; the words above it say the value of now. */
function Chart({ name, values, textOf, max, least = 0 }: ChartProps) {
  const now = Date.now();
  const all = values.map((one) => (typeof one === 'number' ? { at: now, value: one } : one));
  const top = max ?? Math.max(least, ...all.map(({ value }) => value * 1.1));
  const points = all.map(
    ({ at, value }) => `${100 - ((now - at) * 100) / SPAN_MS},${30 - (value * 30) / top}`,
  );
  const value = textOf(all.at(-1)?.value ?? 0);
  return (
    <figure class="chart">
      <figcaption>
        {name} <strong>{value}</strong>
      </figcaption>
      <div class="plot" role="img" aria-label={t('chartOf', { name, value })}>
        <span class="hint">{textOf(top)}</span>
        <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d="M0 0H100M0 15H100M0 30H100" />
          <polyline points={points.join(' ')} />
        </svg>
        <span class="hint">{textOf(0)}</span>
        <span class="hint times">
          <span>{t('minutesAgo', { minutes: SPAN_MS / 60_000 })}</span>
          <span>{t('nowWord')}</span>
        </span>
      </div>
    </figure>
  );
}
