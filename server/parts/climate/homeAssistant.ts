import type { Entity, EntityContext, EntityMaker } from '../homeAssistant.ts';

interface ClimateNow {
  /** What its sensors measure. */
  readonly climate: { readonly temperature: boolean; readonly humidity: boolean };
}

/** The air around the panel, as far as it has sensors for it. */
export const homeAssistant: EntityMaker<ClimateNow> = () => ({
  groups: [{ order: 130, entities: sensors }],
});

function sensors({ now: { climate }, topics, word }: EntityContext<ClimateNow>): Entity[] {
  const measure = (key: string, name: string, field: string, config: Entity['config']): Entity => ({
    key,
    platform: 'sensor',
    name,
    config: {
      state_topic: topics.state('climate'),
      value_template: `{{ value_json.${field} if value_json.${field} is not none else 'None' }}`,
      state_class: 'measurement',
      suggested_display_precision: 1,
      ...config,
    },
  });
  const entities: Entity[] = [];
  if (climate.temperature)
    entities.push(
      measure(
        'room_temperature',
        word('Room temperature', 'Raumtemperatur', 'Temperatura de la sala'),
        'temperature',
        { device_class: 'temperature', unit_of_measurement: '°C' },
      ),
    );
  if (climate.humidity)
    entities.push(
      measure('humidity', word('Humidity', 'Luftfeuchte', 'Humedad'), 'humidity', {
        device_class: 'humidity',
        unit_of_measurement: '%',
      }),
    );
  return entities;
}
