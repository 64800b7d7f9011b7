import { z } from 'zod';
import {
  addressPattern,
  CAMERA_SOURCE,
  CAMERA_SOURCE_WORDS,
  CONTROLS,
  isCameraSource,
  WEB_URL_PATTERN,
} from '../contract/fields.ts';
import { dtmfDigits, extensionField, parseAddress } from './sipContract.ts';

/** A text that is valid in a SIP header and on a screen: one line, no quotes, brackets or backslashes. */
export const displayText = z
  .string()
  .max(64)
  .regex(
    new RegExp(`^[^${CONTROLS}"<>\\\\]*$`),
    'must be at most 64 characters in one line, without " < > \\',
  );

const isWebUrl = (text: string): boolean =>
  /^https?:\/\//i.test(text) && URL.canParse(text) && new URL(text).hostname !== '';

/** @param pattern of what is certainly accepted, for descriptions */
const url = (isUrl: (text: string) => boolean, pattern: string, words: string) =>
  z.string().max(2048).refine(isUrl, words).meta({ pattern });

/** One door of the setting `sip.doors`. */
const door = z
  .strictObject({
    name: displayText.min(1),
    // Its IP address, or the extension it calls from: at the registrar, or its account at the built-in one.
    peer: z
      .string()
      .max(64)
      .refine(
        (text) => parseAddress(text) !== undefined || extensionField.safeParse(text).success,
        'must be an IP address, or an extension',
      )
      .meta({ pattern: addressPattern("[A-Za-z0-9_.!~*'+#-]{1,64}") }),
    dtmf: dtmfDigits.optional(),
    gapMs: z.int().min(50).max(5_000).default(500),
    url: url(isWebUrl, WEB_URL_PATTERN, 'must be an http or https URL').optional(),
    preview: url(isCameraSource, CAMERA_SOURCE.source, CAMERA_SOURCE_WORDS).optional(),
  })
  .refine((value) => value.dtmf !== undefined || value.url !== undefined || value.preview !== undefined, {
    message: 'must have dtmf, url or preview',
  })
  .meta({ anyOf: ['dtmf', 'url', 'preview'].map((field) => ({ required: [field] })) });
export type Door = z.output<typeof door>;

const unique = <T>(items: readonly T[], key: (item: T) => string): boolean =>
  new Set(items.map(key)).size === items.length;

export const doorList = z
  .array(door)
  .max(32)
  .refine((doors) => unique(doors, ({ name }) => name), 'must not name two doors alike')
  .meta({ uniqueItems: true });

/** One account of the built-in registrar. */
const account = z.strictObject({
  username: extensionField,
  password: z.string().regex(/^[\x20-\x7e]{6,128}$/, 'must be 6 to 128 printable ASCII characters'),
});

export const accountList = z
  .array(account)
  .max(64)
  .refine((accounts) => unique(accounts, ({ username }) => username), 'must not name two accounts alike')
  .meta({ uniqueItems: true });

/** An address, or a network in CIDR notation, that may call. */
export const allowedPeer = z
  .union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()])
  .describe('an IP address, or a network such as 192.168.1.0/24');
