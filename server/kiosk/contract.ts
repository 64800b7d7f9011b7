import { z } from 'zod';
import { defineCommand, type Feed, isFeed } from '../contract/command.ts';
import { noParams, WEB_URL_PATTERN } from '../contract/fields.ts';

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
  url: z
    .string()
    .describe(
      'the page that is wanted, also while it loads; a query or fragment that a setting gave is "…" to all but the owner',
    ),
  title: z.string(),
  state: z
    .enum(['loading', 'shown', 'failed', 'blank', 'waiting'])
    .describe(
      'failed: its server answers with an error, a script of its own is missing, or it threw before it drew anything; blank: it shows nothing 10 s after its load; waiting: its server cannot be reached',
    ),
  since: z.string().describe('since when it is in this state'),
  errors: z.int().min(0).describe('exceptions and missing scripts of its own since its load'),
  home: z.boolean(),
  until: z.string().nullable().describe('when the panel goes back to its home page; null: it stays'),
});
export type PageState = z.infer<typeof pageState>;

/** Longest address that the kiosk shows, and how long a page may be shown, in seconds. */
export const PAGE_URL_LIMIT = 2_048;
export const PAGE_SECONDS_LIMIT = 86_400;

/** An address that the kiosk can show. Its login, where it needs one, is in `kiosk.logins`. */
export const shownUrl = z
  .string()
  .max(PAGE_URL_LIMIT)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    message: 'must be an http or https URL',
  })
  .refine((text) => !URL.canParse(text) || (new URL(text).username === '' && new URL(text).password === ''), {
    message: 'must not contain a login: put it into kiosk.logins',
  })
  .meta({ pattern: WEB_URL_PATTERN });

/** Seconds for which a page is shown. */
export const shownSeconds = z.int().min(1).max(PAGE_SECONDS_LIMIT);

/** What can be above the kiosk page, from above. */
export const thingsAbove = ['approval', 'call', 'message', 'dialog', 'saver', 'settings'] as const;
export type ThingAbove = (typeof thingsAbove)[number];

const oneOf = ['url', 'page', 'project'] as const;

const showParams = z
  .strictObject({
    url: shownUrl.optional(),
    page: z.string().min(1).max(64).optional().describe('a name of kiosk.pages'),
    project: z.string().min(1).max(64).optional().describe('the id of an installed project'),
    seconds: shownSeconds.optional().describe('then home again; without it the page stays'),
  })
  .refine((params) => oneOf.filter((field) => params[field] !== undefined).length === 1, {
    message: 'must have exactly one of url, page and project',
  })
  .meta({ oneOf: oneOf.map((field) => ({ required: [field] })) });

const showErrors = ['NOT_FOUND', 'PROJECT_NOT_FOUND', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'] as const;

/** What is announced of the page. */
export const pageEvents = {
  page: pageState,
};
/** What becomes of it on a broker. */
export const pageBroker = {
  page: 'state',
} as const;
/** What a new listener gets first. */
export const pageSnapshot = {
  page: pageState.optional().describe('without a kiosk page it is left out'),
};

/** What the kiosk page does and says. */
export const pageCommands = {
  'page.state': defineCommand({
    summary: 'What the kiosk page does: whether it is shown, failed, blank, or waits for its server.',
    access: { scope: 'view', http: 'token', mqtt: 'allowed' },
    params: noParams,
    result: pageState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'GET', path: '/api/remote/page' },
  }),
  'page.above': defineCommand({
    summary: 'What covers the kiosk page on the screen now, and is not in its picture.',
    access: { scope: 'view', http: 'token' },
    params: noParams,
    result: z.strictObject({
      above: z
        .array(z.enum(thingsAbove))
        .describe('from above; dialog: an alert or a question of the page; settings: also the first set-up'),
    }),
    http: { method: 'GET', path: '/api/remote/page/above' },
  }),
  'page.show': defineCommand({
    summary:
      'Show an address, a page of kiosk.pages or a project; the answer comes before the panel goes there.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: showParams,
    result: pageState,
    errors: showErrors,
    http: { method: 'POST', path: '/api/remote/page/show' },
  }),
  'page.home': defineCommand({
    summary: 'Go back to the home page; at home already, nothing changes.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: noParams,
    result: pageState,
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'POST', path: '/api/remote/page/home' },
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
