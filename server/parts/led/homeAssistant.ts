import { type Call, type EntityMaker, lightConfig, lightOf, switched } from '../homeAssistant.ts';
import type { LightPayload } from '../homeAssistantContract.ts';
import type { LedState } from './contract.ts';

/** The greatest of a channel and of the brightness. */
const FULL = 255;

interface LedNow {
  readonly led: LedState | undefined;
}

/** The LED bar, as a light. */
export const homeAssistant: EntityMaker<LedNow> = () => ({
  groups: [
    {
      order: 10,
      entities: ({ now: { led }, word }) =>
        led === undefined
          ? []
          : [
              {
                key: 'led',
                platform: 'light',
                name: word('LED bar', 'LED-Leiste', 'Barra LED'),
                needs: 'led.color',
                config: { ...lightConfig('rgb'), icon: 'mdi:led-strip-variant' },
                state: JSON.stringify({
                  state: switched(led.on),
                  color_mode: 'rgb',
                  color: fullColourOf(led),
                  brightness: brightnessOf(led),
                }),
                set: (payload, call) => setLed(lightOf(payload), led, call),
              },
            ],
    },
  ],
});

async function setLed({ state, color, brightness }: LightPayload, led: LedState, call: Call): Promise<void> {
  const on = state === 'ON' && brightness !== 0;
  if (on && (color !== undefined || brightness !== undefined)) {
    const { r, g, b } = color ?? fullColourOf(led);
    const scale = (brightness ?? (brightnessOf(led) || FULL)) / FULL;
    const [red, green, blue] = [r, g, b].map((channel) => Math.round(channel * scale));
    await call('led.color', { red: red!, green: green!, blue: blue! });
  }
  await call('led.on', { on });
}

/** The greatest of the three channels. */
function brightnessOf({ red, green, blue }: LedState): number {
  return Math.max(red, green, blue);
}

/** The colour as it would be at full brightness; black is taken for a white that is dark. */
function fullColourOf(led: LedState): { r: number; g: number; b: number } {
  const brightness = brightnessOf(led);
  if (brightness === 0) return { r: FULL, g: FULL, b: FULL };
  const full = (channel: number) => Math.round((channel * FULL) / brightness);
  return { r: full(led.red), g: full(led.green), b: full(led.blue) };
}
