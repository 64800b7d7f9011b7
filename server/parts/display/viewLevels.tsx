import { useEffect, useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { Card, Loading } from '../../pages/manage/ui/card.tsx';
import { useCall, useEvent } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';

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
          if (there.length === 0) return <p class="hint">{t('noLevels')}</p>;
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
