import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { browserStart, EarlyBrowser } from '../kiosk/early.ts';
import { findKioskSession } from '../kiosk/session.ts';
import { isDataFolderAtRest, noteOpen, usualDataFolder } from '../platform/files/dataFolder.ts';
import { noBrowserExtras } from '../platform/kioskJobs.ts';
import { controlSocket } from '../platform/sway/swayIpc.ts';
import { environmentName } from '../platform/texts.ts';

/** How the browser is started where no setting wishes anything special of it. */
const PLAIN = {
  'kiosk.headless': 'auto',
  'kiosk.debugPort': 'off',
  'kiosk.fakeMedia': false,
  'kiosk.userAgent': noBrowserExtras.userAgent,
  'kiosk.scrollbars': noBrowserExtras.scrollbars,
  'kiosk.screenReader': noBrowserExtras.screenReader,
  'kiosk.browserArguments': [],
  'kiosk.secureOrigins': [],
} as const satisfies Parameters<typeof browserStart>[0]['settings'];
/** What may be given of these settings and others that decide it; of lists, logins and pages nothing. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    Object.entries(PLAIN).map(([key, plain]) => [key, typeof plain === 'object' ? [] : [String(plain)]]),
  ),
  'kiosk.headless': ['auto', 'true', 'false'],
  host: ['auto', 'chromium'],
  'kiosk.logins': [],
  'kiosk.pages': [],
  'kiosk.thirdPartyCookies': [],
};

/**
 * Starts the browser before the service is loaded and its settings are judged, where they wish nothing special of it: until
 * both are done it would have done half of its own start (docs/benchmarks.md). It opens no window and gets no command.
 * `earlyBrowser` compares it with what the settings say; if they differ, or if the start is refused, it is ended.
 * @returns undefined where the settings have to be judged first, or it cannot be started: the service says why
 */
export async function browserAhead(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<EarlyBrowser | undefined> {
  if (args.includes('--help') || args.includes('--version')) return undefined;
  try {
    return await start(args, env);
  } catch {
    return undefined;
  }
}

async function start(args: readonly string[], env: NodeJS.ProcessEnv): Promise<EarlyBrowser | undefined> {
  const dataDir = flag(args, 'dataDir') || env[environmentName('dataDir')] || usualDataFolder(env);
  // A first start has none yet. After a reset or a restore the settings are not what they will be.
  if (!statSync(dataDir).isDirectory() || !isDataFolderAtRest(dataDir)) return undefined;
  const given = reader(args, env, join(dataDir, 'settings.json'));
  for (const [key, allowed] of Object.entries(ALLOWED)) {
    const value = given(key);
    if (value !== undefined && (typeof value === 'object' || !allowed.includes(String(value))))
      return undefined;
  }
  const url = given('kiosk.url') ?? '';
  const headless = String(given('kiosk.headless') ?? 'auto');
  const session = await findKioskSession({
    dataDir,
    'kiosk.user': String(given('kiosk.user') ?? 'faceplate-kiosk'),
  });
  // The profile in a user's home may be that of a service with another data folder, which has the port: HTTP comes first then.
  const { user, starter } = session;
  if (starter === undefined ? user?.home !== undefined : env.NOTIFY_SOCKET === undefined) return undefined;
  const browser = browserStart({
    settings: { ...PLAIN, 'kiosk.headless': headless === 'auto' ? headless : headless === 'true' },
    session,
  });
  if (browser === undefined || (process.getuid?.() === 0 && user === undefined)) return undefined;
  // A second service with this folder starts no browser in the same profile.
  noteOpen(dataDir);
  const early = new EarlyBrowser({
    ...browser,
    apps: !browser.headless && controlSocket(env) !== undefined,
    loginOrigins: [],
    cookieOrigins: url === '' ? [] : [new URL(String(url)).origin],
    log: undefined,
  });
  await early.start();
  // Two turns: one connects to the starter, the next asks it. Loading the service would hold up both.
  if (starter !== undefined) for (const _turn of [1, 2]) await setImmediate();
  return early;
}

type Tree = Readonly<Record<string, unknown>>;

/** @returns what a setting is given as, which may be wrong: a flag beats the environment, which beats the file */
function reader(args: readonly string[], env: NodeJS.ProcessEnv, file: string): (key: string) => unknown {
  const tree = treeIn(file);
  return (key) => {
    const [group = '', name = ''] = key.split('.');
    const inGroup = (tree[group] as Tree | undefined)?.[name];
    return flag(args, key) ?? (env[environmentName(key)] || (tree[key] ?? inGroup));
  };
}

function treeIn(file: string): Tree {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Tree | null) ?? {};
  } catch {
    return {};
  }
}

/** The last value of a flag. A switch needs none. */
function flag(args: readonly string[], name: string): string | undefined {
  const at = args.findLastIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  if (at < 0) return undefined;
  if (args[at]!.includes('=')) return args[at]!.slice(name.length + 3);
  const next = args[at + 1];
  return next === undefined || next.startsWith('--') ? 'true' : next;
}
