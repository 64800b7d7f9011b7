import { z } from 'zod';
import { defineCommand } from '../../contract/command.ts';
import { CAMERA_SOURCE, CAMERA_SOURCE_WORDS, isCameraSource, queryInteger } from '../../contract/fields.ts';

/** Why a camera does not play. */
export const cameraErrors = [
  'UNSUPPORTED_CODEC',
  'CAMERA_UNREACHABLE',
  'CAMERA_UNAUTHORIZED',
  'CAMERA_NOT_FOUND',
  'CAMERA_PROTOCOL',
  'CAMERA_TIMEOUT',
] as const;

/** An address of a camera, or its name. */
export const cameraUrl = z
  .string()
  .max(2048)
  .regex(CAMERA_SOURCE, CAMERA_SOURCE_WORDS)
  .refine(isCameraSource, CAMERA_SOURCE_WORDS);

/** The profile of an ONVIF camera that a session watches. */
export const sessionProfile = z
  .strictObject({ token: z.string(), width: z.int(), height: z.int() })
  .nullable()
  .describe('the profile of an ONVIF camera; null for one without profiles');

/** A side of a viewer's picture, in pixels of its screen. */
export const viewerSide = queryInteger(16, 16_384);

/** Whether a movement is of one kind. */
function isOneMovement(of: Readonly<Record<string, unknown>>): boolean {
  const turns = of.pan !== undefined || of.tilt !== undefined || of.zoom !== undefined;
  const kinds = [turns, of.preset !== undefined, of.stop !== undefined].filter(Boolean);
  return kinds.length === 1 && (turns || of.seconds === undefined);
}

/** What a camera says of itself. */
const cameraProfiles = z.strictObject({
  clockOffSeconds: z.int().describe('by how much its clock is ahead; negative where it is behind'),
  profiles: z.array(
    z.strictObject({
      token: z.string(),
      name: z.string(),
      codec: z.enum(['H264', 'H265', 'JPEG', 'MPEG4']),
      width: z.int(),
      height: z.int(),
      fps: z.number().nullable().describe('null where it does not say'),
      url: z.string().nullable().describe('its stream, without a login; null where it names none'),
      chosen: z
        .enum(['small', 'large'])
        .nullable()
        .describe('small: fewest pixels; large: what a viewer without a size gets'),
    }),
  ),
  snapshot: z.boolean(),
  talk: z.boolean().describe('whether it says that it has a loudspeaker'),
  ptz: z.boolean(),
  events: z.boolean(),
  presets: z.array(z.strictObject({ token: z.string(), name: z.string() })),
});

const axis = z.number().min(-1).max(1).optional();

/** The commands about ONVIF cameras. */
export const onvifCommands = {
  'stream.search': defineCommand({
    summary: 'Look for ONVIF cameras on the networks that the panel is on.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    reads: true,
    params: z.strictObject({ seconds: queryInteger(1, 10).default(3) }),
    result: z.strictObject({
      cameras: z.array(
        z.strictObject({
          name: z.string().nullable(),
          maker: z.string().nullable(),
          host: z.string(),
          port: z.int(),
          url: z.string().describe('onvif://host:port/'),
          needsLogin: z.boolean().nullable().describe('null where it did not say in time'),
        }),
      ),
    }),
    errors: ['CONFLICT'],
    timeoutMs: 20_000,
    http: { method: 'GET', path: '/api/stream/cameras', query: ['seconds'] },
  }),
  'stream.profiles': defineCommand({
    summary: 'What an ONVIF camera says of itself: its video profiles, and what else it can do.',
    access: { scope: 'control', http: 'token', page: 'allowed' },
    reads: true,
    params: z.strictObject({ url: cameraUrl }),
    result: cameraProfiles,
    errors: [...cameraErrors, 'NOT_FOUND'],
    timeoutMs: 25_000,
    http: { method: 'GET', path: '/api/stream/profiles', query: ['url'] },
  }),
  'stream.ptz': defineCommand({
    summary: 'Move an ONVIF camera: for some seconds, to a preset, or stop it.',
    access: { scope: 'control', http: 'token', page: 'allowed', mqtt: 'allowed' },
    params: z
      .strictObject({
        url: cameraUrl,
        pan: axis.describe('-1 to 1: left to right'),
        tilt: axis.describe('-1 to 1: down to up'),
        zoom: axis.describe('-1 to 1: out to in'),
        seconds: z.number().min(0.1).max(10).optional().describe('0.5 without it; it stops after them'),
        preset: z.string().min(1).max(256).optional().describe('its token or name'),
        stop: z.literal(true).optional(),
      })
      .refine(isOneMovement, 'must have pan, tilt or zoom, with seconds or without; or preset; or stop'),
    result: z.strictObject({}),
    errors: [...cameraErrors, 'NOT_FOUND', 'UNSUPPORTED_HARDWARE'],
    timeoutMs: 20_000,
    http: { method: 'POST', path: '/api/stream/ptz' },
  }),
};
