import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestScreen } from '../../../server/kiosk/testing/testScreen.ts';

/** How long the screen may take to show what is waited for, in milliseconds. */
const LIMIT_MS = 30_000;

/** Clicks on a screen from one xdotool that runs all the time: the start of a process is no part of a touch. */
export class Touches {
  readonly #xdotool: ChildProcessByStdio<Writable, null, null>;

  constructor(screen: TestScreen) {
    this.#xdotool = spawn('xdotool', ['-'], { env: screen.env, stdio: ['pipe', 'ignore', 'ignore'] });
  }

  /** Moves there, and clicks a moment later. @returns when it was pressed, on the clock of `performance` */
  async click(x: number, y: number): Promise<number> {
    this.#xdotool.stdin.write(`mousemove ${Math.round(x)} ${Math.round(y)}\n`);
    // What the page does because of the pointer alone is over by then.
    await sleep(200);
    const at = performance.now();
    this.#xdotool.stdin.write('click 1\n');
    return at;
  }

  async end(): Promise<void> {
    this.#xdotool.stdin.end();
    if (this.#xdotool.exitCode === null) await once(this.#xdotool, 'exit');
  }
}

/**
 * Waits until a pixel of the screen has a colour, or has it no more.
 * @returns when that was seen, on the clock of `performance`
 * @throws Error when it does not come
 */
export async function painted(
  screen: TestScreen,
  [x, y]: readonly [number, number],
  colour: string,
  isThere = true,
): Promise<number> {
  const began = performance.now();
  while ((screen.colourAt(x, y) === colour) !== isThere) {
    if (performance.now() - began > LIMIT_MS)
      throw new Error(`The screen does not show ${isThere ? '' : 'the end of '}${colour} at ${x}, ${y}.`);
    await sleep(1);
  }
  return performance.now();
}
