import { commands } from '../../../contract/commands.ts';
import { soundNames } from '../../../parts/sound/contract.ts';
import { type Entity, type EntityContext, Misfit, onOrOff } from './entity.ts';
import type { Siren } from './siren.ts';

/** Volume of the panel, and what it plays and says. */
export function soundEntities({ now, topics, word }: EntityContext, siren: Siren): Entity[] {
  const entities: Entity[] = [];
  if (now.display.volume !== null)
    entities.push(
      {
        key: 'volume',
        platform: 'number',
        name: word('volume'),
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
          const volume = Number(payload);
          if (!/^\d{1,3}(?:\.0+)?$/.test(payload) || volume > 100)
            throw new Misfit('must be a whole number from 0 to 100');
          await call('display.set', { volume });
        },
      },
      {
        key: 'mute',
        platform: 'switch',
        name: word('mute'),
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
    );
  if (!now.hasSound) return entities;
  entities.push(
    {
      key: 'speak',
      platform: 'notify',
      name: word('speak'),
      needs: 'sound.speak',
      config: { icon: 'mdi:account-voice' },
      set: async (payload, call) => {
        const spoken = commands['sound.speak'].params.safeParse({ text: payload });
        if (!spoken.success) throw new Misfit('must be a text of 1 to 2,000 characters');
        await call('sound.speak', spoken.data);
      },
    },
    {
      key: 'siren',
      platform: 'siren',
      name: word('siren'),
      needs: 'sound.play',
      config: {
        available_tones: [...soundNames],
        support_duration: true,
        support_volume_set: true,
        icon: 'mdi:bullhorn',
      },
      state: siren.state,
      set: (payload, call) => siren.set(payload, call),
    },
  );
  return entities;
}
