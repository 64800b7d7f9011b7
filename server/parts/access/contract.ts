import { z } from 'zod';
import { type Scope, scopeField, scopes } from '../../contract/access.ts';
import { defineCommand } from '../../contract/command.ts';
import { CONTROLS, noParams, queryBoolean } from '../../contract/fields.ts';

/** Most commands of one token. */
const MAX_COMMANDS = 64;

/** Most named tokens at one time; the owner's is not counted. */
export const MAX_TOKENS = 64;

const nameField = z
  .string()
  // Counts characters, not the halves of an emoji.
  .regex(
    new RegExp(`^(?=.*\\S)[^${CONTROLS}]{1,64}$`, 'u'),
    'must be 1 to 64 characters, not only blanks, none of them a control character',
  )
  .refine(
    (name) => !isOwnName(name),
    'must not look like one that the panel itself gives a caller, such as owner',
  )
  .describe(
    'whose it is, for people: 1 to 64 characters; names may repeat. Not free: owner, panel, page, mqtt and their like',
  );
const id = z.string().min(1).max(64);
const scopesField = z.array(scopeField).min(1).max(scopes.length);
const commandsField = z
  .array(z.string().max(64))
  .min(1)
  .max(MAX_COMMANDS)
  .describe('names of commands, such as led.color: it opens these alone, and no stream of events');
const time = z.iso.datetime().describe('UTC');

const tokenEntry = z.strictObject({
  id: id.describe('`owner`: the token of the file, which cannot be revoked'),
  name: z.string(),
  scopes: z.array(scopeField),
  commands: z
    .array(z.string())
    .nullable()
    .default(null)
    .describe('of a token for single commands, which has no scopes; null: its scopes count'),
  createdAt: time,
  by: id
    .nullable()
    .default(null)
    .describe('the token that it was made with; `panel`: at the glass. null: not known, and of the owner'),
  expiresAt: time.nullable(),
  lastUsedAt: time.nullable().describe('null before its first use'),
  lastAddress: z.string().nullable().describe('from where it was used last'),
});
export type TokenEntry = z.infer<typeof tokenEntry>;

/** A new token: the only answer that ever shows it. */
const newToken = z.strictObject({
  id,
  name: z.string(),
  scopes: z.array(scopeField),
  token: z.string().describe('shown this once'),
});
export type NewToken = z.infer<typeof newToken>;

/** A pairing code, and where it is entered. */
export const pairingCode = z.strictObject({
  code: z.string().regex(/^[0-9]{8}$/),
  url: z.string().describe('the address to open, as a QR code shows it; holds the code'),
  expiresAt: time,
});

export const tokensCommands = {
  'token.list': defineCommand({
    summary: 'The tokens of this panel, and when each was last used; never the tokens themselves.',
    access: { scope: 'manage', http: 'token' },
    reads: true,
    params: noParams,
    result: z.strictObject({ tokens: z.array(tokenEntry) }),
    http: { method: 'GET', path: '/api/manage/tokens' },
  }),
  'token.create': defineCommand({
    summary:
      'Make a token with a name, and some of the scopes that the caller holds, or single commands that it may call.',
    access: { scope: 'manage', http: 'token' },
    params: z
      .strictObject({
        name: nameField,
        scopes: scopesField.optional(),
        commands: commandsField
          .optional()
          .describe('instead of scopes: it opens these alone, and no stream of events'),
        expiresAt: z.iso
          .datetime()
          .optional()
          .describe('UTC, in the future; without it the token stays valid'),
      })
      .refine(({ scopes, commands }) => scopes !== undefined || commands !== undefined, {
        path: ['scopes'],
        message: 'give exactly one of scopes and commands',
      })
      .refine(({ scopes, commands }) => scopes === undefined || commands === undefined, {
        path: ['commands'],
        message: 'give exactly one of scopes and commands',
      })
      .meta({ oneOf: ['scopes', 'commands'].map((field) => ({ required: [field] })) }),
    result: newToken,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/manage/tokens' },
  }),
  'token.revoke': defineCommand({
    summary:
      'Refuse a token from now on, and those that were made with it, and so on; what their holders have open ends.',
    access: { scope: 'manage', http: 'token' },
    params: z.strictObject({
      id,
      keepChildren: queryBoolean
        .default(false)
        .describe('for the owner: those that were made with it stay valid'),
    }),
    result: z.strictObject({
      status: z.literal('revoked'),
      revoked: z.array(id).describe('all that are refused from now on, the given one first'),
    }),
    errors: ['NOT_FOUND', 'STORAGE_FULL'],
    http: { method: 'DELETE', path: '/api/manage/tokens/:id', query: ['keepChildren'] },
  }),
  'pairing.start': defineCommand({
    summary: 'Make a code that gives one caller a token: one use, ten minutes; it ends the code before it.',
    access: { scope: 'manage', http: 'token' },
    params: noParams,
    result: pairingCode,
    http: { method: 'POST', path: '/api/manage/pairing' },
  }),
  'pairing.finish': defineCommand({
    summary: 'Get a token for a code of the panel; needs no token.',
    access: { http: 'open' },
    params: z.strictObject({
      code: z
        .string()
        .regex(/^[0-9]{8}$/, 'must be the 8 digits that the panel shows')
        .meta({ secret: true }),
      name: nameField,
    }),
    result: newToken,
    errors: ['CONFLICT', 'STORAGE_FULL'],
    http: { method: 'POST', path: '/api/pair', bodyLimit: 1024 },
  }),
};

/** A token as the panel stores it: its SHA-256 instead of the token itself. */
const keptToken = tokenEntry.extend({
  hash: z.string(),
  /** Made by the code that the first set-up shows: its holder may set the first PIN. */
  isFromSetup: z.literal(true).optional(),
});
export type KeptToken = z.infer<typeof keptToken>;

/** What is stored of the tokens. */
export const tokensState = z.strictObject({
  tokens: z.array(keptToken),
  /** The owner's token has its own file; this file has only its use. */
  owner: tokenEntry.pick({ lastUsedAt: true, lastAddress: true }),
});
export type TokensState = z.infer<typeof tokensState>;

/** The wanted scopes that the giver does not have: a token cannot give more than it has. */
export function scopesLacking(held: readonly Scope[], wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => !held.includes(scope));
}

/** Names by which the panel itself tells callers from each other, in questions, the log and the journal. */
const OWN_NAMES = ['owner', 'panel', 'page', 'mqtt', 'loopback', 'nobody', 'replay'];

/** Letters and digits that look like a letter of these names, small or as a capital: Latin, Greek, Cyrillic, Armenian. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: 'аαɑ',
  b: 'вьβ',
  c: 'сϲ',
  d: 'ԁ',
  e: 'еεё3',
  g: 'ɡց',
  k: 'кκ',
  l: 'iіıι1ӏɩǀ',
  m: 'мμ',
  n: 'ոηνп',
  o: '0оοօσө',
  p: 'рρ',
  q: 'ԛգ',
  r: 'гɾ',
  t: 'тτ',
  w: 'ԝѡωա',
  y: 'уγ',
};
const PLAIN = new Map(Object.entries(LOOK_ALIKES).flatMap(([to, all]) => [...all].map((one) => [one, to])));

const OWN = new Set(OWN_NAMES.map(skeleton));

/**
 * Whether a person would take a name for one of the panel's own: in any case, with blanks, signs, marks or invisible
 * characters, in other forms of the letters (NFKD), or with letters of other scripts that look like them.
 */
function isOwnName(name: string): boolean {
  return OWN.has(skeleton(name));
}

function skeleton(name: string): string {
  const letters =
    name
      .normalize('NFKD')
      .toLowerCase()
      .normalize('NFKD')
      .match(/[\p{L}\p{N}]/gu) ?? [];
  return letters
    .filter((letter) => !/[\u115F\u1160]/.test(letter))
    .map((letter) => PLAIN.get(letter) ?? letter)
    .join('');
}
