import { z } from 'zod';
import type { Dialogue } from '../../contract/command.ts';
import { defineCommand, isDialogue } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

/** Longest message of a viewer, and longest expression, in bytes. */
export const LONGEST_LIVE_MESSAGE = 64 * 1024;
/** Longest value of an expression as JSON, in characters. */
export const LONGEST_VALUE = 1024 * 1024;

const pixels = z.number().min(0).max(100_000).describe('in pixels of the page, from its left or upper edge');

/** What a viewer of the live screen may send; anything else is ignored. */
export const liveInput = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['down', 'move', 'up', 'tap']), x: pixels, y: pixels }),
  z.object({ type: z.literal('text'), text: z.string().min(1) }),
  z.object({ type: z.literal('key'), key: z.string().min(1).max(40).describe('a DOM `key` value') }),
]);
export type LiveInput = z.infer<typeof liveInput>;

export const liveCommands = {
  'kiosk.live': defineCommand({
    summary:
      'Watch the kiosk page and touch it from afar: a WebSocket of the subprotocol `faceplate.screen`, with the token as a second one, `bearer.<token>`.',
    access: { scope: 'manage', http: 'token' },
    params: noParams,
    result: z.custom<Dialogue>(isDialogue),
    errors: ['CONFLICT', 'UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR'],
    http: { method: 'GET', path: '/api/manage/screen', socket: 'faceplate.screen' },
  }),
  'page.evaluate': defineCommand({
    summary: "Run an expression in the kiosk page's top frame, in its own world, and await its value.",
    access: { scope: 'terminal', http: 'token' },
    params: z.strictObject({
      expression: z
        .string()
        .min(1)
        .refine((text) => new TextEncoder().encode(text).length <= LONGEST_LIVE_MESSAGE, {
          message: 'must be at most 64 KiB',
        })
        .describe('JavaScript, up to 64 KiB'),
    }),
    result: z.strictObject({ value: z.unknown().describe('any JSON; undefined is null') }),
    errors: ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT', 'PAGE_TIMEOUT'],
    timeoutMs: 10_000,
    http: { method: 'POST', path: '/api/manage/page/evaluate' },
  }),
};
