import { z } from 'zod';
import { pageState } from '../../kiosk/contract.ts';
import { brokerName } from '../../surfaces/mqtt/contract.ts';
import { projectId, projectName, projectVersion } from '../projects/contract.ts';

/**
 * What other panels say of themselves on the broker, as far as it is read. They are strangers, and of other versions:
 * what is not known here is left out.
 */
const shortText = z.string().max(256).nullable().catch(null);

export const infoSchema = z.object({
  id: shortText,
  name: shortText,
  version: shortText,
  board: shortText,
  address: shortText,
  https: z
    .object({ port: z.int().min(1).max(65_535) })
    .nullable()
    .catch(null),
  mqtt: z
    .object({ groups: z.array(brokerName).max(64) })
    .nullable()
    .catch(null),
});

export const pageSchema = z.object(pageState.shape);
export type ReportedPage = z.infer<typeof pageSchema>;

export const updateSchema = z.object({
  installed: z.string(),
  slot: z.string().nullable(),
  available: z
    .object({ version: z.string(), notes: z.string().nullable(), size: z.number().nullable() })
    .nullable(),
  state: z.enum(['idle', 'fetching', 'installing', 'restarting', 'proving']),
  progress: z.number().nullable(),
  last: z
    .object({
      version: z.string(),
      result: z.enum(['good', 'returned']),
      reason: z.string().nullable(),
      at: z.string(),
    })
    .nullable(),
});
export type ReportedUpdate = z.infer<typeof updateSchema>;

/** The active one of `state/projects`. */
export const projectSchema = z.object({ id: projectId, name: projectName, version: projectVersion });
