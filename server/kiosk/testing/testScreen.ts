import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { countColours, ScreenMemory } from './screenMemory.ts';
import { ScreenWatch } from './screenWatch.ts';
import { until } from './testKiosk.ts';

const run = promisify(execFile);

/** Whether a program is installed here. */
export const isThere = (program: string) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program));
      return true;
    } catch {
      return false;
    }
  });
const missing = ['Xvfb', 'blackbox', 'xdotool'].filter((program) => !isThere(program));

/** Why tests on a real screen are skipped here, or false. */
export const noScreen = missing.length > 0 && `needs ${missing.join(', ')} (Debian: xvfb blackbox xdotool)`;

/** Openbox, of `npm run test:full`, gives a new window its full size before it shows it; the other one afterwards. */
export type WindowManager = boolean | 'openbox';

/** The window manager as on a desk: a click or a new window has the keys, full screen is the whole screen, no bar of its own. */
const WINDOW_MANAGER = `session.screen0.focusModel: ClickToFocus
session.screen0.focusNewWindows: True
session.screen0.focusLastWindow: True
session.screen0.fullMaximization: True
session.screen0.enableToolbar: False
`;
/** Dark frames, and a root window that stays black: tests look for a flash of white. */
const STYLE = `*appearance: flat solid
*backgroundColor: #202020
*borderColor: #202020
*foregroundColor: #808080
*textColor: #808080
`;

/** Its own frames are light, and stand around a new window for some milliseconds. */
const OPENBOX = `<openbox_config xmlns="http://openbox.org/3.4/rc">
<applications><application class="*"><decor>no</decor></application></applications>
</openbox_config>
`;

/** A virtual screen: Xvfb, with or without a window manager; mouse and keyboard are those of the X server. */
export class TestScreen implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];
  /** The folder of the file that the X server draws into. */
  readonly #memory = temporaryFolder('screen');
  display = '';

  /**
   * @param windowManager whether one runs there, or which
   * @param display the X display to use; without it, a free one
   * @param size in pixels, as 1280x800
   */
  static async open({
    windowManager,
    display,
    size = '1280x800',
  }: {
    windowManager: WindowManager;
    display?: string;
    size?: string;
  }): Promise<TestScreen> {
    const screen = new TestScreen();
    // The server writes the number of its display to file descriptor 3 when it is ready.
    const server = spawn(
      'Xvfb',
      [
        ...(display === undefined ? [] : [display]),
        '-displayfd',
        '3',
        '-fbdir',
        screen.#memory,
        '-screen',
        '0',
        `${size}x24`,
        '-ac',
        '-nolisten',
        'tcp',
        '-noreset',
        // It would appear in the pictures.
        '-nocursor',
      ],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
    );
    screen.#children.push(server);
    const [number] = (await once(server.stdio[3]!, 'data')) as [Buffer];
    screen.display = `:${number.toString().trim()}`;
    if (windowManager) {
      screen.#children.push(
        windowManager === 'openbox' ? await screen.#startOpenbox() : await screen.#startBlackbox(),
      );
      // xdotool can only ask for the desktop when a window manager reports it.
      await until(
        () =>
          screen.input('get_desktop').then(
            () => true,
            () => false,
          ),
        'the window manager',
      );
    }
    return screen;
  }

  async #startBlackbox(): Promise<ChildProcess> {
    const settings = join(this.#memory, 'blackboxrc');
    const style = join(this.#memory, 'style');
    await writeFile(style, STYLE);
    await writeFile(settings, `${WINDOW_MANAGER}session.styleFile: ${style}\n`);
    return spawn('blackbox', ['-rc', settings], { env: this.env, stdio: 'ignore' });
  }

  async #startOpenbox(): Promise<ChildProcess> {
    const settings = join(this.#memory, 'rc.xml');
    await writeFile(settings, OPENBOX);
    return spawn('openbox', ['--config-file', settings], { env: this.env, stdio: 'ignore' });
  }

  get #pixels(): string {
    return join(this.#memory, 'Xvfb_screen0');
  }

  get env(): NodeJS.ProcessEnv {
    const { WAYLAND_DISPLAY: _, ...env } = process.env;
    return { ...env, DISPLAY: this.display };
  }

  /** Real input: words of xdotool(1). */
  async input(words: string): Promise<void> {
    await run('xdotool', words.split(' '), { env: this.env });
  }

  /** @returns the colours of the whole screen as #RRGGBB, most frequent first. */
  async colours(): Promise<string[]> {
    using memory = new ScreenMemory(this.#pixels);
    const counts = countColours(memory.lines(0, memory.height));
    return [...counts].sort(([, one], [, other]) => other - one).map(([colour]) => colour);
  }

  /** @returns the colour of one pixel as #RRGGBB */
  colourAt(x: number, y: number): string {
    using memory = new ScreenMemory(this.#pixels);
    const colour = memory.lines(y, 1)[x]! & 0xffffff;
    return `#${colour.toString(16).padStart(6, '0').toUpperCase()}`;
  }

  /** Reads the screen about 100 times a second until it is stopped. */
  watch(): ScreenWatch {
    return new ScreenWatch(this.#pixels);
  }

  /** Another program's window over the whole screen. @param name of the program, as its window says it; without one it says none */
  async openApp(colour: string, name?: string): Promise<AsyncDisposable & { colour: string }> {
    const args = [join(import.meta.dirname, 'appWindow.ts'), colour, ...(name === undefined ? [] : [name])];
    const child = spawn(process.execPath, args, { env: this.env, stdio: 'ignore' });
    return {
      colour: colour.toUpperCase(),
      async [Symbol.asyncDispose]() {
        child.kill();
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const child of this.#children.reverse()) {
      if (child.exitCode !== null) continue;
      child.kill();
      await once(child, 'exit');
    }
    await rm(this.#memory, { recursive: true, force: true });
  }
}
