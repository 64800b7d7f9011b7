import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { noParams } from '../../contract/fields.ts';

/** The sounds that every panel has. */
export const soundNames = ['chime', 'alert', 'alarm', 'bell'] as const;
export const soundName = z.enum(soundNames);
export type SoundName = z.infer<typeof soundName>;

const volume = z
  .int()
  .min(0)
  .max(100)
  .optional()
  .describe("percent of the panel's volume, which holds for all sounds; default 100");

/** The address of a sound. */
export const soundUrl = z
  .string()
  .min(1)
  .max(2_048)
  .describe('http or https, or a file of the active project, also relative to it');

const started = z.strictObject({ id: z.string().describe('by which its `sound` events name it') });

/** The `sound` event: what became of a sound, of a speech, or of the sound of a message. */
const soundEvent = z.strictObject({
  id: z.string(),
  action: z.enum(['started', 'ended', 'failed']),
});
export type SoundEvent = z.infer<typeof soundEvent>;

const errors = ['UNSUPPORTED_HARDWARE', 'HARDWARE_ERROR', 'CONFLICT'] as const;
/** Milliseconds: fetching, decoding and opening the device have limits of their own, which are reached first. */
const TIMEOUT_MS = 25_000;

/** Its events. */
export const soundEvents = {
  sound: soundEvent,
};
/** Their use on a broker. */
export const soundBroker = {
  sound: 'event',
} as const;

export const soundCommands = {
  'sound.play': defineCommand({
    summary: 'Play a sound; answered when it begins, or at once while others play before it.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z
      .strictObject({
        name: soundName.optional(),
        url: soundUrl.optional(),
        volume,
        repeat: z.int().min(1).max(100).optional().describe('how often it is played; default 1'),
      })
      .refine((p) => (p.name === undefined) !== (p.url === undefined), {
        path: ['name'],
        message: 'give exactly one of name and url',
      })
      .meta({ oneOf: ['name', 'url'].map((field) => ({ required: [field] })) }),
    result: started,
    errors: [...errors, 'MEDIA_UNREACHABLE'],
    timeoutMs: TIMEOUT_MS,
    http: { method: 'POST', path: '/api/remote/sound' },
  }),
  'sound.speak': defineCommand({
    summary: 'Say a text; answered when it begins, or at once while others play before it.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: z.strictObject({
      text: z.string().min(1).max(2_000),
      language: z
        .string()
        .max(32)
        .regex(/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/, 'must be a language such as en, de or pt-BR')
        .optional()
        .describe('such as en, de or es; default: the setting device.language'),
      volume,
      chime: z.boolean().optional().describe('a chime before the text; default false'),
    }),
    result: started,
    errors,
    timeoutMs: TIMEOUT_MS,
    http: { method: 'POST', path: '/api/remote/speak' },
  }),
  'sound.stop': defineCommand({
    summary: 'End all sounds and speech, also those that wait.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed', replay: 'allowed' },
    params: noParams,
    result: z.strictObject({ status: z.literal('stopped') }),
    http: { method: 'DELETE', path: '/api/remote/sound' },
  }),
};

/** What Home Assistant sends to a siren. */
export const sirenPayload = z.object({
  state: z.enum(['ON', 'OFF']),
  tone: soundName.default('alarm'),
  volume_level: z.number().min(0).max(1).optional(),
  duration: z.number().min(0).max(86_400).optional().describe('seconds; without it the sound is played once'),
});
export type SirenPayload = z.infer<typeof sirenPayload>;
