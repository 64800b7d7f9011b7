import type { AnnouncedRecord } from '../../../contract/homeAssistant.ts';
import type { Entity } from './entity.ts';

/** Before the first announcement. */
export const NOTHING_ANNOUNCED: AnnouncedRecord = { topic: '', entities: {}, gone: {} };

/**
 * What is to be remembered once these entities are announced. Those that are gone stay in the message: Home Assistant may
 * have been away when they went.
 */
export function recordOf(
  before: AnnouncedRecord,
  topic: string,
  entities: readonly Entity[],
): AnnouncedRecord {
  const now = Object.fromEntries(entities.map(({ key, platform }) => [key, platform]));
  // At another topic it is another device, which has lost nothing yet.
  const known = before.topic === topic ? { ...before.gone, ...before.entities } : {};
  const gone = Object.fromEntries(Object.entries(known).filter(([key]) => !(key in now)));
  return { topic, entities: now, gone };
}
