import { z } from 'zod';
import { defineCommand, type Feed, isFeed } from '../../contract/command.ts';

/** Levels of log lines, the gravest first. */
export const logLineLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace'] as const;
const logLineLevel = z.enum(logLineLevels);
export type LogLineLevel = z.infer<typeof logLineLevel>;

/** One line of the log; its values are further fields. */
const logEntry = z.looseObject({ time: z.string(), level: logLineLevel, msg: z.string().optional() });
export type LogEntry = z.infer<typeof logEntry>;

export const logCommands = {
  'log.read': defineCommand({
    summary: 'Follow the log of the service: its last 500 lines, then each new one.',
    access: { scope: 'view', http: 'token' },
    params: z.strictObject({
      level: logLineLevel
        .optional()
        .describe('only lines of this level and graver ones; without it all lines'),
    }),
    result: z.custom<Feed<LogEntry>>(isFeed),
    errors: ['CONFLICT'],
    entry: logEntry,
    http: { method: 'GET', path: '/api/manage/log', query: ['level'], answer: ['text/event-stream'] },
  }),
};
