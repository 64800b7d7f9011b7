import { z } from 'zod';
import type { BrokerLink } from '../link.ts';
import type { Entity } from './entity.ts';

/** What Home Assistant was told, and what the broker keeps of it: what goes has to be taken back by its names of then. */
export const announcedRecord = z.strictObject({
  /** Topic of the discovery message; empty: there is none. */
  topic: z.string(),
  /** `<prefix>/<id>` */
  base: z.string(),
  /** Platforms of the entities announced, by key. */
  entities: z.record(z.string(), z.string()),
  /** The same of those that were announced once and are no more. */
  gone: z.record(z.string(), z.string()),
  /** Keys with a retained state of their own. */
  states: z.array(z.string()),
});
export type AnnouncedRecord = z.infer<typeof announcedRecord>;

export const NOTHING_ANNOUNCED: AnnouncedRecord = { topic: '', base: '', entities: {}, gone: {}, states: [] };

/** What is to be remembered once these entities are announced under these names. */
export function recordOf(
  before: AnnouncedRecord,
  { topic, base }: Pick<AnnouncedRecord, 'topic' | 'base'>,
  entities: readonly Entity[],
): AnnouncedRecord {
  const now = Object.fromEntries(entities.map(({ key, platform }) => [key, platform]));
  // Under other names it is another device, which has lost nothing yet.
  const known = before.topic === topic ? { ...before.gone, ...before.entities } : {};
  const gone = Object.fromEntries(Object.entries(known).filter(([key]) => !(key in now)));
  const states = entities.filter(hasOwnState).map(({ key }) => key);
  return { topic, base, entities: topic === '' ? {} : now, gone: topic === '' ? {} : gone, states };
}

/** Topics that hold something of before and shall not any more. */
export function leftovers(before: AnnouncedRecord, next: AnnouncedRecord): string[] {
  const kept = new Set(before.base === next.base ? next.states : []);
  const states = before.states.filter((key) => !kept.has(key)).map((key) => `${before.base}/entity/${key}`);
  return before.topic !== '' && before.topic !== next.topic ? [before.topic, ...states] : states;
}

/** Empties retained topics. @throws Error when the broker refuses it */
export async function empty(link: BrokerLink, topics: readonly string[]): Promise<void> {
  await Promise.all(topics.map((topic) => link.publish(topic, '', { isRetained: true })));
}

/** Of the entities with a topic of their own, events are not retained. */
function hasOwnState({ state, platform }: Entity): boolean {
  return state !== undefined || platform === 'image';
}
