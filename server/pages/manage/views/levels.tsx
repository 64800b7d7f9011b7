import { useState } from 'preact/hooks';
import type { ResultOf } from '../../../contract/commands.ts';
import { call } from '../client/panel.ts';
import { t } from '../language.ts';
import { Card, Loading } from '../ui/card.tsx';
import { useCall } from '../ui/hooks.ts';
import { attempt } from '../ui/notice.tsx';

type State = ResultOf<'settingsPage.levels'>;
const NAMES = ['brightness', 'volume'] as const;

/** Brightness and volume, when the board has them. */
export function Levels() {
  const levels = useCall<State>('settingsPage.levels');
  return (
    <Card title={t('display')}>
      <Loading of={levels}>
        {(now) => {
          const there = NAMES.filter((name) => now[name] !== null);
          if (there.length === 0) return <p class="hint">{t('noLevels')}</p>;
          return there.map((name) => <Level key={name} name={name} first={now[name]!} />);
        }}
      </Loading>
    </Card>
  );
}

function Level({ name, first }: { name: (typeof NAMES)[number]; first: number }) {
  const [value, setValue] = useState(first);
  return (
    <label class="slider">
      <span>{t(name)}</span>
      <input
        type="range"
        min={name === 'brightness' ? 5 : 0}
        max={100}
        value={value}
        data-testid={name}
        onInput={({ currentTarget }) => setValue(currentTarget.valueAsNumber)}
        onChange={({ currentTarget }) =>
          void attempt(() => call('settingsPage.setLevel', { [name]: currentTarget.valueAsNumber }))
        }
      />
      <output>{value} %</output>
    </label>
  );
}
