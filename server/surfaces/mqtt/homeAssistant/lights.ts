import type { LedState } from '../../../parts/led/contract.ts';
import { type LightPayload, lightPayload } from './contract.ts';
import { type Call, type Entity, type EntityContext, jsonObject, Misfit, switched } from './entity.ts';

const FULL = 255;

/** LED bar and screen, as lights. */
export function lights({ now, word }: EntityContext): Entity[] {
  const { led, display } = now;
  const screen: Entity = {
    key: 'screen',
    platform: 'light',
    name: word('screen'),
    needs: 'display.set',
    config: {
      ...lightConfig(display.brightness === null ? 'onoff' : 'brightness'),
      icon: 'mdi:tablet-dashboard',
    },
    state: JSON.stringify({
      state: switched(display.on),
      color_mode: display.brightness === null ? 'onoff' : 'brightness',
      // Home Assistant takes no 0 of a light that is on; here it is the lowest light that can be read.
      ...(display.brightness !== null && { brightness: Math.max(1, ofPercent(display.brightness)) }),
    }),
    set: async (payload, call) => {
      const { state, brightness } = lightOf(payload);
      const on = state === 'ON' && brightness !== 0;
      const isSet = on && brightness !== undefined && display.brightness !== null;
      await call('display.set', { on, ...(isSet && { brightness: Math.round((brightness / FULL) * 100) }) });
    },
  };
  if (led === undefined) return [screen];
  const bar: Entity = {
    key: 'led',
    platform: 'light',
    name: word('led'),
    needs: 'led.color',
    config: { ...lightConfig('rgb'), icon: 'mdi:led-strip-variant' },
    state: JSON.stringify({
      state: switched(led.on),
      color_mode: 'rgb',
      color: fullColourOf(led),
      brightness: brightnessOf(led),
    }),
    set: (payload, call) => setLed(lightOf(payload), led, call),
  };
  return [bar, screen];
}

function lightConfig(mode: 'rgb' | 'brightness' | 'onoff') {
  return {
    schema: 'json',
    supported_color_modes: [mode],
    // Without it, Home Assistant multiplies the brightness into the colour.
    ...(mode !== 'onoff' && { brightness: true }),
    flash: false,
    transition: false,
  };
}

/** @throws Misfit */
function lightOf(payload: string): LightPayload {
  const parsed = lightPayload.safeParse(jsonObject(payload));
  if (!parsed.success) throw new Misfit('must be the JSON of a light: state, brightness, color');
  return parsed.data;
}

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

function ofPercent(percent: number): number {
  return Math.round((percent * FULL) / 100);
}
