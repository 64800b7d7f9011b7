import { z } from 'zod';
import { defineCommand, type Feed, isFeed } from './command.ts';
import { noParams } from './fields.ts';

const consoleLevel = z
  .enum(['debug', 'log', 'info', 'warning', 'error', 'exception', 'network', 'security'])
  .describe(
    'exception: uncaught, also a rejected promise; network: a request of the page that failed; security: refused by the browser or the panel',
  );
export type ConsoleLevel = z.infer<typeof consoleLevel>;

const consoleEntry = z.strictObject({
  time: z.string().describe('ISO 8601 in UTC'),
  level: consoleLevel,
  text: z.string().describe('up to 4 KiB'),
  url: z.string().nullable().describe('the script, or the address that the request was for'),
  line: z.int().min(1).nullable(),
  column: z.int().min(1).nullable(),
  stack: z.string().nullable(),
});
export type ConsoleEntry = z.infer<typeof consoleEntry>;

export const pageState = z.strictObject({
  url: z.string().describe('the page that is wanted, also while it loads'),
  title: z.string(),
  state: z
    .enum(['loading', 'shown', 'failed', 'blank', 'waiting'])
    .describe(
      'failed: a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached',
    ),
  since: z.string().describe('since when it is in this state'),
  errors: z.int().min(0).describe('exceptions and missing scripts of its own since its load'),
  home: z.boolean(),
  until: z.string().nullable().describe('when the panel goes back to its home page; null: it stays'),
});
export type PageState = z.infer<typeof pageState>;

/** What the kiosk page does and says. */
export const pageCommands = {
  'page.state': defineCommand({
    summary: 'What the kiosk page does: whether it is shown, failed, blank, or waits for its server.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: pageState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'GET', path: '/api/remote/page' },
  }),
  'console.read': defineCommand({
    summary: 'Follow the console of the kiosk page: its last 500 entries, then each new one.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.custom<Feed<ConsoleEntry>>(isFeed),
    errors: ['CONFLICT', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    entry: consoleEntry,
    http: { method: 'GET', path: '/api/manage/console', answer: ['text/event-stream'] },
  }),
};
