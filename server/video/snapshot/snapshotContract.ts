import { z } from 'zod';
import { defineCommand, isMedia, type Media } from '../../contract/command.ts';
import { queryInteger } from '../../contract/fields.ts';
import { cameraErrors, cameraUrl } from '../onvif/onvifContract.ts';

/** Readers of `stream.mjpeg` at one time. */
export const MAX_MJPEG = 4;

const width = queryInteger(16, 3840)
  .optional()
  .describe('most pixels across: a wider picture is made smaller, none larger');

const perSecond = z.preprocess(
  (value) => (typeof value === 'string' && /^\d{1,3}(?:\.\d{1,6})?$/.test(value) ? Number(value) : value),
  z.number().min(0.2).max(5),
);

const errors = [
  ...cameraErrors,
  'NOT_FOUND',
  'SESSION_LIMIT',
  'UNSUPPORTED_HARDWARE',
  'HARDWARE_ERROR',
] as const;

const picture = z.custom<Media>(isMedia, 'must be a picture');

/** Pictures of cameras as JPEGs, without a player. */
export const snapshotCommands = {
  'stream.snapshot': defineCommand({
    summary: 'A picture of a camera as a JPEG.',
    access: { scope: 'control', http: 'picture', page: 'allowed' },
    reads: true,
    params: z.strictObject({ url: cameraUrl, width }),
    result: picture.meta({ typeText: '{ type: string; base64: string; takenAt: string }' }),
    errors,
    timeoutMs: 30_000,
    http: {
      method: 'GET',
      path: '/api/stream/snapshot',
      bodyLimit: 1024,
      query: ['url', 'width'],
      answer: ['image/jpeg'],
    },
  }),
  'stream.mjpeg': defineCommand({
    summary: 'Pictures of a camera as JPEGs one after the other, as recorders and an img element take them.',
    access: { scope: 'control', http: 'picture' },
    reads: true,
    params: z.strictObject({
      url: cameraUrl,
      fps: perSecond.default(1).describe('most pictures a second'),
      width,
    }),
    result: picture,
    errors,
    timeoutMs: 30_000,
    http: {
      method: 'GET',
      path: '/api/stream/mjpeg',
      bodyLimit: 1024,
      query: ['url', 'fps', 'width'],
      answer: ['multipart/x-mixed-replace'],
    },
  }),
};
