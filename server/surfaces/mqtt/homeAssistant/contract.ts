import { z } from 'zod';
import { soundName } from '../../../parts/sound/contract.ts';

const level = z.int().min(0).max(255);

/**
 * What Home Assistant sends to a light of the JSON schema. It knows more (`transition`, `flash`, `effect`), which the
 * panel's lights do not do.
 */
export const lightPayload = z.object({
  state: z.enum(['ON', 'OFF']),
  brightness: level.optional(),
  color: z.object({ r: level, g: level, b: level }).optional(),
});
export type LightPayload = z.infer<typeof lightPayload>;

/** What Home Assistant sends to a siren. */
export const sirenPayload = z.object({
  state: z.enum(['ON', 'OFF']),
  tone: soundName.default('alarm'),
  volume_level: z.number().min(0).max(1).optional(),
  duration: z.number().min(0).max(86_400).optional().describe('seconds; without it the sound is played once'),
});
export type SirenPayload = z.infer<typeof sirenPayload>;

/** An entity, as the discovery message describes it. */
const component = z.looseObject({ platform: z.string() });
export type Component = z.infer<typeof component>;

/** What Home Assistant was told: an entity that goes has to be taken back. */
export const announcedRecord = z.strictObject({
  topic: z.string().describe('of the discovery message; empty: there was none yet'),
  components: z.record(z.string(), component).describe('the entities announced, by key'),
  gone: z.record(z.string(), component).describe('those that were announced once and are no more'),
});
export type AnnouncedRecord = z.infer<typeof announcedRecord>;
