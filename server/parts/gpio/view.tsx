import { useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, Switch, TextField } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent, useEvery, useParts } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';

type PinFacts = ResultOf<'gpio.list'>['pins'][number];
type Level = 0 | 1;

/** How often the counts of the pins are read again while they change, in milliseconds. */
const READ_EVERY_MS = 1_000;

/** Each pin with its level, live. @param isSimulated the outside world can be played, too */
export function Pins({ isSimulated }: { isSimulated: boolean }) {
  const list = useCall<ResultOf<'gpio.list'>>('gpio.list');
  const levels = useParts().gpio;
  const hasChanged = useRef(false);
  useEvent('gpio', () => {
    hasChanged.current = true;
  });
  useEvery(READ_EVERY_MS, () => {
    if (!hasChanged.current) return;
    hasChanged.current = false;
    void list.reload();
  });
  const changed = () => {
    hasChanged.current = true;
  };
  return (
    <Card title={t('pins')} wide>
      <Loading of={list}>
        {({ pins }) => (
          <ul class="entries" data-testid="pins">
            {pins.map((facts) => (
              <Pin
                key={facts.pin}
                facts={facts}
                level={levels?.find(({ pin }) => pin === facts.pin)?.level ?? facts.level}
                isSimulated={isSimulated}
                onChange={changed}
              />
            ))}
          </ul>
        )}
      </Loading>
      <CallShown command="gpio.list" />
    </Card>
  );
}

interface PinProps {
  readonly facts: PinFacts;
  readonly level: Level | null;
  readonly isSimulated: boolean;
  readonly onChange: () => void;
}

function Pin({ facts, level, isSimulated, onChange }: PinProps) {
  const { pin, label, kind, since, edges, pulseUntil, lockedBy } = facts;
  const write = async (isOn: boolean) => {
    await attempt(() => call('gpio.write', { pin, level: isOn ? 1 : 0 }));
    onChange();
  };
  const words =
    kind === 'relay' ? (['levelOpen', 'levelClosed'] as const) : (['levelLow', 'levelHigh'] as const);
  const next: Level = level === 1 ? 0 : 1;
  return (
    <li data-testid={`pin-row-${pin}`}>
      <div class="grow">
        <strong>{label}</strong> <code class="key">{t('pinNumber', { pin })}</code>
        <p class={level === 1 ? 'good' : 'hint'} data-testid={`pin-level-${pin}`}>
          {level === null ? t('levelUnknown') : t(words[level])}
        </p>
        <p class="hint">
          {t('pinEdges', { edges, time: timeText(since) })}
          {pulseUntil !== null && ` ${t('pulseUntil', { time: timeText(pulseUntil) })}`}
          {lockedBy !== null && ` ${t('pinLocked', { pin: lockedBy })}`}
        </p>
      </div>
      <Switch
        label={t('switchPin', { label })}
        isOn={level === 1}
        testId={`pin-switch-${pin}`}
        onChange={(isOn) => void write(isOn)}
      />
      <CallShown command="gpio.write" params={{ pin, level: next }} />
      <Pulse pin={pin} label={label} onChange={onChange} />
      {isSimulated && kind === 'io' && <Outside pin={pin} label={label} next={next} />}
    </li>
  );
}

function Pulse({ pin, label, onChange }: { pin: number; label: string; onChange: () => void }) {
  const [text, setText] = useState('500');
  const params = { pin, level: 1 as const, ms: Number(text) };
  const pulse = async () => {
    await attempt(() => call('gpio.pulse', params), t('pulseBegun', { label, ms: params.ms }));
    onChange();
  };
  return (
    <>
      <div class="pulse">
        <TextField
          label={t('pulseMs', { label })}
          value={text}
          onText={setText}
          testId={`pulse-ms-${pin}`}
          isNumber
          maxLength={7}
        />
        <button
          type="button"
          aria-label={t('pulseOf', { label })}
          data-testid={`pulse-${pin}`}
          onClick={() => void pulse()}
        >
          {t('pulse')}
        </button>
      </div>
      <CallShown command="gpio.pulse" params={params} />
    </>
  );
}

/** On the simulated board no one else presses a button. */
function Outside({ pin, label, next }: { pin: number; label: string; next: Level }) {
  const params = { part: 'gpio', pin, level: next } as const;
  return (
    <>
      <button
        type="button"
        aria-label={t('outsideOf', { label })}
        data-testid={`outside-${pin}`}
        onClick={() => void attempt(() => call('system.simulate', params))}
      >
        {t(next === 1 ? 'outsideHigh' : 'outsideLow')}
      </button>
      <CallShown command="system.simulate" params={params} />
    </>
  );
}
