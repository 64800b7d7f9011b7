import { z } from 'zod';
import { devicePath } from '../profile.ts';

/** The sensor of temperature and humidity of a board. */
export const climatePart = z.discriminatedUnion('driver', [
  z.strictObject({ driver: z.literal('simulated') }),
  z.strictObject({
    driver: z.literal('iio'),
    path: devicePath.describe('folder of the sensor, such as /sys/bus/iio/devices/iio:device0'),
  }),
  z.strictObject({
    driver: z.literal('hwmon'),
    path: devicePath.describe('folder of the sensor, such as /sys/class/hwmon/hwmon0'),
  }),
]);

const name = z.string().min(1).max(64);

/** The buttons beside the glass of a board. */
export const buttonsPart = z.discriminatedUnion('driver', [
  z.strictObject({ driver: z.literal('simulated') }),
  z.strictObject({
    driver: z.literal('evdev'),
    path: devicePath.describe('the node, such as /dev/input/by-path/platform-gpio-keys-event'),
    keys: z
      .record(z.string().regex(/^\d{1,3}$/, 'must be the number of a key'), name)
      .optional()
      .describe(
        'names by the number of the key, such as {"59": "Bell"}; others are not told. Left out: all, by their number',
      ),
  }),
]);

/** The readers of cards or codes of a board. */
export const readersPart = z
  .array(
    z.discriminatedUnion('driver', [
      z.strictObject({
        name: name.describe('what events call it'),
        driver: z.literal('evdev').default('evdev'),
        path: devicePath.describe(
          'the node, such as one below /dev/input/by-id. It is grabbed: no page hears it',
        ),
      }),
      z.strictObject({ name: name.describe('what events call it'), driver: z.literal('simulated') }),
    ]),
  )
  .max(8)
  .superRefine((readers, context) => {
    for (const [index, { name: each }] of readers.entries())
      if (readers.findIndex((reader) => reader.name === each) < index)
        context.addIssue({ code: 'custom', path: [index, 'name'], message: `${each} stands here twice` });
  })
  .optional();

/** What notices somebody before the panel. */
export const proximityPart = z
  .discriminatedUnion('driver', [
    z.strictObject({ driver: z.literal('simulated') }),
    z.strictObject({
      driver: z.literal('iio'),
      path: devicePath.describe('folder of the sensor, such as /sys/bus/iio/devices/iio:device1'),
      above: z.number().min(1).optional().describe('somebody is near from this value on, upwards; or below'),
      below: z
        .number()
        .min(1)
        .optional()
        .describe('somebody is near from this value on, downwards; or above'),
    }),
  ])
  .superRefine((part, context) => {
    if (part.driver === 'iio' && (part.above === undefined) === (part.below === undefined))
      context.addIssue({
        code: 'custom',
        path: ['above'],
        message: 'must be given, or below instead: one of them',
      });
  })
  .optional();
