import { type Entity, type EntityContext, mustPress, onOrOff, switched } from './entity.ts';
import { slugsOf } from './slug.ts';

/** The intercom. */
export function callEntities({ now, topics, word }: EntityContext): Entity[] {
  const { intercom } = now;
  if (intercom === undefined) return [];
  const doors = slugsOf(intercom.doors, 'door').map((slug, index): Entity => {
    const name = intercom.doors[index]!;
    return {
      key: `door_${slug}`,
      platform: 'button',
      name: word('door', name),
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
      name: word('dnd'),
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
      name: word('ring'),
      config: { device_class: 'doorbell', event_types: ['ring'], state_topic: topics.own('ring') },
    },
    {
      key: 'call',
      platform: 'sensor',
      name: word('call'),
      config: {
        state_topic: topics.state('sip'),
        value_template: '{{ value_json.callStatus }}',
        icon: 'mdi:phone',
      },
    },
  ];
}
