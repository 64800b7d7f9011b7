import type { Language } from '../../../contract/device.ts';
import type { PinState } from '../../../parts/gpio/contract.ts';
import {
  type Entity,
  type EntityHost,
  type PartEntities,
  slugOf,
  type Topics,
} from '../../../parts/homeAssistant.ts';
import type { AnnouncedRecord, Component } from './contract.ts';
import type { entityMakers } from './makers.ts';

/** Components of a discovery message, by key. */
type Components = Readonly<Record<string, Component>>;

/** Before the first announcement. */
export const NOTHING_ANNOUNCED: AnnouncedRecord = { topic: '', components: {}, gone: {} };

/** What components are made from. */
interface Announced {
  readonly now: PanelNow;
  /** `mqtt.id` */
  readonly id: string;
  readonly topics: Topics;
}

/** The topic of the discovery message. @param prefix the setting mqtt.discovery */
export function discoveryTopic(prefix: string, id: string): string {
  return `${prefix}/device/faceplate_${id}/config`;
}

/** The entities, as the discovery message of the device describes them. */
export function componentsOf(entities: readonly Entity[], announced: Announced): Components {
  return Object.fromEntries(
    entities
      .filter(({ alone }) => alone === undefined)
      .map((entity) => [entity.key, componentOf(entity, announced)]),
  );
}

function componentOf({ key, platform, name, config, state, set }: Entity, { now, id, topics }: Announced) {
  const slug = slugOf(now.name, 'panel');
  return {
    platform,
    unique_id: `${deviceOf(id)}_${key}`,
    // Home Assistant before 2025.10 reads object_id alone, later ones default_entity_id: both get the same entity ids.
    object_id: `${slug}_${key}`,
    default_entity_id: `${platform}.${slug}_${key}`,
    name,
    ...(set !== undefined && { command_topic: `${topics.base}/set/${key}` }),
    ...(state !== undefined && { state_topic: topics.own(key) }),
    ...config,
  };
}

/** The messages of entities that have one of their own, by topic. @param prefix the setting mqtt.discovery */
export function messagesAlone(
  entities: readonly Entity[],
  announced: Announced,
  prefix: string,
): ReadonlyMap<string, string> {
  return new Map(
    entities.flatMap((entity): [string, string][] => {
      if (entity.alone === undefined) return [];
      const { platform, ...config } = componentOf(entity, announced);
      const message = { ...config, ...frameOf(announced) };
      return [
        [`${prefix}/${platform}/${deviceOf(announced.id)}/${entity.alone}/config`, JSON.stringify(message)],
      ];
    }),
  );
}

/** Whether a topic is of a message of its own of this panel. */
export function isAlone(topic: string, prefix: string, id: string): boolean {
  const [platform, device, , end, ...more] = topic.slice(prefix.length + 1).split('/');
  return (
    topic.startsWith(`${prefix}/`) &&
    platform !== 'device' &&
    device === deviceOf(id) &&
    end === 'config' &&
    more.length === 0
  );
}

/**
 * The one message that tells Home Assistant of the device and all its entities. An entity that is only left out stays;
 * one with nothing but its platform is removed.
 */
export function discoveryMessage(components: Components, announced: Announced): string {
  return JSON.stringify({ ...frameOf(announced), components });
}

/** What each message says beside its entities. */
function frameOf({ now, id, topics }: Announced) {
  return {
    device: {
      identifiers: [deviceOf(id)],
      name: now.name,
      manufacturer: 'Faceplate',
      model: now.board,
      serial_number: now.serial,
      sw_version: now.version,
      configuration_url: `${now.origin}/manage/`,
    },
    origin: { name: 'Faceplate', sw_version: now.version },
    availability_topic: `${topics.base}/availability`,
    qos: 1,
  };
}

/** Components that Home Assistant takes for removed. */
export function removed(components: Components): Components {
  return Object.fromEntries(Object.entries(components).map(([key, { platform }]) => [key, { platform }]));
}

/** What is to be remembered once these components are announced. */
export function recordOf(before: AnnouncedRecord, topic: string, components: Components): AnnouncedRecord {
  // At another topic it is another device, which has lost nothing yet.
  const known = before.topic === topic ? { ...before.gone, ...before.components } : {};
  const gone = Object.fromEntries(Object.entries(known).filter(([key]) => !(key in components)));
  return { topic, components, gone };
}

const deviceOf = (id: string) => `faceplate_${id}`;

/** The panel as a device. */
interface DeviceNow {
  readonly name: string;
  /** Of `info`: no two panels have the same. */
  readonly serial: string;
  /** Where browsers open it: https where that is on. */
  readonly origin: string;
  readonly version: string;
  readonly board: string;
  readonly language: Language;
}

/** What the entities of all parts have to know of the panel. */
type PartsNow = (typeof entityMakers)[keyof typeof entityMakers] extends (
  host: EntityHost,
) => PartEntities<infer Now>
  ? Now
  : never;

/** What the panel is, has and does now, as far as Home Assistant shows it. A part that it lacks is undefined. */
export type PanelNow = DeviceNow & PartsNow;

/** The panel, as this surface needs it. Commands do not go here: they go through dispatch. */
export interface HomeAssistantPanel {
  read(): Promise<PanelNow>;
  /** JPEG of what the screen shows. @throws while there is no picture */
  picture(): Promise<Uint8Array>;
  /** Called with the name of each command that has ended, from any surface: not all that they change has an event. */
  onCall(listener: (command: string) => void): () => void;
  /** Called when settings have changed. */
  onSettings(listener: () => void): () => void;
  /** Called at each use of the panel, which is often: for every touch. */
  onActivity(listener: () => void): () => void;
  /** Called with each edge at an input that the panel did not write itself. */
  onInput(listener: (edge: PinState) => void): () => void;
}
