import { type EntityHost, type PartEntities, slugsOf } from '../homeAssistant.ts';

interface ReadersNow {
  /** Names of the readers. */
  readonly readers: readonly string[];
}

/** Readers of cards and codes: an event for each. */
export const homeAssistant = ({ tell }: EntityHost): PartEntities<ReadersNow> => ({
  groups: [
    {
      order: 120,
      entities: ({ now, topics, word }) =>
        now.readers.map((name) => {
          const key = keyOf(now, name)!;
          return {
            key,
            platform: 'event',
            name: word(`${name} scan`, `Scan an ${name}`, `Lectura en ${name}`),
            config: { event_types: ['scan'], state_topic: topics.own(key), icon: 'mdi:barcode-scan' },
          };
        }),
    },
  ],
  heard: {
    scan: ({ name, text }, now) => {
      const key = now && keyOf(now, name);
      if (key !== undefined) tell(key, { event_type: 'scan', text });
    },
  },
});

/** The event entity of a reader. */
function keyOf({ readers }: ReadersNow, name: string): string | undefined {
  const index = readers.indexOf(name);
  return index < 0 ? undefined : `scan_${slugsOf(readers, 'scan')[index]}`;
}
