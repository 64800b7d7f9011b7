import type { Entity, EntityContext } from './entity.ts';

/** The air around the panel, as far as it has sensors for it. */
export function climateEntities({ now, topics, word }: EntityContext): Entity[] {
  const measure = (
    key: 'room_temperature' | 'humidity',
    field: string,
    config: Entity['config'],
  ): Entity => ({
    key,
    platform: 'sensor',
    name: word(key),
    config: {
      state_topic: topics.state('climate'),
      value_template: `{{ value_json.${field} if value_json.${field} is not none else 'None' }}`,
      state_class: 'measurement',
      suggested_display_precision: 1,
      ...config,
    },
  });
  return [
    ...(now.climate.temperature
      ? [
          measure('room_temperature', 'temperature', {
            device_class: 'temperature',
            unit_of_measurement: '°C',
          }),
        ]
      : []),
    ...(now.climate.humidity
      ? [measure('humidity', 'humidity', { device_class: 'humidity', unit_of_measurement: '%' })]
      : []),
  ];
}
