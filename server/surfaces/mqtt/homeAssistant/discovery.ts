import type { Entity, Topics } from './entity.ts';
import type { PanelNow } from './panel.ts';
import { slugOf } from './slug.ts';

/** What a discovery message is made from. */
interface Discovered {
  readonly now: PanelNow;
  /** `mqtt.id` */
  readonly id: string;
  readonly topics: Topics;
  readonly entities: readonly Entity[];
  /** Platforms of entities that were announced once and are no more, by key. */
  readonly gone: Readonly<Record<string, string>>;
}

/** The topic of the discovery message. @param prefix the setting mqtt.discovery */
export function discoveryTopic(prefix: string, id: string): string {
  return `${prefix}/device/faceplate_${id}/config`;
}

/**
 * The one message that tells Home Assistant of the device and all its entities. An entity that is only left out stays;
 * one with nothing but its platform is removed.
 */
export function discoveryMessage({ now, id, topics, entities, gone }: Discovered): string {
  const device = `faceplate_${id}`;
  const slug = slugOf(now.name, 'panel');
  const components: Record<string, unknown> = {};
  for (const [key, platform] of Object.entries(gone)) components[key] = { platform };
  for (const { key, platform, name, config, state, set } of entities)
    components[key] = {
      platform,
      unique_id: `${device}_${key}`,
      default_entity_id: `${platform}.${slug}_${key}`,
      name,
      ...(set !== undefined && { command_topic: `${topics.base}/set/${key}` }),
      ...(state !== undefined && { state_topic: topics.own(key) }),
      ...config,
    };
  return JSON.stringify({
    device: {
      identifiers: [device],
      name: now.name,
      manufacturer: 'Faceplate',
      model: now.board,
      serial_number: now.serial,
      sw_version: now.version,
      configuration_url: `http://${now.address}/manage/`,
    },
    origin: { name: 'Faceplate', sw_version: now.version },
    availability_topic: `${topics.base}/availability`,
    qos: 1,
    components,
  });
}
