import { useState } from 'preact/hooks';
import type { ResultOf } from '../../contract/commands.ts';
import { call } from '../../pages/manage/client/panel.ts';
import { t } from '../../pages/manage/language.ts';
import { CallShown } from '../../pages/manage/ui/callShown.tsx';
import { Card, Loading, Switch } from '../../pages/manage/ui/card.tsx';
import { useCall, useParts } from '../../pages/manage/ui/hooks.ts';
import { attempt } from '../../pages/manage/ui/notice.tsx';
import { Group } from '../../pages/manage/ui/roving.tsx';

type LedState = ResultOf<'led.state'>['state'];
type Colour = Pick<LedState, 'red' | 'green' | 'blue'>;
const PARTS = ['red', 'green', 'blue'] as const;

/** Colours of signs in buildings: free, busy, soon, and light. */
const PRESETS = [
  ['white', '#ffffff'],
  ['red', '#ff0000'],
  ['amber', '#ff8c00'],
  ['green', '#00ff00'],
  ['blue', '#0000ff'],
  ['violet', '#a000ff'],
] as const;

/** The LED bar, live: on or off, its colour, and how bright. */
export function LedBar() {
  const first = useCall<ResultOf<'led.state'>>('led.state');
  const live = useParts().led;
  const now = live ?? first.data?.state;
  return (
    <Card
      title={t('ledBar')}
      action={
        now && (
          <Switch
            label={t('ledBar')}
            isOn={now.on}
            testId="led-switch"
            onChange={(isOn) => void attempt(() => call('led.on', { on: isOn }))}
          />
        )
      }
    >
      <Loading of={first}>{({ state }) => <Led now={now ?? state} />}</Loading>
      <CallShown command="led.state" />
    </Card>
  );
}

function Led({ now }: { now: LedState }) {
  /** What is being dragged, before the panel has taken it. */
  const [dragged, setDragged] = useState<number>();
  const { colour, percent } = splitLight(now);
  const shown = dragged ?? percent;
  const lit = scaled(colour, shown);
  const set = async (wished: Colour) => {
    await attempt(() => call('led.color', wished));
    setDragged(undefined);
  };
  return (
    <>
      <div class="row">
        <span
          class="swatch"
          aria-hidden="true"
          style={{ backgroundColor: now.on ? hexOf(lit) : 'transparent' }}
        />
        <span class="grow" data-testid="led-state">
          {now.on ? `${t('on')} · ${nameOf(colour)} · ${shown} %` : t('off')}
        </span>
      </div>
      <Group role="toolbar" label={t('ledColours')} class="row">
        {PRESETS.map(([name, hex]) => (
          <button
            key={name}
            type="button"
            class="preset"
            aria-label={t(name)}
            title={t(name)}
            aria-pressed={hexOf(colour) === hex}
            data-testid={`led-${name}`}
            style={{ backgroundColor: hex }}
            onClick={() => void set(scaled(colourOf(hex), percent))}
          />
        ))}
        <input
          type="color"
          aria-label={t('ledOwn')}
          title={t('ledOwn')}
          data-testid="led-picker"
          value={hexOf(colour)}
          onChange={({ currentTarget }) => void set(scaled(colourOf(currentTarget.value), percent))}
        />
      </Group>
      <label class="slider">
        <span>{t('ledBrightness')}</span>
        <input
          type="range"
          min={1}
          max={100}
          value={shown}
          data-testid="led-brightness"
          onInput={({ currentTarget }) => setDragged(currentTarget.valueAsNumber)}
          onChange={({ currentTarget }) => void set(scaled(colour, currentTarget.valueAsNumber))}
        />
        <output>{shown} %</output>
      </label>
      <CallShown command="led.on" params={{ on: !now.on }} />
      <CallShown command="led.color" params={lit} />
    </>
  );
}

/** A light as a colour at full brightness, and how bright it is in percent; black is white at the least. */
function splitLight({ red, green, blue }: Colour): { readonly colour: Colour; readonly percent: number } {
  const most = Math.max(red, green, blue);
  if (most === 0) return { colour: { red: 255, green: 255, blue: 255 }, percent: 1 };
  const percent = Math.max(1, Math.round((most * 100) / 255));
  // A dark light has lost a part of its colour, which the name still has.
  const named = PRESETS.find(
    ([, hex]) => hexOf(scaled(colourOf(hex), percent)) === hexOf({ red, green, blue }),
  );
  const colour = named === undefined ? scaled({ red, green, blue }, 25_500 / most) : colourOf(named[1]);
  return { colour, percent };
}

function scaled(colour: Colour, percent: number): Colour {
  const [red, green, blue] = PARTS.map((part) =>
    Math.min(255, Math.round((colour[part] * percent) / 100)),
  ) as [number, number, number];
  return { red, green, blue };
}

/** `#rrggbb`. */
function hexOf(colour: Colour): string {
  return `#${PARTS.map((part) => colour[part].toString(16).padStart(2, '0')).join('')}`;
}

function colourOf(hex: string): Colour {
  const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  return { red, green, blue };
}

function nameOf(colour: Colour): string {
  const known = PRESETS.find(([, hex]) => hex === hexOf(colour));
  return known === undefined ? hexOf(colour) : t(known[0]);
}
