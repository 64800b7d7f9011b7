import { z } from 'zod';
import { CAMERA_URL, CONTROLS, cameraAddress, WEB_URL_PATTERN } from '../../contract/fields.ts';

/** What a camera reports. */
export const cameraKinds = ['motion', 'person', 'face', 'vehicle', 'animal', 'visitor', 'other'] as const;
export type CameraKind = (typeof cameraKinds)[number];

/** Cameras in the setting. */
const MAX_CAMERAS = 32;
const WORDS = 'must be an rtsp, rtsps, onvif, http or https URL';
const NO_LOGIN = 'must not contain a login: put it into login';

/** What others than the owner see in place of a query. */
const HIDDEN = 'holds a hidden part (…) of no address that this camera has: send the whole address';

const cameraName = z
  .string()
  .max(40)
  .regex(
    new RegExp(`^[^/+#${CONTROLS}]{1,40}$`),
    'must be 1 to 40 characters, without / + # and control characters',
  );

/** An address as `streams.cameras` has it, as the URL parser takes it; undefined if it is none. */
function listedAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text)) return cameraAddress(text);
  return URL.canParse(text) && new URL(text).hostname !== '' ? text : undefined;
}

const hasLogin = (text: string): boolean => {
  const { username, password } = new URL(listedAddress(text)!);
  return username !== '' || password !== '';
};

const address = z
  .string()
  .max(2048)
  .refine((text) => listedAddress(text) !== undefined, { message: WORDS, abort: true })
  .refine((text) => !hasLogin(text), NO_LOGIN)
  .refine((text) => !/[?#]…/.test(text), HIDDEN)
  .meta({ pattern: `${CAMERA_URL.source}|${WEB_URL_PATTERN}` });

const login = z.union(
  [
    z.strictObject({ user: z.string().max(200), password: z.string().max(200) }),
    // As it is read. Where the panel knows the password it is in its place by the time this is judged.
    z
      .strictObject({ user: z.string().max(200), set: z.literal(true) })
      .refine(() => false, 'has no password: no camera of this name, host, port and user has one'),
  ],
  'must be {"user","password"}, or null for none',
);

const camera = z.strictObject({
  name: cameraName,
  url: address,
  login: login.nullable().optional(),
  talk: z.enum(['auto', 'off', 'together']).default('auto'),
  talkBytes: z.int().min(160).max(1280).default(160),
  events: z.array(z.enum(cameraKinds)).max(cameraKinds.length).default([]),
});

/** The setting `streams.cameras`. */
export const cameraList = z
  .array(camera)
  .max(MAX_CAMERAS)
  .refine(
    (cameras) => new Set(cameras.map(({ name }) => cameraNameKey(name))).size === cameras.length,
    'must not name two cameras alike, also not in upper and lower case',
  )
  .meta({ uniqueItems: true });

/** One camera of the setting. */
export interface NamedCamera extends Omit<z.output<typeof camera>, 'login'> {
  readonly login?: { readonly user: string; readonly password: string } | undefined;
}

/** The cameras of the setting. */
export function namedCameras(cameras: z.output<typeof cameraList>): NamedCamera[] {
  return cameras.map(({ login, ...camera }) =>
    login && 'password' in login ? { ...camera, login } : camera,
  );
}

/** Names with the same key are the same name. */
export function cameraNameKey(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

const PORTS: Readonly<Record<string, string>> = {
  'rtsp:': '554',
  'rtsps:': '322',
  'onvif:': '80',
  'http:': '80',
  'https:': '443',
};

/** Where the login of a camera goes: host and port. Undefined where that is no address of a camera. */
export function cameraPlace(address: string): string | undefined {
  const text = listedAddress(address);
  if (text === undefined) return undefined;
  const { protocol, hostname, port } = new URL(text);
  return `${hostname.toLowerCase()}:${port || PORTS[protocol]}`;
}
