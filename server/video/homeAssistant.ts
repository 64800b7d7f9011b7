import {
  type Entity,
  type EntityContext,
  type EntityHost,
  type PartEntities,
  slugsOf,
} from '../parts/homeAssistant.ts';
import type { CameraKind } from './named/settingsContract.ts';

/** What entities have to know of the cameras. */
export interface CamerasNow {
  readonly cameras: readonly { readonly name: string; readonly events: readonly CameraKind[] }[];
}

/** Class in Home Assistant and icon of what cameras report. */
const KINDS: Readonly<
  Record<Exclude<CameraKind, 'visitor'>, { readonly device_class?: string; readonly icon?: string }>
> = {
  motion: { device_class: 'motion' },
  person: { device_class: 'occupancy', icon: 'mdi:human' },
  face: { device_class: 'occupancy', icon: 'mdi:face-recognition' },
  vehicle: { device_class: 'occupancy', icon: 'mdi:car' },
  animal: { device_class: 'occupancy', icon: 'mdi:paw' },
  other: { icon: 'mdi:cctv' },
};

/** What the cameras of the settings report: binary sensors, and an event where somebody is at the door. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<CamerasNow> => ({
  groups: [{ order: 190, entities: (context) => cameras(context) }],
  heard: {
    camera: ({ camera, kind, on }, now) => {
      const at = now?.cameras.findIndex(({ name }) => name === camera) ?? -1;
      if (kind === 'visitor' && on && at >= 0) tell(keyOf(slugs(now!)[at]!, kind), { event_type: 'ring' });
    },
  },
});

function cameras({ now, topics, word }: EntityContext<CamerasNow>): Entity[] {
  const names = slugs(now);
  const words: Readonly<Record<CameraKind, string>> = {
    motion: word('motion', 'Bewegung', 'movimiento'),
    person: word('person', 'Person', 'persona'),
    face: word('face', 'Gesicht', 'cara'),
    vehicle: word('vehicle', 'Fahrzeug', 'vehículo'),
    animal: word('animal', 'Tier', 'animal'),
    visitor: word('visitor', 'Besucher', 'visita'),
    other: word('event', 'Ereignis', 'evento'),
  };
  return now.cameras.flatMap(({ name, events }, index) =>
    [...new Set(events)].map((kind): Entity => {
      const key = keyOf(names[index]!, kind);
      const shown = { key, name: `${name} ${words[kind]}` };
      if (kind === 'visitor')
        return {
          ...shown,
          platform: 'event',
          config: { state_topic: topics.own(key), event_types: ['ring'], device_class: 'doorbell' },
        };
      return {
        ...shown,
        platform: 'binary_sensor',
        config: {
          state_topic: topics.state(`camera/${name}/${kind}`),
          value_template: "{{ 'ON' if value_json.on else 'OFF' }}",
          ...KINDS[kind],
        },
      };
    }),
  );
}

const slugs = ({ cameras }: CamerasNow): string[] =>
  slugsOf(
    cameras.map(({ name }) => name),
    'camera',
  );

const keyOf = (slug: string, kind: CameraKind): string => `camera_${slug}_${kind}`;
