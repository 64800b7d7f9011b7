import { useRef, useState } from 'preact/hooks';
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
  const load = useHistory(now?.load[0], now);
  const used = useHistory(now && now.memory.total - now.memory.free, now);
  const degrees = useHistory(now?.temperature ?? undefined, now);
  return (
    <Card title={t('health')} wide>
      <Loading of={health}>
        {({ uptime, serviceUptime, load: loads, temperature, memory, disk }) => (
          <div class="charts">
            <Chart
              name={t('load')}
              values={load}
              value={loads
                .map((one) => one.toLocaleString(language.get(), { maximumFractionDigits: 2 }))
                .join(' · ')}
            />
            <Chart
              name={t('memoryUsed')}
              values={used}
              max={memory.total}
              value={`${bytesText(memory.total - memory.free)} / ${bytesText(memory.total)}`}
            />
            {temperature !== null && (
              <Chart name={t('temperature')} values={degrees} value={`${temperature} °C`} />
            )}
            <Facts
              rows={[
                [t('uptime'), uptimeText(uptime)],
                [t('serviceUptime'), uptimeText(serviceUptime)],
                [t('memoryService'), bytesText(memory.service)],
                [t('memoryBrowser'), bytesText(memory.browser)],
                [t('diskFree'), `${bytesText(disk.free)} / ${bytesText(disk.total)}`],
              ]}
            />
          </div>
        )}
      </Loading>
    </Card>
  );
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

/** Values that a chart holds. */
const LENGTH = 60;

/** The last values of something that is measured again and again. @param moment differs with each measurement */
function useHistory(value: number | undefined, moment: unknown): readonly number[] {
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
function Chart({ name, values, value, max }: ChartProps) {
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
