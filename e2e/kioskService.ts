import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { _electron, chromium, type ElectronApplication, expect, type Page } from '@playwright/test';
import {
  FaceplateProcess,
  type FaceplateProcessOptions,
  type ProcessInfo,
} from '../server/testing/faceplateProcess.ts';
import { findElectron } from '../server/testing/findElectron.ts';

const root = join(import.meta.dirname, '..');
const electron = findElectron();

/** What shows the kiosk page in this run: Electron if there is a binary, otherwise the system's Chromium. */
export const hostKind = 'program' in electron ? 'electron' : 'chromium';
/** The same in words, with the reason. */
const hostWords = 'missing' in electron ? `chromium (${electron.missing})` : 'electron';

/** The applications that run now, by process id of their main process. */
const applications = new Map<number, ElectronApplication>();

/** A service as tests start it, with a kiosk in the host of this run. Not started yet. */
export function kioskService(options: FaceplateProcessOptions = {}): FaceplateProcess {
  if (!options.kiosk || options.main || 'missing' in electron) return new FaceplateProcess(options);
  return new FaceplateProcess({
    ...options,
    env: { FACEPLATE_HOST: 'electron', ...options.env },
    spawn: (args, env) => launch(electron.program, args, env),
  });
}

async function launch(executablePath: string, args: readonly string[], env: NodeJS.ProcessEnv) {
  const defined = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const application = await _electron.launch({
    executablePath,
    args: [join(root, 'dist/electron/main.js'), ...args],
    env: Object.fromEntries(defined),
  });
  const child = application.process();
  applications.set(child.pid!, application);
  child.once('exit', () => applications.delete(child.pid!));
  return child;
}

/** The page of a service's kiosk; `detach` leaves it open. @throws Error when it shows none now */
export async function kioskPage(service: FaceplateProcess): Promise<{ page: Page; detach(): Promise<void> }> {
  const application = service.pid === undefined ? undefined : applications.get(service.pid);
  if (application === undefined)
    return attachTo(service, (url) => !isOwn(url) && /^(?:https?|data):/.test(url));
  await application.firstWindow();
  const page = application.windows().find((window) => !isOwn(window.url()));
  if (page === undefined) throw new Error('The kiosk shows no page.');
  return { page, detach: async () => {} };
}

/**
 * The invisible intercom page with microphone, camera and speaker. Chromium only. @throws Error when it is not there
 * now
 */
export function intercomPage(service: FaceplateProcess): Promise<{ page: Page; detach(): Promise<void> }> {
  return attachTo(service, (url) => url.startsWith('http://intercom.localhost'));
}

/** The page of the keyboard on the screen. Chromium only. @throws Error when it is not there now */
export function keysPage(service: FaceplateProcess): Promise<{ page: Page; detach(): Promise<void> }> {
  return attachTo(service, (url) => url.startsWith('http://keys.glass.localhost'));
}

/** The page of the layer above the kiosk page, in the same browser, once it is open. Chromium only. */
export async function glassOf(page: Page): Promise<Page> {
  const find = () =>
    page
      .context()
      .pages()
      .find((other) => other.url().startsWith('http://glass.localhost'));
  await expect.poll(() => find() !== undefined).toBe(true);
  return find() as Page;
}

/** Built-in pages are not the kiosk's. */
const isOwn = (url: string) => /^http:\/\/(settings|intercom|glass|keys\.glass)\.localhost/.test(url);

async function attachTo(service: FaceplateProcess, isIt: (url: string) => boolean) {
  // noDefaults: the page keeps the size and the permissions that the kiosk gave it.
  const browser = await chromium.connectOverCDP(await service.devtoolsUrl, { noDefaults: true });
  const page = browser
    .contexts()[0]
    ?.pages()
    .find((page) => isIt(page.url()));
  const detach = () => browser.close();
  if (page !== undefined) return { page, detach };
  await detach();
  throw new Error('The browser shows no such page.');
}

/** Playwright's global set-up: says which host the run tests, and builds what it runs. */
export default function prepareHost(): void {
  process.stdout.write(`\n*** e2e host: ${hostWords} ***\n`);
  execFileSync(process.execPath, [join(root, 'build/manage.ts')]);
  if (hostKind === 'electron') execFileSync(process.execPath, [join(root, 'build/bundle.ts')]);
}

/** The browser itself among the processes of a service, not its helpers. @throws Error when it does not run */
export function browserOf(processes: readonly ProcessInfo[]): ProcessInfo {
  const browser = processes.find(
    ({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='),
  );
  if (browser === undefined) throw new Error('There is no browser.');
  return browser;
}
