import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, Switch } from '../../pages/manage/ui/card.tsx';
import { useCall, useParts } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';

type LedState = ResultOf<'led.state'>['state'];
const COLOURS = ['red', 'green', 'blue'] as const;

/** Switch and colour of the LED bar, live. */
export function LedBar() {
  const first = useCall<ResultOf<'led.state'>>('led.state');
  const now = useParts().led;
  return (
    <Card title={t('ledBar')}>
      <Loading of={first}>{({ state }) => <Led now={now ?? state} />}</Loading>
      <CallShown command="led.state" />
    </Card>
  );
}

function Led({ now }: { now: LedState }) {
  const { on, red, green, blue } = now;
  /** What is being dragged, before the panel has taken it. */
  const [wished, setWished] = useState<Partial<LedState>>({});
  const shown = { red, green, blue, ...wished };
  const set = async (colour: (typeof COLOURS)[number], value: number) => {
    await attempt(() => call('led.color', { red, green, blue, [colour]: value }));
    setWished({});
  };
  return (
    <>
      <div class="row">
        <span
          class="swatch"
          aria-hidden="true"
          data-testid="led-swatch"
          style={{
            backgroundColor: on ? `rgb(${shown.red}, ${shown.green}, ${shown.blue})` : 'transparent',
          }}
        />
        <span class="grow" data-testid="led-state">
          {on ? t('on') : t('off')}, {red} {green} {blue}
        </span>
        <Switch
          label={t('ledBar')}
          isOn={on}
          testId="led-switch"
          onChange={(isOn) => void attempt(() => call('led.on', { on: isOn }))}
        />
      </div>
      <CallShown command="led.on" params={{ on: !on }} />
      {COLOURS.map((colour) => (
        <label key={colour} class="slider">
          <span>{t(colour)}</span>
          <input
            type="range"
            min={0}
            max={255}
            value={shown[colour]}
            data-testid={`led-${colour}`}
            onInput={({ currentTarget }) => setWished({ ...wished, [colour]: currentTarget.valueAsNumber })}
            onChange={({ currentTarget }) => void set(colour, currentTarget.valueAsNumber)}
          />
          <output>{shown[colour]}</output>
        </label>
      ))}
      <CallShown command="led.color" params={{ red: shown.red, green: shown.green, blue: shown.blue }} />
    </>
  );
}
