import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';

const root = join(import.meta.dirname, '..');

/** What shows the kiosk page in this run: Electron in that of `npm run test:electron` alone. */
export const hostKind = process.env.FACEPLATE_TEST_HOST === 'electron' ? 'electron' : 'chromium';

/** Where Electron is: `npm run test:electron` names a folder, or the package has fetched it. */
const folder = process.env.ELECTRON_OVERRIDE_DIST_PATH || join(root, 'node_modules/electron/dist');

/** The services in Electron that run now, by process id. */
const running = new Map<number, ChildProcess>();
/** Those to whose pages a test has attached. */
const attached = new WeakMap<BrowserContext, ChildProcess>();

/**
 * A screen of its own for all that this process starts: two kiosks on one take the keys from each other.
 * @returns ends it
 */
export async function openScreen(): Promise<() => Promise<void>> {
  const args = ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const [display] = await once(server.stdio[3]!, 'data');
  process.env.DISPLAY = `:${String(display).trim()}`;
  return async () => {
    server.kill();
    await once(server, 'exit');
  };
}

/**
 * Starts the service in Electron, with its sandbox. Not by Playwright's `_electron`: that holds each page from its first
 * document on, and up to Electron 34 a page with a frame of another site then never loads (electron#46048).
 */
export async function startElectron(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const loader = ['-r', join(root, 'e2e/electronLoader.cjs')];
  const child = spawn(join(folder, 'electron'), [...loader, join(root, 'dist/electron/main.js'), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env,
  });
  const { pid } = child;
  if (pid !== undefined) {
    running.set(pid, child);
    child.once('exit', () => running.delete(pid));
  }
  return child;
}

export function runsInElectron({ pid = 0 }: FaceplateProcess): boolean {
  return running.has(pid);
}

/** Notes that a test has attached to the pages of a service; nothing for a service that is not in Electron. */
export function noteAttached({ pid = 0 }: FaceplateProcess, context: BrowserContext): void {
  const child = running.get(pid);
  if (child !== undefined) attached.set(context, child);
}

/**
 * Address of a service in Electron to attach to, once a page is there whose address fits: who attaches while a page is
 * being opened can leave it paused for ever. @throws Error when there is no such page now
 */
export async function devToolsOf(service: FaceplateProcess, isIt: (url: string) => boolean): Promise<string> {
  const devTools = await service.line(/^DevTools listening on (ws\S+)$/);
  const list = await fetch(`http://${new URL(devTools).host}/json/list`);
  const pages = (await list.json()) as { readonly url: string }[];
  if (!pages.some(({ url }) => isIt(url))) throw new Error('Electron shows no such page.');
  return devTools;
}

/** Presses a key of the panel's keyboard. @returns whether the page is in Electron */
export function pressInElectron(
  context: BrowserContext,
  key: { url: string; keyCode: string; modifiers: readonly string[] },
): boolean {
  return attached.get(context)?.send(key) !== undefined;
}

/**
 * Kills the processes that draw the pages of a service in Electron. Not one that is still being forked: Electron 33 ends
 * itself with it. Its zygote cannot fork (child_pid -1), and the main process gets SIGTRAP.
 */
export function killRenderers({ descendants }: FaceplateProcess): void {
  for (const { pid, command } of descendants)
    if (command.includes('--type=renderer') && threadsOf(pid).includes('Compositor')) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

function threadsOf(pid: number): string[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/comm`, 'utf8').trim());
  } catch {
    // The process, or one of its threads, has ended.
    return [];
  }
}

/** Version of the Electron of this run, without what follows its first point. */
export function electronMajor(): number {
  return Number.parseInt(readFileSync(join(folder, 'version'), 'utf8').replace('v', ''), 10);
}
