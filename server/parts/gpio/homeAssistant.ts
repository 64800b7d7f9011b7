import {
  type Entity,
  type EntityContext,
  type EntityHost,
  onOrOff,
  type PartEntities,
} from '../homeAssistant.ts';
import type { PinFacts } from './contract.ts';

/** What the shipped panels print beside their connectors: numbers that say no more than ours. */
const PLAIN_LABEL = /^(?:IO|Relay) \d+$/;

interface PinsNow {
  readonly pins: readonly Pick<PinFacts, 'pin' | 'kind' | 'label'>[];
}

/** Relays as switches, inputs as sensors, and their edges as events; counted in the order of the pins. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<PinsNow> => ({
  groups: [{ order: 100, entities: (context) => [...relays(context), ...inputs(context)] }],
  heard: {
    input: ({ pin, level }, now) => {
      const key = now && edgeOf(now, pin);
      if (key !== undefined) tell(key, { event_type: level === 1 ? 'high' : 'low' });
    },
  },
});

function relays({ now, topics, word }: EntityContext<PinsNow>): Entity[] {
  return pinsOf(now, 'relay').map(({ pin, label }, index) => {
    const number = index + 1;
    return {
      key: `relay${number}`,
      platform: 'switch',
      name: label ?? word(`Relay ${number}`, `Relais ${number}`, `Relé ${number}`),
      needs: 'gpio.write',
      config: {
        state_topic: topics.state(`gpio/${pin}`),
        value_template: "{{ 'ON' if value_json.level == 1 else 'OFF' }}",
        icon: 'mdi:electric-switch',
      },
      set: async (payload, call) => {
        await call('gpio.write', { pin, level: onOrOff(payload) ? 1 : 0 });
      },
    };
  });
}

function inputs({ now, topics, word }: EntityContext<PinsNow>): Entity[] {
  return pinsOf(now, 'io').flatMap(({ pin, label }, index) => {
    const number = index + 1;
    return [
      {
        key: `input${number}`,
        platform: 'binary_sensor',
        name: label ?? word(`Input ${number}`, `Eingang ${number}`, `Entrada ${number}`),
        config: {
          state_topic: topics.state(`gpio/${pin}`),
          value_template: "{{ 'ON' if value_json.level == 1 else 'OFF' }}",
          icon: 'mdi:import',
        },
      },
      {
        key: edgeKey(index),
        platform: 'event',
        name:
          label === undefined
            ? word(`Input ${number} edge`, `Flanke an Eingang ${number}`, `Flanco de la entrada ${number}`)
            : word(`${label} edge`, `Flanke an ${label}`, `Flanco de ${label}`),
        config: {
          state_topic: topics.own(edgeKey(index)),
          event_types: ['high', 'low'],
          icon: 'mdi:square-wave',
        },
      },
    ];
  });
}

/** The event entity of a pin; undefined for one that is no input. */
function edgeOf(now: PinsNow, pin: number): string | undefined {
  const index = pinsOf(now, 'io').findIndex((input) => input.pin === pin);
  return index < 0 ? undefined : edgeKey(index);
}

const edgeKey = (index: number) => `edge${index + 1}`;

function pinsOf({ pins }: PinsNow, wanted: 'io' | 'relay') {
  return pins
    .filter(({ kind }) => kind === wanted)
    .toSorted((a, b) => a.pin - b.pin)
    .map(({ pin, label }) => ({ pin, label: PLAIN_LABEL.test(label) ? undefined : label }));
}
