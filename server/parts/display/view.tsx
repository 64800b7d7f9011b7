import { useEffect, useState } from 'preact/hooks';
import type { SettingsAnswer } from '../../config/contract.ts';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { call, settingsChanges } from '../../pages/manage/client/panel.ts';
import { timeChoice } from '../../pages/manage/fields/pickFields.tsx';
import { language, t } from '../../pages/manage/language.ts';
import { durationText } from '../../pages/manage/settingValue.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, EmptyState, Field, Loading, Switch } from '../../pages/manage/ui/card.tsx';
import { settingHomes, settingPath } from '../../pages/manage/ui/finder.ts';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { addressOf } from '../../pages/manage/ui/route.ts';
import { SettingsCard } from '../../pages/manage/views/settingRow.tsx';
import type { DisplayState } from './contract.ts';

/** What the screen does while the panel is idle: as a line in time, and its settings. */
export function Idle() {
  return (
    <>
      <IdleLine />
      <SettingsCard title={t('idleTitle')} hint={t('idleHint')} keys={settingHomes['screen/idle']!} />
    </>
  );
}

const IDLE_STEPS = ['dimAfter', 'saverAfter', 'offAfter', 'homeAfter'] as const;

/** What happens after the last touch, in its order; each step leads to its setting. */
function IdleLine() {
  const answer = useCall<SettingsAnswer>('settings.read');
  useEffect(() => settingsChanges.subscribe(() => void answer.reload()), [answer.reload]);
  const secondsOf = (key: string) => {
    const entry = answer.data?.settings[key];
    return entry !== undefined && 'value' in entry ? Number(entry.value) : 0;
  };
  const steps = IDLE_STEPS.map((name) => ({ name, key: `idle.${name}`, after: secondsOf(`idle.${name}`) }));
  const ordered = [
    ...steps.filter(({ after }) => after > 0).sort((one, other) => one.after - other.after),
    ...steps.filter(({ after }) => after === 0),
  ];
  return (
    <Card title={t('idleLine')} wide>
      <Loading of={answer}>
        {() => (
          <ol class="idle-line" data-testid="idle-line">
            <li>
              <strong>{t('idleTouch')}</strong>
              <span class="hint">{durationText(0, language.get())}</span>
            </li>
            {ordered.map(({ name, key, after }) => (
              <li key={name} class={after === 0 ? 'never' : ''}>
                <a href={addressOf(settingPath(key))}>{t(`idle_${name}`)}</a>
                <span class="hint">{timeChoice(name, after)}</span>
              </li>
            ))}
          </ol>
        )}
      </Loading>
    </Card>
  );
}

/** The screen: its light, its sound, the rotation of the page, and its keyboard. */
export function Display() {
  return (
    <>
      <Light />
      <Levels />
      <SettingsCard
        title={t('keyboardTitle')}
        hint={t('keyboardHint')}
        keys={settingHomes['screen/display']!}
      />
    </>
  );
}

const ZOOMS = [0.5, 0.75, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4];
const ROTATIONS = [0, 90, 180, 270] as const;

function Light() {
  const display = useCall<DisplayState>('display.state');
  useEvent('display', () => void display.reload());
  const set = async (what: ParamsOf<'display.set'>) => {
    await attempt(() => call('display.set', what));
    await display.reload();
  };
  return (
    <Card title={t('light')}>
      <Loading of={display}>
        {({ on, idle, zoom, rotation, muted, volume }) => (
          <>
            <p class="big" role="status" data-testid="idle-state">
              {t(`idle_${idle}`)}
            </p>
            <div class="check">
              <Switch
                label={t('lightOn')}
                isOn={on}
                testId="light"
                onChange={(wished) => void set({ on: wished })}
              />{' '}
              {t('lightOn')}
            </div>
            {volume !== null && (
              <div class="check">
                <Switch
                  label={t('muted')}
                  isOn={muted}
                  testId="muted"
                  onChange={(wished) => void set({ muted: wished })}
                />{' '}
                {t('muted')}
              </div>
            )}
            <div class="row">
              <Field label={t('zoom')}>
                <select
                  data-testid="zoom"
                  value={String(zoom)}
                  onChange={({ currentTarget }) => void set({ zoom: Number(currentTarget.value) })}
                >
                  {[...new Set([...ZOOMS, zoom])]
                    .sort((one, other) => one - other)
                    .map((each) => (
                      <option key={each} value={String(each)}>{`${Math.round(each * 100)} %`}</option>
                    ))}
                </select>
              </Field>
              <Field label={t('rotation')}>
                <select
                  data-testid="rotation"
                  value={String(rotation)}
                  onChange={({ currentTarget }) =>
                    void set({ rotation: Number(currentTarget.value) as (typeof ROTATIONS)[number] })
                  }
                >
                  {ROTATIONS.map((each) => (
                    <option key={each} value={String(each)}>{`${each}°`}</option>
                  ))}
                </select>
              </Field>
            </div>
            <CallShown command="display.set" params={{ on: !on }} />
            <CallShown command="display.state" />
          </>
        )}
      </Loading>
    </Card>
  );
}

type State = ResultOf<'display.state'>;
const NAMES = ['brightness', 'volume'] as const;

/** Brightness and volume, when the board has them. */
export function Levels() {
  const levels = useCall<State>('display.state');
  useEvent('display', () => void levels.reload());
  return (
    <Card title={t('display')}>
      <Loading of={levels}>
        {(now) => {
          const there = NAMES.filter((name) => now[name] !== null);
          if (there.length === 0) return <EmptyState icon="screen" words={t('noLevels')} />;
          return there.map((name) => <Level key={name} name={name} now={now[name]!} />);
        }}
      </Loading>
    </Card>
  );
}

function Level({ name, now }: { name: (typeof NAMES)[number]; now: number }) {
  const [value, setValue] = useState(now);
  useEffect(() => setValue(now), [now]);
  return (
    <label class="slider">
      <span>{t(name)}</span>
      <input
        type="range"
        min={0}
        max={100}
        value={value}
        data-testid={name}
        onInput={({ currentTarget }) => setValue(currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) =>
          void attempt(() => call('display.set', { [name]: currentTarget.valueAsNumber }))
        }
      />
      <output>{value} %</output>
    </label>
  );
}
