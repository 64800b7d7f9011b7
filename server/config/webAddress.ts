import { z } from 'zod';
import { WEB_URL_PATTERN } from '../contract/patterns.ts';

/** Longest address, in characters. */
const LIMIT = 8_192;
/** What others than the owner see in place of a query and a fragment. */
const HIDDEN_PART = /[?#]…/;

/** The words for an address whose hidden part stands for nothing that is known. */
export const HIDDEN_WORDS =
  'holds a hidden part (…), which stands for an address that is set already, and for no other: send the whole address';

/** Whether a text holds what stands for a hidden part, and is no address by itself. */
export function hasHiddenPart(text: string): boolean {
  return HIDDEN_PART.test(text);
}

/**
 * The address of a page, a picture or a file, as every setting has it: never with a login, which would be told to whoever
 * reads the setting.
 */
export const webAddress = address('kiosk.logins').meta({ pattern: WEB_URL_PATTERN });

/** The same, or nothing. @param logins the setting that has the login instead */
export function webAddressOrNone(logins = 'kiosk.logins') {
  return address(logins, '').meta({ pattern: `^$|${WEB_URL_PATTERN}` });
}

function address(logins: string, none?: string) {
  return z
    .string()
    .max(LIMIT)
    .refine((text) => text === none || (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)), {
      message: 'must be an http or https URL',
      abort: true,
    })
    .refine((text) => text === none || (new URL(text).username === '' && new URL(text).password === ''), {
      message: `must not contain a login: put it into ${logins}`,
    })
    .refine((text) => !hasHiddenPart(text), { message: HIDDEN_WORDS });
}
