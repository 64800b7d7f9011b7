import type { Entity, EntityContext, EntityMaker } from '../homeAssistant.ts';

interface HealthNow {
  readonly hasTemperature: boolean;
}

/** How the panel is: what `info` and `health` say, as diagnostic sensors. */
export const homeAssistant: EntityMaker<HealthNow> = () => ({
  groups: [{ order: 160, entities: sensors }],
});

function sensors({ now, topics, word }: EntityContext<HealthNow>): Entity[] {
  const diagnostic = (key: string, name: string, config: Entity['config']): Entity => ({
    key,
    platform: 'sensor',
    name,
    config: { entity_category: 'diagnostic', ...config },
  });
  const health = topics.state('health');
  const info = topics.state('info');
  const entities = [
    diagnostic('version', word('Version', 'Version', 'Versión'), {
      state_topic: info,
      value_template: '{{ value_json.version }}',
      icon: 'mdi:information-outline',
    }),
    diagnostic('load', word('Load', 'Auslastung', 'Carga'), {
      state_topic: health,
      value_template: '{{ value_json.load[0] | round(2) }}',
      state_class: 'measurement',
      suggested_display_precision: 2,
      icon: 'mdi:gauge',
    }),
    diagnostic('memory', word('Memory used', 'Belegter Speicher', 'Memoria usada'), {
      state_topic: health,
      value_template: '{{ (100 * (1 - value_json.memory.free / value_json.memory.total)) | round(1) }}',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 0,
      icon: 'mdi:memory',
    }),
    diagnostic('address', word('Address', 'Adresse', 'Dirección'), {
      state_topic: info,
      value_template: '{{ value_json.address }}',
      icon: 'mdi:ip-network',
    }),
  ];
  if (now.hasTemperature)
    entities.push(
      diagnostic('temperature', word('Temperature', 'Temperatur', 'Temperatura'), {
        state_topic: health,
        value_template: "{{ value_json.temperature if value_json.temperature is not none else 'None' }}",
        device_class: 'temperature',
        state_class: 'measurement',
        unit_of_measurement: '°C',
        suggested_display_precision: 0,
      }),
    );
  return entities;
}
