import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';

/** How many messages wait at most, beside the one that is shown. */
export const WAITING_MESSAGES = 20;

const ADDRESS_LIMIT = 2_048;

/** Text of so many characters as people count them in most scripts: Unicode code points, not UTF-16 units. */
function characters(max: number) {
  return z
    .string()
    .min(1)
    .max(2 * max)
    .refine((text) => [...text].length <= max, `must be at most ${max} characters`)
    .meta({ maxLength: max });
}

/** Ids that begin so are of the panel's own messages. */
const OWN_IDS = 'faceplate.';

const messageId = characters(64)
  .refine((id) => !id.startsWith(OWN_IDS), `must not begin with ${OWN_IDS}`)
  .describe('chosen by the caller; the same id replaces. Those of the panel itself begin with `faceplate.`');

const webAddress = z
  .string()
  .max(ADDRESS_LIMIT)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), 'must be an http or https address');

const button = z.strictObject({
  id: characters(64).describe('comes back in the event'),
  label: characters(60),
});

export const messageStyle = z.enum(['banner', 'dialog', 'full']);
export const messageLevel = z.enum(['info', 'warning', 'alarm']);

/** What a caller says about a message. */
export const messageParams = z.strictObject({
  text: characters(2_000).describe('text, never HTML'),
  title: characters(200).optional(),
  id: messageId.optional(),
  level: messageLevel
    .default('info')
    .describe('an alarm comes before all others, and wakes a sleeping panel'),
  style: messageStyle.default('banner'),
  seconds: z.int().min(0).max(86_400).default(10).describe('0: until it is dismissed'),
  image: webAddress.optional().describe('http or https; without it where it cannot be fetched'),
  buttons: z
    .array(button)
    .max(4)
    .refine((list) => new Set(list.map(({ id }) => id)).size === list.length, 'must have different ids')
    .optional(),
  sound: z
    .string()
    .min(1)
    .max(ADDRESS_LIMIT)
    .optional()
    .describe('name of a sound or an address; of an alarm it repeats until the message ends'),
  speak: z.boolean().optional().describe('title and text are read out'),
});

/** A message has begun, or has ended in one of four ways. */
const messageEvent = z.strictObject({
  id: z.string(),
  action: z.enum(['shown', 'pressed', 'dismissed', 'expired', 'replaced']),
  button: z.string().optional().describe('with `pressed`: its id'),
});
export type MessageEvent = z.infer<typeof messageEvent>;

/** Its events. */
export const messageEvents = {
  message: messageEvent,
};
/** Their use on a broker. */
export const messageBroker = {
  message: 'event',
} as const;

/** What callers write on the glass, above every page. */
export const messageCommands = {
  'message.show': defineCommand({
    summary: 'Show a message above every page; answered when it is on the screen, or waits for another.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: messageParams,
    result: z.strictObject({ id: z.string() }),
    errors: ['CONFLICT', 'UNSUPPORTED_HARDWARE'],
    http: { method: 'POST', path: '/api/remote/message' },
  }),
  'message.remove': defineCommand({
    summary: 'Remove a message, shown or waiting.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({ id: messageId }),
    result: z.strictObject({ status: z.literal('removed') }),
    errors: ['NOT_FOUND'],
    http: { method: 'DELETE', path: '/api/remote/message/:id' },
  }),
};
