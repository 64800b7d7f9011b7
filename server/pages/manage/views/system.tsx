import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import type { HealthPoint, HealthState } from '../../../parts/health/contract.ts';
import { UpdateCard } from '../../../parts/update/view.tsx';
import { ask } from '../client/panel.ts';
import { bytesText, language, t } from '../language.ts';
import { Card, Facts, Field, Loading, Switch } from '../ui/card.tsx';
import { useCall, useEvery } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';
import { developerMode, useStore } from '../ui/store.ts';
import { MoreSettings } from './moreSettings.tsx';
import { Restarts, uptimeText } from './restart.tsx';

/** How often the health and its history are asked for, in milliseconds. */
const EVERY_MS = 5_000;
const HISTORY_EVERY_MS = 60_000;

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
  const history = useCall<ResultOf<'health.history'>>('health.history');
  useEvery(HISTORY_EVERY_MS, () => void history.reload());
  const points = history.data?.points ?? [];
  const before = (of: (point: HealthPoint) => number | null) =>
    points.map((point) => ({ secondsAgo: point.secondsAgo, value: of(point) ?? 0 }));
  return (
    <Card title={t('health')} wide>
      <Loading of={health}>
        {({ uptime, serviceUptime, load: [load], temperature, memory, disk }) => (
          <>
            <div class="charts">
              <Chart
                name={t('load')}
                before={before((point) => point.load)}
                value={load}
                textOf={(value) => numberText(value)}
                least={1}
              />
              <Chart
                name={t('memoryUsed')}
                before={before((point) => point.memoryUsed)}
                value={memory.total - memory.free}
                textOf={bytesText}
                max={memory.total}
              />
              {temperature !== null && (
                <Chart
                  name={t('temperature')}
                  before={before((point) => point.temperature)}
                  value={temperature}
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

interface ChartProps {
  readonly name: string;
  /** What the panel has measured until now, the oldest first. */
  readonly before: readonly { readonly secondsAgo: number; readonly value: number }[];
  readonly value: number;
  readonly textOf: (value: number) => string;
  /** The value at the top; without it the greatest one, which is never less than `least`. */
  readonly max?: number;
  readonly least?: number;
}

/** A line of values over the last hours with its axes, a day at most; the words above it say the value of now. */
function Chart({ name, before, value, textOf, max, least = 0 }: ChartProps) {
  const all = [...before, { secondsAgo: 0, value }];
  const hours = Math.max(1, Math.ceil(all[0]!.secondsAgo / 3_600));
  const top = max ?? Math.max(least, ...all.map((one) => one.value * 1.1));
  const points = all.map((one) => `${100 - one.secondsAgo / (36 * hours)},${30 - (one.value * 30) / top}`);
  const text = textOf(value);
  return (
    <figure class="chart">
      <figcaption>
        {name} <strong>{text}</strong>
      </figcaption>
      <div class="plot" role="img" aria-label={t('chartOf', { name, value: text })}>
        <span class="hint">{textOf(top)}</span>
        <svg viewBox="0 0 100 30" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid" d="M0 0H100M0 15H100M0 30H100" />
          <polyline points={points.join(' ')} />
        </svg>
        <span class="hint">{textOf(0)}</span>
        <span class="hint times">
          <span>{t('hoursAgo', { hours })}</span>
          <span>{t('nowWord')}</span>
        </span>
      </div>
    </figure>
  );
}
