import { useRef, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call, type SnapshotParts } from '../../pages/manage/client/panel.ts';
import { t, timeText } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, Switch } from '../../pages/manage/ui/card.tsx';
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
  return (
    <>
      <Card title={t('pins')} wide>
        <Loading of={list}>
          {({ pins }) => (
            <ul class="entries pins" data-testid="pins">
              {pins.map((facts) => (
                <Pin
                  key={facts.pin}
                  facts={facts}
                  level={levelOf(facts, levels)}
                  onChange={() => {
                    hasChanged.current = true;
                  }}
                />
              ))}
            </ul>
          )}
        </Loading>
        <CallShown command="gpio.list" />
      </Card>
      {isSimulated && list.data !== undefined && (
        <Simulator
          inputs={list.data.pins.filter(({ kind }) => kind === 'io')}
          levelOf={(facts) => levelOf(facts, levels)}
        />
      )}
    </>
  );
}

function levelOf(facts: PinFacts, levels: SnapshotParts['gpio']): Level | null {
  return levels?.find(({ pin }) => pin === facts.pin)?.level ?? facts.level;
}

interface PinProps {
  readonly facts: PinFacts;
  readonly level: Level | null;
  readonly onChange: () => void;
}

const WORDS = {
  relay: ['levelOpen', 'levelClosed'],
  io: ['levelLow', 'levelHigh'],
} as const;

/** One line: what it is, its level, what was last, and what switches it. */
function Pin({ facts, level, onChange }: PinProps) {
  const { pin, label, kind, since, edges, pulseUntil, lockedBy } = facts;
  const write = async (isOn: boolean) => {
    await attempt(() => call('gpio.write', { pin, level: isOn ? 1 : 0 }));
    onChange();
  };
  const notes = [
    ...(since === null ? [] : [t('pinEdges', { edges, time: timeText(since) })]),
    ...(pulseUntil === null ? [] : [t('pulseUntil', { time: timeText(pulseUntil) })]),
    ...(lockedBy === null ? [] : [t('pinLocked', { pin: lockedBy })]),
  ];
  return (
    <li data-testid={`pin-row-${pin}`}>
      <p>
        <strong>{label}</strong> <code class="key">{t('pinNumber', { pin })}</code>
      </p>
      <span class={`level-chip ${level === 1 ? 'on' : ''}`} data-testid={`pin-level-${pin}`}>
        {level === null ? t('levelUnknown') : t(WORDS[kind][level])}
      </span>
      <p class="hint">{notes.join(' ')}</p>
      <Switch
        label={t('switchPin', { label })}
        isOn={level === 1}
        testId={`pin-switch-${pin}`}
        onChange={(isOn) => void write(isOn)}
      />
      <Pulse pin={pin} label={label} onChange={onChange} />
      <CallShown command="gpio.write" params={{ pin, level: level === 1 ? 0 : 1 }} />
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
    <form
      class="pulse"
      onSubmit={(event) => {
        event.preventDefault();
        void pulse();
      }}
    >
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        maxLength={7}
        aria-label={t('pulseMs', { label })}
        data-testid={`pulse-ms-${pin}`}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <span class="unit">ms</span>
      <button type="submit" aria-label={t('pulseOf', { label })} data-testid={`pulse-${pin}`}>
        {t('pulse')}
      </button>
      <CallShown command="gpio.pulse" params={params} />
    </form>
  );
}

interface SimulatorProps {
  readonly inputs: readonly PinFacts[];
  levelOf(facts: PinFacts): Level | null;
}

/** On the simulated board no one else presses a button. */
function Simulator({ inputs, levelOf: now }: SimulatorProps) {
  return (
    <Card title={t('simulator')} wide>
      <p class="hint">{t('simulatorHint')}</p>
      <div class="row">
        {inputs.map((facts) => {
          const { pin, label } = facts;
          const next: Level = now(facts) === 1 ? 0 : 1;
          const params = { part: 'gpio', pin, level: next } as const;
          return (
            <span key={pin}>
              <button
                type="button"
                data-testid={`outside-${pin}`}
                onClick={() => void attempt(() => call('system.simulate', params))}
              >
                {t(next === 1 ? 'outsideHigh' : 'outsideLow', { label })}
              </button>
              <CallShown command="system.simulate" params={params} />
            </span>
          );
        })}
      </div>
    </Card>
  );
}
