import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { CONTROLS, noParams, okResult } from '../../contract/fields.ts';

/** The kinds of values that a join can have. */
export const joinKinds = ['boolean', 'integer', 'string'] as const;
export type JoinKind = (typeof joinKinds)[number];

/** Longest text of a join, in characters. */
export const MOST_TEXT = 16_384;

export const joinName = z
  .string()
  .min(1)
  .max(64)
  .regex(new RegExp(`^[^/+#${CONTROLS}]+$`), 'must not hold / + # or control characters')
  .describe('as the library of the page sends and hears it, such as 21 or fb21');

const values = {
  boolean: z.boolean(),
  integer: z.int().min(-2_147_483_648).max(2_147_483_647),
  string: z.string().max(MOST_TEXT),
};

/** One join with its value. */
export const join = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('boolean'), name: joinName, value: values.boolean }),
  z.strictObject({ kind: z.literal('integer'), name: joinName, value: values.integer }),
  z.strictObject({ kind: z.literal('string'), name: joinName, value: values.string }),
]);
export type Join = z.infer<typeof join>;

/** What the page sends. */
export const joinEvents = { join };
/** Its use on a broker: the state is the value alone. */
export const joinBroker = {
  join: { stateBy: ['kind', 'name'], only: 'value' },
} as const;

export const joinsCommands = {
  'joins.list': defineCommand({
    summary: 'The joins of the page that is shown, with their last values in either direction.',
    access: { scope: 'view', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: noParams,
    result: z.strictObject({ joins: z.array(join) }),
    http: { method: 'GET', path: '/api/remote/joins' },
  }),
  'joins.set': defineCommand({
    summary: 'Give the page a value of a join.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: join,
    result: okResult,
    errors: ['NOT_FOUND', 'CONFLICT'],
    http: { method: 'POST', path: '/api/remote/joins' },
  }),
};
