import { idleStates } from '../../../parts/display/contract.ts';
import { type Entity, type EntityContext, mustPress, switched } from './entity.ts';

/** The panel as a whole: whether somebody uses it, how it is, its restart. */
export function panelEntities({ now, topics, word }: EntityContext, isInUse: boolean): Entity[] {
  const diagnostic = (key: Parameters<typeof word>[0], config: Entity['config']): Entity => ({
    key,
    platform: 'sensor',
    name: word(key),
    config: { entity_category: 'diagnostic', ...config },
  });
  const health = topics.state('health');
  const info = topics.state('info');
  const entities: Entity[] = [
    {
      key: 'in_use',
      platform: 'binary_sensor',
      name: word('in_use'),
      config: { device_class: 'occupancy' },
      state: switched(isInUse),
    },
    {
      key: 'idle',
      platform: 'sensor',
      name: word('idle'),
      config: {
        device_class: 'enum',
        options: [...idleStates],
        state_topic: topics.state('display'),
        value_template: '{{ value_json.idle }}',
        icon: 'mdi:timer-sand',
      },
    },
    diagnostic('version', {
      state_topic: info,
      value_template: '{{ value_json.version }}',
      icon: 'mdi:information-outline',
    }),
    diagnostic('load', {
      state_topic: health,
      value_template: '{{ value_json.load[0] | round(2) }}',
      state_class: 'measurement',
      suggested_display_precision: 2,
      icon: 'mdi:gauge',
    }),
    diagnostic('memory', {
      state_topic: health,
      value_template: '{{ (100 * (1 - value_json.memory.free / value_json.memory.total)) | round(1) }}',
      state_class: 'measurement',
      unit_of_measurement: '%',
      suggested_display_precision: 0,
      icon: 'mdi:memory',
    }),
    diagnostic('address', {
      state_topic: info,
      value_template: '{{ value_json.address }}',
      icon: 'mdi:ip-network',
    }),
  ];
  if (now.hasTemperature)
    entities.push(
      diagnostic('temperature', {
        state_topic: health,
        value_template: "{{ value_json.temperature if value_json.temperature is not none else 'None' }}",
        device_class: 'temperature',
        state_class: 'measurement',
        unit_of_measurement: '°C',
        suggested_display_precision: 0,
      }),
    );
  if (now.canReboot)
    entities.push({
      key: 'reboot',
      platform: 'button',
      name: word('reboot'),
      needs: 'system.reboot',
      config: { device_class: 'restart', entity_category: 'config' },
      set: async (payload, call) => {
        mustPress(payload);
        await call('system.reboot', {});
      },
    });
  return entities;
}
