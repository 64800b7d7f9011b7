import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before } from 'node:test';
import { promisify } from 'node:util';
import { findChromium } from '../../server/kiosk/chromium/process/commandLine.ts';
import { TestScreen, type WindowManager } from '../../server/kiosk/testing/testScreen.ts';
import { asUser, kioskUser } from '../../server/platform/privileges.ts';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { temporaryFolder } from '../../server/testing/temporaryFolder.ts';
import { ReportSite } from './reportSite.ts';

/** A browser on its own screen without a debugger: its page reports, the screen gives keys and pictures. */
export interface BareBrowser extends AsyncDisposable {
  readonly screen: TestScreen;
  readonly site: ReportSite;
  /** Names of the windows that the screen shows, in no order. */
  windows(): Promise<string[]>;
}

export interface Kiosk extends BareBrowser {
  readonly service: FaceplateProcess;
}

interface KioskOptions {
  /** Further settings as environment; the kiosk's address is set. */
  readonly env?: Readonly<Record<string, string>> | ((site: ReportSite) => Readonly<Record<string, string>>);
  /** With `kiosk.debugPort`, without a client. */
  readonly debugPort?: boolean;
  /** Further flags of the browser. */
  readonly flags?: readonly string[];
  /** Without one the windows are placed as on a bare X server. */
  readonly windowManager?: WindowManager;
  /** Of the screen in pixels, as 1280x800. */
  readonly size?: string;
}

/** Electron's program, where this run tests the Electron host (npm run test:electron). */
const electron =
  process.env.FACEPLATE_TEST_HOST === 'electron' &&
  join(process.env.ELECTRON_OVERRIDE_DIST_PATH ?? '', 'electron');
/** Whether this run tests the Electron host. */
export const isElectron = electron !== false;

/** The service in Electron, from the bundle in dist/, as a person starts it. */
export async function startElectron(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  flags: readonly string[] = [],
): Promise<ChildProcess> {
  const main = join(import.meta.dirname, '../../dist/electron/main.js');
  return spawn(electron || 'electron', [...flags, main, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
}

/** Starts the service with its kiosk on a new screen. The page of the site holds the bridge. */
export async function openKiosk({
  env = {},
  debugPort = false,
  flags = [],
  windowManager = true,
  size,
}: KioskOptions = {}): Promise<Kiosk> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await ReportSite.open());
  const screen = stack.use(await TestScreen.open({ windowManager, ...(size && { size }) }));
  const service = new FaceplateProcess({
    ...(isElectron && { spawn: (args, env) => startElectron(args, env, flags) }),
    env: {
      FACEPLATE_HOST: isElectron ? 'electron' : 'chromium',
      FACEPLATE_KIOSK_HEADLESS: 'false',
      FACEPLATE_KIOSK_DEBUG_PORT: debugPort ? '0' : 'off',
      FACEPLATE_KIOSK_URL: site.home,
      FACEPLATE_BRIDGE_ORIGINS: site.origin(),
      DISPLAY: screen.display,
      WAYLAND_DISPLAY: '',
      ...(flags.length > 0 && !isElectron && { PATH: `${await folderWithFlags(flags)}:${process.env.PATH}` }),
      ...(typeof env === 'function' ? env(site) : env),
    },
  });
  stack.defer(async () => {
    const { code, signal, left } = await service.stop();
    assert.deepEqual({ code, signal, left }, { code: 0, signal: null, left: [] }, service.output);
  });
  await service.start();
  return { service, ...browserOn(screen, site, stack.move()) };
}

/** Calls the HTTP API of a service as its owner. @param path below `/api/` */
export async function callApi(
  service: FaceplateProcess,
  method: string,
  path: string,
  body?: object,
): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${await service.token()}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  return fetch(`${await service.url}/api/${path}`, sent);
}

/**
 * Opens a kiosk for the tests of a suite, which calls this. After a test that failed the next one gets another kiosk: what
 * it left on the glass, or a service that has ended, must not fail the others too.
 * @param use gets each kiosk that is opened
 * @param options of each
 */
export function shareKiosk(use: (kiosk: Kiosk) => void, options: KioskOptions = {}): void {
  let kiosk: Kiosk | undefined;
  const open = async () => {
    kiosk = await openKiosk(options);
    use(kiosk);
  };
  const close = async () => {
    const old = kiosk;
    kiosk = undefined;
    await old?.[Symbol.asyncDispose]();
  };
  before(open);
  afterEach(async (context) => {
    if ('passed' in context && context.passed) return;
    // How the service ended is reported with the test.
    await close().finally(open);
  });
  after(close);
}

/**
 * Starts plain Chromium on a new screen, for comparison: Faceplate makes any difference.
 * @param onStart called just before the program is started; its page is the one that is shown by then
 */
export async function openPlain({
  onStart,
}: {
  onStart?: (site: ReportSite) => void;
} = {}): Promise<BareBrowser> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await ReportSite.open());
  const screen = stack.use(await TestScreen.open({ windowManager: true }));
  const profile = temporaryFolder('plain');
  await chmod(profile, 0o700);
  const flags = [
    `--user-data-dir=${profile}`,
    '--kiosk',
    '--no-first-run',
    '--no-default-browser-check',
    '--password-store=basic',
    // Nothing leaves the machine.
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    onStart ? site.next : site.home,
  ];
  const user = process.getuid?.() === 0 ? kioskUser('nobody') : undefined;
  if (user) await chown(profile, user.uid, user.gid);
  const binary = findChromium() ?? 'chromium';
  const [program, ...args] = user ? asUser(user, binary, flags) : [binary, ...flags];
  // The temporary folder of a test run belongs to whoever runs it; this user needs one to write into.
  const env = { ...screen.env, HOME: profile, TMPDIR: profile };
  onStart?.(site);
  const child = spawn(program!, args, { stdio: 'ignore', cwd: '/', detached: true, env });
  stack.defer(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      // The whole group: helpers outlive the browser long enough to write into its profile.
      process.kill(-child.pid!, 'SIGKILL');
      await once(child, 'exit');
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  await once(child, 'spawn');
  return browserOn(screen, site, stack.move());
}

/** @returns a folder whose `chromium` is the machine's own with these flags; it goes with the process */
async function folderWithFlags(flags: readonly string[]): Promise<string> {
  const folder = temporaryFolder('flags');
  const lines = ['#!/bin/sh', `exec '${findChromium()}' ${flags.join(' ')} "$@"`, ''];
  await writeFile(join(folder, 'chromium'), lines.join('\n'), { mode: 0o755 });
  await chmod(folder, 0o755);
  return folder;
}

function browserOn(screen: TestScreen, site: ReportSite, stack: AsyncDisposableStack): BareBrowser {
  return {
    screen,
    site,
    windows: () => windowNames(screen),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

async function windowNames({ env }: TestScreen): Promise<string[]> {
  const run = promisify(execFile);
  const words = ['search', '--onlyvisible', '--name', '.', 'getwindowname', '%@'];
  // It ends with status 1 where there is no window at all.
  const { stdout } = await run('xdotool', words, { env }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter((name) => name !== '');
}
