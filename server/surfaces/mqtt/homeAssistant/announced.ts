import type { AnnouncedRecord, Component } from './contract.ts';

/** Components of a discovery message, by key. */
export type Components = Readonly<Record<string, Component>>;

/** Before the first announcement. */
export const NOTHING_ANNOUNCED: AnnouncedRecord = { topic: '', components: {}, gone: {} };

/** What is to be remembered once these components are announced. */
export function recordOf(before: AnnouncedRecord, topic: string, components: Components): AnnouncedRecord {
  // At another topic it is another device, which has lost nothing yet.
  const known = before.topic === topic ? { ...before.gone, ...before.components } : {};
  const gone = Object.fromEntries(Object.entries(known).filter(([key]) => !(key in components)));
  return { topic, components, gone };
}
