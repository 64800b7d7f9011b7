import { type Entity, type EntityContext, onOrOff } from './entity.ts';
import type { PanelNow } from './panel.ts';

/** What the shipped panels print beside their connectors: numbers that say no more than ours. */
const PLAIN_LABEL = /^(?:IO|Relay) \d+$/;

/** Relays as switches, inputs as sensors, and their edges as events; counted in the order of the pins. */
export function pins({ now, topics, word }: EntityContext): Entity[] {
  const relays = pinsOf(now, 'relay').map(
    ({ pin, label }, index): Entity => ({
      key: `relay${index + 1}`,
      platform: 'switch',
      name: label ?? word('relay', index + 1),
      needs: 'gpio.write',
      config: {
        state_topic: topics.state(`gpio/${pin}`),
        value_template: "{{ 'ON' if value_json.level == 1 else 'OFF' }}",
        icon: 'mdi:electric-switch',
      },
      set: async (payload, call) => {
        await call('gpio.write', { pin, level: onOrOff(payload) ? 1 : 0 });
      },
    }),
  );
  const inputs = pinsOf(now, 'io').flatMap(({ pin, label }, index): Entity[] => [
    {
      key: `input${index + 1}`,
      platform: 'binary_sensor',
      name: label ?? word('input', index + 1),
      config: {
        state_topic: topics.state(`gpio/${pin}`),
        value_template: "{{ 'ON' if value_json.level == 1 else 'OFF' }}",
        icon: 'mdi:import',
      },
    },
    {
      key: edgeKey(index),
      platform: 'event',
      name: label === undefined ? word('edge', index + 1) : word('namedEdge', label),
      config: {
        state_topic: topics.own(edgeKey(index)),
        event_types: ['high', 'low'],
        icon: 'mdi:square-wave',
      },
    },
  ]);
  return [...relays, ...inputs];
}

/** The event entity of a pin; undefined for one that is no input. */
export function edgeOf(now: PanelNow, pin: number): string | undefined {
  const index = pinsOf(now, 'io').findIndex((input) => input.pin === pin);
  return index < 0 ? undefined : edgeKey(index);
}

const edgeKey = (index: number) => `edge${index + 1}`;

function pinsOf({ pins }: PanelNow, wanted: 'io' | 'relay') {
  return pins
    .filter(({ kind }) => kind === wanted)
    .toSorted((a, b) => a.pin - b.pin)
    .map(({ pin, label }) => ({ pin, label: PLAIN_LABEL.test(label) ? undefined : label }));
}
