import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ReportSite } from '../../../e2e/bare/reportSite.ts';
import { TestScreen } from '../../../server/kiosk/testing/testScreen.ts';
import { asUser, type KioskUser, kioskUser } from '../../../server/platform/privileges.ts';
import { FaceplateProcess } from '../../../server/testing/faceplateProcess.ts';
import type { Bundled } from './bundled.ts';
import type { OpenService } from './onScreen.ts';

const root = join(import.meta.dirname, '../../..');
const PLAIN = join(import.meta.dirname, 'plainElectron.mjs');

/** Electron as a bench runs it. */
export interface ElectronHere {
  readonly program: string;
  /** Whom it runs as where the bench is root: Electron refuses root. */
  readonly user: KioskUser | undefined;
}

/**
 * The Electron that the environment names, the one of the npm package, or the one that the tests have unpacked.
 * @returns why its rows are skipped where there is none that runs
 */
export function findElectron(
  env = process.env,
  uid = process.getuid?.(),
): ElectronHere | { missing: string } {
  const program = foldersOf(env)
    .map((folder) => join(folder, 'electron'))
    .find((path) => existsSync(path));
  if (program === undefined) return { missing: 'skipped without a binary of Electron (docs/electron.md)' };
  if (uid !== 0) return { program, user: undefined };
  const user = kioskUser('nobody');
  const may = (...[word, ...words]: [string, ...string[]]) => {
    const [command, ...args] = asUser(user, word, words);
    return spawnSync(command!, args, { stdio: 'ignore', cwd: '/' }).status === 0;
  };
  for (const path of [program, PLAIN, join(root, 'node_modules/koffi')])
    if (!may('test', '-r', path))
      return {
        missing: `Electron is skipped: it does not run as root, and ${user.name} may not read ${path}`,
      };
  if (!may('unshare', '--user', '--map-root-user', 'true'))
    return { missing: 'Electron is skipped: this machine forbids user namespaces' };
  return { program, user };
}

function foldersOf(env: NodeJS.ProcessEnv): string[] {
  if (env.ELECTRON_OVERRIDE_DIST_PATH) return [env.ELECTRON_OVERRIDE_DIST_PATH];
  const caches = [join(homedir(), '.cache/faceplate'), '/var/cache/faceplate'];
  return [
    join(root, 'node_modules/electron/dist'),
    ...caches.flatMap((cache) => globSync(join(cache, 'electron-*/prepared'))),
  ];
}

/** The bundled service in Electron, not started yet. */
export function electronHost(electron: ElectronHere, { electronMain }: Bundled): OpenService {
  const compiled = join(dirname(electronMain), 'compiled');
  return async (env) => {
    const home = await homeOf(electron);
    await mkdir(compiled, { recursive: true });
    if (electron.user) await chown(compiled, electron.user.uid, electron.user.gid);
    const service = new FaceplateProcess({
      dataDir: join(home, 'data'),
      env: { ...env, FACEPLATE_HOST: 'electron', HOME: home, TMPDIR: home, NODE_COMPILE_CACHE: compiled },
      spawn: async (args, all) =>
        run(electron, [electronMain, ...args], { stdio: ['ignore', 'pipe', 'pipe'], env: all }),
    });
    return {
      service,
      [Symbol.asyncDispose]: async () => {
        await service.stop();
        await remove(home);
      },
    };
  };
}

/** Electron with nothing but a page over the whole screen, for comparison. */
export interface PlainElectron extends AsyncDisposable {
  readonly site: ReportSite;
  readonly pid: number;
  readonly startedAtEpochMs: number;
}

/** @param page what it shows first */
export async function openPlainElectron(
  electron: ElectronHere,
  page = (site: ReportSite) => site.home,
): Promise<PlainElectron> {
  await using stack = new AsyncDisposableStack();
  const site = stack.use(await ReportSite.open());
  const screen = stack.use(await TestScreen.open({ windowManager: true }));
  const home = await homeOf(electron);
  stack.defer(() => remove(home));
  const startedAtEpochMs = performance.timeOrigin + performance.now();
  const child = run(electron, [PLAIN, home, page(site)], {
    stdio: 'ignore',
    env: { ...screen.env, HOME: home, TMPDIR: home },
    detached: true,
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // The whole group: helpers outlive the program long enough to write into its profile.
    process.kill(-child.pid!, 'SIGKILL');
    await once(child, 'exit');
  });
  await once(child, 'spawn');
  const ending = stack.move();
  return { site, pid: child.pid!, startedAtEpochMs, [Symbol.asyncDispose]: () => ending.disposeAsync() };
}

function run({ program, user }: ElectronHere, args: readonly string[], options: SpawnOptions): ChildProcess {
  const [command, ...words] = user ? asUser(user, program, args) : [program, ...args];
  return spawn(command!, words, { cwd: '/', ...options });
}

async function homeOf({ user }: ElectronHere): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'faceplate-electron-'));
  await chmod(home, 0o711);
  if (user) await chown(home, user.uid, user.gid);
  return home;
}

function remove(folder: string): Promise<void> {
  return rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}
