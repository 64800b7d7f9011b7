import { useState } from 'preact/hooks';
import { CallError, call } from '../../pages/manage/client/panel.ts';
import { dayName, t, timeText } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Facts, Loading, Switch } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt, notice } from '../../pages/manage/ui/notice.tsx';
import type { AlarmState } from './contract.ts';
import { awakeSpans, WEEK } from './viewWeek.ts';

/** When the panel sleeps: the days and times, and the week that comes of them. */
export function Schedule() {
  const alarm = useCall<AlarmState>('rtc.alarm');
  useEvent('rtc', () => void alarm.reload());
  return (
    <Card title={t('scheduleTitle')} wide>
      <p class="hint">{t('scheduleHint')}</p>
      <Loading of={alarm}>{(now) => <Week now={now} reload={alarm.reload} />}</Loading>
    </Card>
  );
}

type Wished = Pick<AlarmState, 'onTime' | 'offTime' | 'onDays'>;

function Week({ now, reload }: { now: AlarmState; reload: () => Promise<void> }) {
  const [wished, setWished] = useState<Wished>();
  const [mistake, setMistake] = useState('');
  const shown = wished ?? now;
  const change = (what: Partial<Wished>) => {
    const { onTime, offTime, onDays } = shown;
    setMistake('');
    setWished({ onTime, offTime, onDays, ...what });
  };
  const save = async () => {
    try {
      await call('rtc.setAlarm', { ...wished, enabled: true });
      setWished(undefined);
      notice(t('saved'));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      setMistake(error.message);
    }
    await reload();
  };
  const wakes = (day: number) => shown.onDays.length === 0 || shown.onDays.includes(day);
  const toggle = (day: number) => {
    const days = WEEK.filter((each) => wakes(each) !== (each === day));
    // No day in the list means all of them.
    if (days.length > 0) change({ onDays: days.length === WEEK.length ? [] : days });
  };
  return (
    <form
      class="schedule"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div class="row">
        <Switch
          label={t('scheduleOn')}
          isOn={now.enabled}
          testId="schedule-on"
          onChange={(enabled) => void attempt(() => call('rtc.setAlarm', { enabled })).then(reload)}
        />
        <span>{t('scheduleOn')}</span>
      </div>
      <div class="row times">
        <Time label={t('sleepsAt')} name="offTime" value={shown.offTime} onTime={change} />
        <Time label={t('wakesAt')} name="onTime" value={shown.onTime} onTime={change} />
      </div>
      <fieldset class="days">
        <legend>{t('wakesOn')}</legend>
        {WEEK.map((day) => (
          <label key={day} class="check">
            <input
              type="checkbox"
              data-testid={`wakes-${day}`}
              checked={wakes(day)}
              onChange={() => toggle(day)}
            />
            {dayName(day, 'short')}
          </label>
        ))}
      </fieldset>
      <Strip of={shown} />
      <p class="mistake" role="alert" data-testid="schedule-mistake">
        {mistake}
      </p>
      <div class="row">
        <button type="submit" class="primary" data-testid="schedule-save" disabled={wished === undefined}>
          {now.enabled ? t('save') : t('saveAndOn')}
        </button>
      </div>
      {now.enabled && wished === undefined && (
        <Facts
          rows={[
            [t('nextSleep'), now.nextOff && timeText(now.nextOff)],
            [t('nextWake'), now.nextOn && timeText(now.nextOn)],
          ]}
        />
      )}
      <CallShown command="rtc.setAlarm" params={wished ?? { enabled: !now.enabled }} />
    </form>
  );
}

interface TimeProps {
  readonly label: string;
  readonly name: 'onTime' | 'offTime';
  readonly value: string;
  readonly onTime: (what: Partial<Wished>) => void;
}

function Time({ label, name, value, onTime }: TimeProps) {
  return (
    <label class="field">
      <span>{label}</span>
      <input
        type="time"
        required
        data-testid={name}
        value={value}
        onInput={({ currentTarget }) => {
          if (currentTarget.value !== '') onTime({ [name]: currentTarget.value.slice(0, 5) });
        }}
      />
    </label>
  );
}

/** The week as bars: light where the panel is awake. The words beside it say the same. */
function Strip({ of }: { of: Wished }) {
  const spans = awakeSpans(of);
  return (
    <ul class="week" aria-label={t('scheduleWeek')} data-testid="week">
      {WEEK.map((day) => (
        <li key={day} class="week-day">
          <span class="day">{dayName(day, 'short')}</span>
          <span class="bar-of-day" aria-hidden="true">
            {spans[day]!.map(({ from, to }) => (
              <span
                key={from}
                style={{ left: `${(from * 100) / 1_440}%`, width: `${((to - from) * 100) / 1_440}%` }}
              />
            ))}
          </span>
          <span class="hint">
            {spans[day]!.map(({ from, to }) => `${clock(from)}–${clock(to)}`).join(', ') || t('sleepsAllDay')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function clock(minutes: number): string {
  return [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
}
