import { z } from 'zod';

/** An entity, as the discovery message describes it. */
const component = z.looseObject({ platform: z.string() });
export type Component = z.infer<typeof component>;

/** What Home Assistant knows: an entity that disappears has to be withdrawn. */
export const announcedRecord = z.strictObject({
  topic: z.string().describe('of the discovery message; empty: there was none yet'),
  components: z.record(z.string(), component).describe('the entities announced, by key'),
  gone: z.record(z.string(), component).describe('those that were announced once and are no more'),
});
export type AnnouncedRecord = z.infer<typeof announcedRecord>;
