import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { chromium, expect, type Page } from '@playwright/test';
import {
  FaceplateProcess,
  type FaceplateProcessOptions,
  type ProcessInfo,
} from '../server/testing/faceplateProcess.ts';
import { apiOf } from './api.ts';
import {
  devToolsOf,
  hostKind,
  killRenderers,
  noteAttached,
  pressInElectron,
  runsInElectron,
  startElectron,
} from './electronProcess.ts';

/** Longest time to attach to a browser, in milliseconds; then a test tries again. */
const ATTACH_LIMIT_MS = 5_000;
/** Three times the time in which a killed browser is to be back, in milliseconds. */
const BACK_LIMIT_MS = 30_000;

const root = join(import.meta.dirname, '..');

/** A service as tests start it, with a kiosk in the host of this run. Not started yet. */
export function kioskService(options: FaceplateProcessOptions = {}): FaceplateProcess {
  if (!options.kiosk || options.main || hostKind === 'chromium') return new FaceplateProcess(options);
  return new FaceplateProcess({
    ...options,
    env: { FACEPLATE_HOST: 'electron', ...options.env },
    spawn: startElectron,
  });
}

interface AttachedPage {
  readonly page: Page;
  /** Leaves the page open. */
  detach(): Promise<void>;
}

/** Attaches to the page whose address fits. @throws Error when there is none now */
async function attachTo(service: FaceplateProcess, isIt: (url: string) => boolean): Promise<AttachedPage> {
  const url = runsInElectron(service) ? await devToolsOf(service, isIt) : await service.devtoolsUrl;
  // noDefaults: the page keeps the size and the permissions that the kiosk gave it.
  const browser = await chromium.connectOverCDP(url, { noDefaults: true, timeout: ATTACH_LIMIT_MS });
  const context = browser.contexts()[0];
  const page = context?.pages().find((page) => isIt(page.url()));
  const detach = () => browser.close();
  if (context !== undefined && page !== undefined) {
    noteAttached(service, context);
    return { page, detach };
  }
  await detach();
  throw new Error('The browser shows no such page.');
}

/** Presses Ctrl+Alt+S on the keyboard of the panel. */
export async function pressSettingsKeys(page: Page): Promise<void> {
  const key = { url: page.url(), keyCode: 'S', modifiers: ['control', 'alt'] };
  if (!pressInElectron(page.context(), key)) await page.keyboard.press('Control+Alt+KeyS');
}

/** Closes the settings page by its button. The page may be gone before the click is answered. */
export async function closeSettings(settings: Page): Promise<void> {
  const closed = settings.waitForEvent('close');
  await settings
    .getByTestId('close')
    .click()
    .catch((error: unknown) => {
      if (!settings.isClosed()) throw error;
    });
  await closed;
}

/** The page of a service's kiosk. @throws Error when it shows none now */
export async function kioskPage(service: FaceplateProcess): Promise<AttachedPage> {
  if (runsInElectron(service)) await hasLoaded(service);
  return attachTo(service, (url) => !isOwn(url) && /^(?:https?|data):/.test(url));
}

/** Who attaches to a page that loads can leave it paused up to Electron 34. @throws Error when the page loads now */
async function hasLoaded(service: FaceplateProcess): Promise<void> {
  const { body } = await (await apiOf(service))('/api/remote/page');
  if (body.state === 'loading') throw new Error('The kiosk page loads.');
}

/** The invisible intercom page with microphone, camera and speaker. @throws Error when it is not there now */
export function intercomPage(service: FaceplateProcess): Promise<AttachedPage> {
  return attachTo(service, (url) => url.startsWith('http://intercom.localhost'));
}

/** The page of the keyboard on the screen. @throws Error when it is not there now */
export function keysPage(service: FaceplateProcess): Promise<AttachedPage> {
  return attachTo(service, (url) => url.startsWith('http://keys.glass.localhost'));
}

/** The settings page over the kiosk page, once it is open. */
export async function settingsPageOf(service: FaceplateProcess): Promise<AttachedPage> {
  let found: AttachedPage | undefined;
  await expect(async () => {
    found = await attachTo(service, (url) => url.startsWith('http://settings.localhost'));
  }).toPass({ timeout: 20_000 });
  return found!;
}

/** The page of the layer above the kiosk page, in the same browser, once it is open. */
export async function glassOf(page: Page): Promise<Page> {
  const find = () =>
    page
      .context()
      .pages()
      .find((other) => other.url().startsWith('http://glass.localhost'));
  await expect.poll(() => find() !== undefined).toBe(true);
  return find() as Page;
}

/** Built-in pages are not the kiosk's, nor is the black page on which their windows begin. */
const isOwn = (url: string) =>
  /^http:\/\/(settings|intercom|glass|keys\.glass)\.localhost|^data:text\/html,(<|%3C)body/.test(url);

/** Playwright's global set-up: says which host the run tests, and builds what it runs. */
export default function prepareHost(): void {
  process.stdout.write(`\n*** e2e host: ${hostKind} ***\n`);
  execFileSync(process.execPath, [join(root, 'build/bundle/manage.ts')]);
  if (hostKind === 'electron') execFileSync(process.execPath, [join(root, 'build/bundle/bundle.ts')]);
}

/** Process id of the browser of a service, not of its helpers. @throws Error when it does not run */
export function browserOf(service: FaceplateProcess): number {
  if (runsInElectron(service)) return service.pid!;
  const browser = service.descendants.find(
    ({ command }) => command.includes('--remote-debugging-pipe') && !command.includes('--type='),
  );
  if (browser === undefined) throw new Error('There is no browser.');
  return browser.pid;
}

/** Processes of a service that draw its pages. */
export function renderersOf(service: FaceplateProcess): ProcessInfo[] {
  return service.descendants.filter(({ command }) => command.includes('--type=renderer'));
}

/** Kills what shows the pages: the browser, which is back then, or all that draw where the browser is the service. */
export async function killBrowser(service: FaceplateProcess): Promise<void> {
  if (runsInElectron(service)) return killRenderers(service);
  const starts = () => service.output.match(/^faceplate devtools /gm)?.length ?? 0;
  const before = starts();
  process.kill(browserOf(service), 'SIGKILL');
  await expect.poll(starts, { timeout: BACK_LIMIT_MS }).toBe(before + 1);
}
