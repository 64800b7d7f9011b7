import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { silentLogger } from '../../platform/log.ts';
import { asUser, kioskUser } from '../../platform/privileges.ts';
import { SwayIpc } from '../../platform/sway/swayIpc.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from './testKiosk.ts';
import { isThere, noScreen, TestScreen } from './testScreen.ts';

/** Why tests with sway are skipped here, or false. */
export const noSway = noScreen || (!isThere('sway') && 'needs sway (Debian: sway)');

const CONFIG = join(import.meta.dirname, '../../../build/linux/screen/sway.conf');

/**
 * sway with the configuration of the Debian package, in a window that fills a virtual X screen: real pixels, mouse and
 * keys. As root it runs as nobody, because sway refuses root.
 */
export class TestSway implements AsyncDisposable {
  readonly screen: TestScreen;
  readonly ipc: SwayIpc;
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #folder: string;

  private constructor(screen: TestScreen, folder: string, child: ChildProcess) {
    this.screen = screen;
    this.#folder = folder;
    this.#child = child;
    this.pid = child.pid!;
    this.ipc = new SwayIpc({ path: join(folder, 'ipc.sock'), log: silentLogger() });
  }

  static async open(): Promise<TestSway> {
    const screen = await TestScreen.open({ windowManager: false });
    const folder = temporaryFolder('sway');
    const user = process.getuid?.() === 0 ? kioskUser('nobody') : undefined;
    if (user) await chown(folder, user.uid, user.gid);
    // Whoever may come here may use the screen.
    await chmod(folder, 0o711);
    const config = (await readFile(CONFIG, 'utf8')).replace(
      /^include .*$/m,
      'output X11-1 mode --custom 1280x800',
    );
    await writeFile(join(folder, 'sway.conf'), config, { mode: 0o644 });
    const words = ['--config', join(folder, 'sway.conf')];
    const [program, ...args] = user ? asUser(user, 'sway', words) : ['sway', ...words];
    const env = {
      PATH: process.env.PATH,
      HOME: folder,
      DISPLAY: screen.display,
      XDG_RUNTIME_DIR: folder,
      SWAYSOCK: join(folder, 'ipc.sock'),
      WLR_BACKENDS: 'x11',
      WLR_RENDERER: 'pixman',
    };
    const child = spawn(program!, args, { env, stdio: 'ignore', cwd: '/' });
    await once(child, 'spawn');
    const sway = new TestSway(screen, folder, child);
    await sway.ipc.start();
    await until(() => sway.ipc.isUp, 'sway');
    return sway;
  }

  /** What a program needs to show itself here. */
  get env(): NodeJS.ProcessEnv {
    const { DISPLAY: _, ...env } = process.env;
    return { ...env, WAYLAND_DISPLAY: join(this.#folder, 'wayland-1'), XDG_SESSION_TYPE: 'wayland' };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.ipc.stop();
    this.#child.kill();
    if (this.#child.exitCode === null && this.#child.signalCode === null) await once(this.#child, 'exit');
    await this.screen[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
