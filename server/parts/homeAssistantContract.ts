import { z } from 'zod';

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
