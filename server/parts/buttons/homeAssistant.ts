import { type EntityHost, type PartEntities, slugsOf } from '../homeAssistant.ts';

interface ButtonsNow {
  /** Names of the buttons beside the glass. */
  readonly buttons: readonly string[];
}

/** Buttons beside the glass: an event for each that has a name. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<ButtonsNow> => ({
  groups: [
    {
      order: 110,
      entities: ({ now, topics, word }) =>
        now.buttons.map((name) => {
          const key = keyOf(now, name)!;
          return {
            key,
            platform: 'event',
            name: word(`Button ${name}`, `Taste ${name}`, `Botón ${name}`),
            config: { device_class: 'button', event_types: ['down', 'up'], state_topic: topics.own(key) },
          };
        }),
    },
  ],
  heard: {
    button: ({ name, state }, now) => {
      const key = now && keyOf(now, name);
      if (key !== undefined) tell(key, { event_type: state });
    },
  },
});

/** The event entity of a button; undefined for one without a name in the board profile. */
function keyOf({ buttons }: ButtonsNow, name: string): string | undefined {
  const index = buttons.indexOf(name);
  return index < 0 ? undefined : `button_${slugsOf(buttons, 'button')[index]}`;
}
