import { z } from 'zod';
import { defineCommand, isMedia, type Media } from '../../contract/command.ts';
import { queryInteger } from '../../contract/fields.ts';

/** How many entries one answer holds at most, and unless another number is asked for. */
export const JOURNAL_LIMITS = { most: 1_000, usual: 100 } as const;

const journalEntry = z.strictObject({
  time: z.string().describe('UTC, with microseconds; no two entries have the same'),
  command: z.string(),
  surface: z.enum(['http', 'page', 'mqtt', 'panel']),
  caller: z.strictObject({
    id: z.string(),
    name: z.string(),
    address: z.string().nullable().describe('null without a network'),
  }),
  params: z.unknown().describe('at most 4 KiB as JSON; "…" stands for what is secret or too long'),
  code: z.string().describe('OK, or the code of the error'),
  ms: z.number(),
});
export type JournalEntry = z.infer<typeof journalEntry>;

export const journalCommands = {
  'journal.read': defineCommand({
    summary: 'Who changed what, and when; newest first.',
    access: { scope: 'view', http: 'token' },
    params: z.strictObject({
      limit: queryInteger(1, JOURNAL_LIMITS.most).default(JOURNAL_LIMITS.usual),
      before: z.iso
        .datetime({ error: 'must be a time in UTC such as 2026-05-04T12:30:00.000Z' })
        .max(40)
        .optional()
        .describe('only entries older than this; the time of the last entry gives the next ones'),
      format: z.enum(['json', 'ndjson']).default('json').describe('ndjson: one entry in each line'),
    }),
    result: z.union([
      z.strictObject({ entries: z.array(journalEntry) }),
      z.custom<Media>(isMedia).describe('ndjson: a text'),
    ]),
    errors: ['HARDWARE_ERROR'],
    http: {
      method: 'GET',
      path: '/api/manage/journal',
      query: ['limit', 'before', 'format'],
      answer: ['application/json', 'application/x-ndjson'],
    },
  }),
};
