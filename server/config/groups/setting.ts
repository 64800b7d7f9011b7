import { z } from 'zod';
import { ORIGIN_PATTERN, WEB_URL_PATTERN } from '../../contract/fields.ts';
import type { SettingKind } from '../contract.ts';

/** Where a secret is sent. */
export interface SecretPlace {
  /** Host and port, as the setting names them. */
  readonly server: string;
  readonly isEncrypted: boolean;
}

/** The part of a setting that only the owner reads, although the setting is no secret. Logins are never read. */
export type HiddenPart =
  /** The `login` of each entry of a list: its user is read, its password never. */
  | 'logins'
  /** Queries and fragments of the addresses in it. */
  | 'queries'
  /** Every text in it: each is a query. */
  | 'texts'
  /** All of it: to others it is as a secret. */
  | 'all';

/** The declaration of one setting. */
interface Setting<T> {
  readonly schema: z.ZodType<T>;
  readonly kind: SettingKind;
  readonly default: NoInfer<T>;
  readonly description: string;
  readonly unit?: string;
  readonly secret?: true;
  /** Of a secret: the settings that say where it is sent, and the place they name; null: nowhere. */
  readonly place?: {
    readonly settings: readonly string[];
    of(...values: readonly unknown[]): SecretPlace | null;
  };
  /** What only the owner reads (never a login), and what no backup without a passphrase holds. */
  readonly hides?: HiddenPart;
  /** Whether only the owner may change it: who holds `manage` could otherwise give themselves more. */
  readonly owner?: true;
  /** Whether it lets code or a person in: as `owner`, and not to be given on by a roll-out or somebody's backup. */
  readonly opens?: true;
  /** Whether a change over the API takes effect at once, not only at the next start. */
  readonly live?: true;
}

/** Declares a setting; its type is that of its schema. */
export function setting<T>(declaration: Setting<T>): Setting<T> {
  return declaration;
}

const PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  ws: 80,
  wss: 443,
  mqtt: 1883,
  mqtts: 8883,
};

/** The place of a secret that is sent to the server of an address. @param key the setting that has the address */
export function serverOf(key: string) {
  const of = (address: unknown): SecretPlace | null => {
    if (typeof address !== 'string' || !URL.canParse(address)) return null;
    const { protocol, hostname, port } = new URL(address);
    const scheme = protocol.slice(0, -1);
    const server = `${hostname.toLowerCase()}:${port || PORTS[scheme]}`;
    return { server, isEncrypted: /^(?:https|wss|mqtts)$/.test(scheme) };
  };
  return { settings: [key], of };
}

/** A UDP or TCP port; 0 if any free one will do. */
export const port = z.int().min(0).max(65_535);

/** Longest address, in characters. */
const LIMIT = 8_192;
/** What others than the owner see in place of a query and a fragment. */
const HIDDEN_PART = /[?#]…/;

/** The words for an address whose hidden part replaces no known text. */
export const HIDDEN_WORDS =
  'holds a hidden part (…), which stands for an address that is set already, and for no other: send the whole address';

/** Whether a text contains the mark of a hidden part, and is no address by itself. */
export function hasHiddenPart(text: string): boolean {
  return HIDDEN_PART.test(text);
}

/**
 * The address of a page, a picture or a file, as every setting has it: never with a login, which every reader of the
 * setting would see.
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

const isOrigin = (text: string): boolean =>
  URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text;
/** An origin of http or https, as browsers write it. */
export const origin = z
  .string()
  // Browsers read an asterisk as any name in some of the places that these go to.
  .refine((text) => isOrigin(text) && !text.includes('*'), {
    message: 'must be an origin such as http://dashboard.local:3000',
  })
  .meta({ pattern: ORIGIN_PATTERN });
