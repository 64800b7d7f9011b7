import type { AnnouncedRecord } from '../../../contract/homeAssistant.ts';
import type { BrokerLink } from '../link.ts';
import type { Entity } from './entity.ts';

/** Before the first announcement. */
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
