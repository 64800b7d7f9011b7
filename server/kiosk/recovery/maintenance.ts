import { realpath, stat } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { QuietMoment } from './quietMoment.ts';

const EVERY_MS = 60_000;
/** An update of packages goes on after it has replaced the program: this many looks in a row must find the same file. */
const SETTLED_LOOKS = 10;

interface ReplacedProgramOptions {
  /** The browser's program, as it is started; a link leads to it. */
  readonly program: string;
  readonly clock: Clock;
  readonly quiet: QuietMoment;
  /** The browser runs from files that are not on the disk any more. */
  readonly onReplaced: () => void;
  readonly log: Logger;
}

/**
 * Notices that another version of the browser lies on the disk than the one that runs, as after an upgrade by apt. The old
 * one goes on, with its faults, and may fail when it needs a file of its own version. It is restarted at the next quiet
 * moment.
 */
export class ReplacedProgram {
  readonly #options: ReplacedProgramOptions;
  #cancel: (() => void) | undefined;
  /** What runs; undefined until a browser has begun. */
  #running: string | undefined;
  #found: string | undefined;
  #looks = 0;

  constructor(options: ReplacedProgramOptions) {
    this.#options = options;
  }

  /** A browser is about to be started from what lies there now. */
  async begun(): Promise<void> {
    this.#running = await fileOf(this.#options.program);
    this.#forget();
  }

  start(): void {
    this.#cancel = this.#options.clock.after(EVERY_MS, async () => {
      await this.#look();
      if (this.#cancel !== undefined) this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#forget();
  }

  async #look(): Promise<void> {
    const { program, quiet, onReplaced, log } = this.#options;
    const running = this.#running;
    const found = await fileOf(program);
    // A program that is gone, as in the middle of an upgrade, cannot be started again.
    if (running === undefined || found === undefined || found === running) return this.#forget();
    if (found !== this.#found) {
      this.#found = found;
      this.#looks = 0;
      log.info({ program }, 'another browser lies on the disk than the one that runs');
    }
    this.#looks++;
    if (this.#looks < SETTLED_LOOKS || !(await quiet.isNow())) return;
    if (this.#cancel === undefined || this.#running !== running) return;
    // The next start notes what it starts from; one that fails must not end this again.
    this.#running = found;
    this.#forget();
    log.warn({ program }, 'the browser is restarted because its program was replaced');
    onReplaced();
  }

  #forget(): void {
    this.#found = undefined;
    this.#looks = 0;
  }
}

/** Which file it is: dpkg puts a new one in the place of the old. Undefined where there is none. */
async function fileOf(program: string): Promise<string | undefined> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(await realpath(program), { bigint: true });
    return [dev, ino, size, mtimeNs].join(' ');
  } catch {
    return undefined;
  }
}
