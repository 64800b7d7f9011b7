import { join } from 'node:path';
import { soundKinds } from '../../parts/sound/soundKinds.ts';
import { whyRefusedArgument } from '../../platform/browserArguments.ts';
import type { BrowserExtras, JobAnswer, KioskJob } from '../../platform/kioskJobs.ts';
import type { Logger } from '../../platform/log.ts';

/** What every job has. */
export interface JobOptions {
  /** The connection of the service, an open file. */
  readonly socket: number;
  readonly env: NodeJS.ProcessEnv;
  readonly answer: (answer: JobAnswer) => void;
  /** Made when there is something to say: a sound waits for nothing that it does not need. */
  readonly log: () => Promise<Logger>;
}

type Check = (value: unknown) => boolean;

const isFlag: Check = (value) => typeof value === 'boolean';
const isNumberUpTo =
  (most: number): Check =>
  (value) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most;
const isText =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value);

/** Largest process id of Linux, and largest file that is accepted. */
const MAX_PID = 4_194_304;
const MAX_BYTES = 4 * 1024 ** 3;
const ORIGIN = /^https?:\/\/[^\s/"*]{1,300}$/;
/** Most entries of a list. */
const MOST = 64;
/** Most pages of the settings: `kiosk.pages`, `kiosk.url`, and as many as `kiosk.thirdPartyCookies` names. */
const MOST_PAGES = 96;
const isListOf =
  (check: Check, most = MOST): Check =>
  (value) =>
    Array.isArray(value) && value.length <= most && value.every((entry) => check(entry));
const EXTRAS: Readonly<Record<keyof BrowserExtras, Check>> = {
  userAgent: isText(/^(?:[!-~](?:[ -~]{0,198}[!-~])?)?$/),
  scrollbars: isFlag,
  screenReader: isFlag,
  browserArguments: isListOf((value) => typeof value === 'string' && whyRefusedArgument(value) === undefined),
  secureOrigins: isListOf((value) => isText(ORIGIN)(value) && !/,/.test(String(value))),
};
const isExtras: Check = (value) => {
  if (typeof value !== 'object' || value === null) return false;
  const names = Object.keys(EXTRAS) as (keyof BrowserExtras)[];
  return (
    Object.keys(value).length === names.length &&
    names.every((name) => Object.hasOwn(value, name) && EXTRAS[name]((value as BrowserExtras)[name]))
  );
};
const NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/;
const PATH = /^\/[^\0\n]{1,4095}$/;

/** Every job with all its fields: a request with more or fewer fields is not a job. */
const FIELDS: Readonly<Record<KioskJob['job'], Readonly<Record<string, Check>>>> = {
  browser: {
    headless: isFlag,
    apps: isFlag,
    debugPort: (value) => value === null || isNumberUpTo(65_535)(value),
    fakeMedia: isFlag,
    loginOrigins: isListOf(isText(ORIGIN)),
    cookieOrigins: isListOf((value) => isText(ORIGIN)(value) && !/,/.test(String(value)), MOST_PAGES),
    extras: isExtras,
  },
  end: { pid: isNumberUpTo(MAX_PID) },
  memory: { pid: isNumberUpTo(MAX_PID) },
  launch: { packageName: isText(NAME) },
  write: { path: isText(PATH), size: isNumberUpTo(MAX_BYTES) },
  entry: { name: isText(NAME) },
  remove: { path: isText(PATH) },
  forget: {},
  'flatpak-install': {},
  'flatpak-uninstall': { id: isText(NAME) },
  decode: { kind: (value) => soundKinds.some((kind) => kind === value), size: isNumberUpTo(MAX_BYTES) },
};

/** Reads a request of the service, which an attacker may control. @returns undefined when it is not a job */
export function parseJob(line: string): KioskJob | undefined {
  let request: unknown;
  try {
    request = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof request !== 'object' || request === null) return undefined;
  const { job, ...fields } = request as Record<string, unknown>;
  if (typeof job !== 'string' || !Object.hasOwn(FIELDS, job)) return undefined;
  const checks = FIELDS[job as KioskJob['job']];
  const names = Object.keys(checks);
  if (Object.keys(fields).length !== names.length) return undefined;
  if (!names.every((name) => Object.hasOwn(fields, name) && checks[name]!(fields[name]))) return undefined;
  return request as KioskJob;
}

/** The Flatpak bundle that is installed next, below the home. */
export const BUNDLE = '.cache/faceplate/bundle.flatpak';

/** The files that may be written into the home, with their modes: AppImages, and the bundle that is installed next. */
export function modeOf(path: string, home: string): string | undefined {
  if (path === join(home, BUNDLE)) return '0600';
  const folder = join(home, 'Applications/');
  const name = path.startsWith(folder) ? path.slice(folder.length) : '';
  return NAME.test(name) && name.endsWith('.AppImage') ? '0755' : undefined;
}
