import {
  type Entity,
  type EntityContext,
  type EntityHost,
  mustPress,
  onOrOff,
  type PartEntities,
  slugsOf,
  switched,
} from '../parts/homeAssistant.ts';
import type { CallStatus } from './sipContract.ts';

interface IntercomNow {
  /** What the intercom is and does; undefined where it is off. */
  readonly intercom:
    | {
        readonly callStatus: CallStatus;
        readonly doNotDisturb: boolean;
        /** Names of the setting sip.doors. */
        readonly doors: readonly string[];
      }
    | undefined;
}

/** Doors, the bell, and whether it may ring. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<IntercomNow> => ({
  groups: [{ order: 140, entities: calls }],
  heard: {
    sip: ({ event, payload }) => {
      // An announcement of another panel plays without ringing.
      if (event === 'incomingCall' && !payload.isBroadcast)
        tell('ring', { event_type: 'ring', callerName: payload.callerName });
    },
  },
});

function calls({ now: { intercom }, topics, word }: EntityContext<IntercomNow>): Entity[] {
  if (intercom === undefined) return [];
  const doors = slugsOf(intercom.doors, 'door').map((slug, index): Entity => {
    const name = intercom.doors[index]!;
    return {
      key: `door_${slug}`,
      platform: 'button',
      name: word(`Open ${name}`, `${name} öffnen`, `Abrir ${name}`),
      needs: 'intercom.door',
      config: { icon: 'mdi:door-open' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('intercom.door', { name });
      },
    };
  });
  return [
    {
      key: 'dnd',
      platform: 'switch',
      name: word('Do not disturb', 'Nicht stören', 'No molestar'),
      needs: 'intercom.dnd',
      config: { icon: 'mdi:minus-circle' },
      state: switched(intercom.doNotDisturb),
      set: async (payload, call) => {
        await call('intercom.dnd', { on: onOrOff(payload) });
      },
    },
    ...doors,
    {
      key: 'ring',
      platform: 'event',
      name: word('Doorbell', 'Türklingel', 'Timbre'),
      config: { device_class: 'doorbell', event_types: ['ring'], state_topic: topics.own('ring') },
    },
    {
      key: 'call',
      platform: 'sensor',
      name: word('Call', 'Anruf', 'Llamada'),
      config: {
        state_topic: topics.state('sip'),
        value_template: '{{ value_json.callStatus }}',
        icon: 'mdi:phone',
      },
    },
  ];
}
