import {
  type Entity,
  type EntityContext,
  type EntityMaker,
  InvalidPayload,
  lightConfig,
  lightOf,
  onOrOff,
  switched,
} from '../homeAssistant.ts';
import type { DisplayState } from './contract.ts';

/** The brightness of a light in Home Assistant. */
const FULL = 255;

interface DisplayNow {
  readonly display: DisplayState;
}

/** The screen as a light, and the volume of the panel. */
export const homeAssistant: EntityMaker<DisplayNow> = () => ({
  groups: [
    { order: 20, entities: screen },
    { order: 80, entities: volume },
  ],
});

function screen({ now: { display }, word }: EntityContext<DisplayNow>): Entity[] {
  const mode = display.brightness === null ? 'onoff' : 'brightness';
  return [
    {
      key: 'screen',
      platform: 'light',
      name: word('Screen', 'Bildschirm', 'Pantalla'),
      needs: 'display.set',
      config: { ...lightConfig(mode), icon: 'mdi:tablet-dashboard' },
      state: JSON.stringify({
        state: switched(display.on),
        color_mode: mode,
        // Home Assistant takes no 0 of a light that is on; here it is the lowest light that can be read.
        ...(display.brightness !== null && {
          brightness: Math.max(1, Math.round((display.brightness * FULL) / 100)),
        }),
      }),
      set: async (payload, call) => {
        const { state, brightness } = lightOf(payload);
        const on = state === 'ON' && brightness !== 0;
        const isSet = on && brightness !== undefined && display.brightness !== null;
        await call('display.set', {
          on,
          ...(isSet && { brightness: Math.round((brightness / FULL) * 100) }),
        });
      },
    },
  ];
}

function volume({ now: { display }, topics, word }: EntityContext<DisplayNow>): Entity[] {
  if (display.volume === null) return [];
  return [
    {
      key: 'volume',
      platform: 'number',
      name: word('Volume', 'Lautstärke', 'Volumen'),
      needs: 'display.set',
      config: {
        min: 0,
        max: 100,
        step: 1,
        mode: 'slider',
        unit_of_measurement: '%',
        state_topic: topics.state('display'),
        value_template: '{{ value_json.volume }}',
        icon: 'mdi:volume-high',
      },
      set: async (payload, call) => {
        const wanted = Number(payload);
        if (!/^\d{1,3}(?:\.0+)?$/.test(payload) || wanted > 100)
          throw new InvalidPayload('must be a whole number from 0 to 100');
        await call('display.set', { volume: wanted });
      },
    },
    {
      key: 'mute',
      platform: 'switch',
      name: word('Mute', 'Stumm', 'Silencio'),
      needs: 'display.set',
      config: {
        state_topic: topics.state('display'),
        value_template: "{{ 'ON' if value_json.muted else 'OFF' }}",
        icon: 'mdi:volume-mute',
      },
      set: async (payload, call) => {
        await call('display.set', { muted: onOrOff(payload) });
      },
    },
  ];
}
