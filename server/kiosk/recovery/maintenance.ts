import { realpath, stat } from 'node:fs/promises';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';

// When the browser is restarted although its page works: it uses too much memory, or its program was replaced.

/** How often memory and program are checked, in milliseconds. */
const EVERY_MS = 60_000;
/** A panel whose last touch is more recent than this is in use, in milliseconds. */
const IN_USE_MS = 5 * 60_000;
/** Beyond this share of the limit the restart does not wait for the maintenance window. */
const URGENT = 1.5;
/**
 * Shortest time between two restarts, in milliseconds: a page that simply needs this much must not be restarted all the
 * time.
 */
const RESTART_EVERY_MS = 6 * 60 * 60_000;
const URGENT_EVERY_MS = 10 * 60_000;
const MIB = 1024 * 1024;
/** An update of packages continues after it has replaced the program: this many checks in a row must find the same file. */
const SETTLED_CHECKS = 10;

interface MaintenanceWindowOptions {
  readonly clock: Clock;
  /** Local time. */
  readonly date: () => Date;
  /** The hour of the day, local time, in which a restart of the browser disturbs no one. */
  readonly quietHour: () => number;
  readonly isAsleep: () => boolean;
  /** Whether the intercom has a call, or one rings. */
  readonly isInCall: () => Promise<boolean>;
}

/**
 * The time in which a restart of the browser disturbs no one: the panel sleeps, or it is the quiet hour and no one has
 * touched it for five minutes; and there is no call.
 */
export class MaintenanceWindow {
  readonly #options: MaintenanceWindowOptions;
  #touchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: MaintenanceWindowOptions) {
    this.#options = options;
  }

  /** A person uses the panel. */
  touched(): void {
    this.#touchedAt = this.#options.clock.now();
  }

  /** Never rejects. */
  async isOpen(): Promise<boolean> {
    const { clock, date, quietHour, isAsleep, isInCall } = this.#options;
    const isUnused = date().getHours() === quietHour() && clock.now() - this.#touchedAt >= IN_USE_MS;
    if (!isAsleep() && !isUnused) return false;
    // Where that is unknown, there may be a call.
    return !(await isInCall().catch(() => true));
  }
}

/** Runs a check again and again, each time that long after the one before has ended. */
export class RepeatedCheck {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #check: () => Promise<void>;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, everyMs: number, check: () => Promise<void>) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#check = check;
  }

  /** Whether it runs: a check that was stopped meanwhile must not act. */
  get isOn(): boolean {
    return this.#cancel !== undefined;
  }

  start(): void {
    this.#cancel = this.#clock.after(this.#everyMs, async () => {
      await this.#check();
      if (this.isOn) this.start();
    });
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

interface MemoryWatch {
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  used(): Promise<number | undefined>;
  /** The browser uses too much memory. */
  onExceeded(): void;
}

interface MemoryWatchdogOptions {
  readonly clock: Clock;
  /** In MiB; 0 = no limit. Read every minute. */
  readonly limit: () => number;
  readonly window: MaintenanceWindow;
  readonly watch: MemoryWatch;
  readonly log: Logger;
}

/**
 * Notices when the browser uses more memory than it may. It acts in the next maintenance window, and at once beyond
 * 150 % of the limit, before the kernel has to choose a process to kill.
 */
export class MemoryWatchdog {
  readonly #options: MemoryWatchdogOptions;
  readonly #checks: RepeatedCheck;
  #actedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(options: MemoryWatchdogOptions) {
    this.#options = options;
    this.#checks = new RepeatedCheck(options.clock, EVERY_MS, () => this.#check());
  }

  start(): void {
    this.#checks.start();
  }

  stop(): void {
    this.#checks.stop();
    this.#isOver = false;
  }

  async #check(): Promise<void> {
    const { limit, window, watch, log, clock } = this.#options;
    const most = limit() * MIB;
    const used = most === 0 ? undefined : await watch.used().catch(() => undefined);
    if (!this.#checks.isOn || used === undefined) return;
    const wasOver = this.#isOver;
    this.#isOver = used > most;
    if (!this.#isOver) return;
    const sizes = { usedMiB: Math.round(used / MIB), limitMiB: limit() };
    if (!wasOver) log.warn(sizes, 'browser: memory is over kiosk.memoryLimit');
    const since = clock.now() - this.#actedAt;
    const isUrgent = used > most * URGENT;
    if (since < (isUrgent ? URGENT_EVERY_MS : RESTART_EVERY_MS)) return;
    if (!isUrgent && !(await window.isOpen())) return;
    if (!this.#checks.isOn) return;
    this.#actedAt = clock.now();
    this.#isOver = false;
    log.warn(sizes, 'browser: restarting because of its memory');
    watch.onExceeded();
  }
}

interface BrowserUpgradeOptions {
  /** The browser's program, as it is started; a link leads to it. */
  readonly program: string;
  readonly clock: Clock;
  readonly window: MaintenanceWindow;
  /** The browser runs from files that are not on the disk any more. */
  readonly onReplaced: () => void;
  readonly log: Logger;
}

/**
 * Notices that another version of the browser is on the disk than the one that runs, as after an upgrade by apt. The old
 * one continues, with its faults, and may fail when it needs a file of its own version. It is restarted in the next
 * maintenance window.
 */
export class BrowserUpgradeWatcher {
  readonly #options: BrowserUpgradeOptions;
  readonly #checks: RepeatedCheck;
  /** What runs; undefined until a browser has begun. */
  #running: string | undefined;
  #found: string | undefined;
  #times = 0;

  constructor(options: BrowserUpgradeOptions) {
    this.#options = options;
    this.#checks = new RepeatedCheck(options.clock, EVERY_MS, () => this.#check());
  }

  /** A browser is about to be started from what is on the disk now. */
  async begun(): Promise<void> {
    this.#running = await fileOf(this.#options.program);
    this.#forget();
  }

  start(): void {
    this.#checks.start();
  }

  stop(): void {
    this.#checks.stop();
    this.#forget();
  }

  async #check(): Promise<void> {
    const { program, window, onReplaced, log } = this.#options;
    const running = this.#running;
    const found = await fileOf(program);
    // A program that is gone, as in the middle of an upgrade, cannot be started again.
    if (running === undefined || found === undefined || found === running) return this.#forget();
    if (found !== this.#found) {
      this.#found = found;
      this.#times = 0;
      log.info({ program }, 'browser: a different browser was installed, the old one still runs');
    }
    this.#times++;
    if (this.#times < SETTLED_CHECKS || !(await window.isOpen())) return;
    if (!this.#checks.isOn || this.#running !== running) return;
    // The next start notes what it starts from; one that fails must not end this again.
    this.#running = found;
    this.#forget();
    log.warn({ program }, 'browser: restarting, its program was replaced');
    onReplaced();
  }

  #forget(): void {
    this.#found = undefined;
    this.#times = 0;
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
