import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
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
const missing = ['Xvfb', 'openbox', 'xdotool'].filter((program) => !isThere(program));

/** Why tests on a real screen are skipped here, or false. */
export const noScreen = missing.length > 0 && `needs ${missing.join(', ')} (Debian: xvfb openbox xdotool)`;

/** A virtual screen: Xvfb, with or without a window manager; mouse and keyboard are those of the X server. */
export class TestScreen implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];
  /** The folder of the file that the X server draws into. */
  readonly #memory = mkdtempSync(join(tmpdir(), 'faceplate-screen-'));
  display = '';

  /**
   * @param display the X display to use; without it, a free one
   * @param size in pixels, as 1280x800
   */
  static async open({
    windowManager,
    display,
    size = '1280x800',
  }: {
    windowManager: boolean;
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
      screen.#children.push(spawn('openbox', [], { env: screen.env, stdio: 'ignore' }));
      // xdotool can only ask for the desktop when a window manager reports it.
      await until(
        () =>
          screen.input('get_desktop').then(
            () => true,
            () => false,
          ),
        'openbox',
      );
    }
    return screen;
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

  /** Another program's window over the whole screen. */
  async openApp(colour: string): Promise<AsyncDisposable & { colour: string }> {
    const child = spawn(process.execPath, [join(import.meta.dirname, 'appWindow.ts'), colour], {
      env: this.env,
      stdio: 'ignore',
    });
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
