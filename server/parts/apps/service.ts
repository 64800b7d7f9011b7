import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue } from '../../platform/async.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { Device } from '../device.ts';
import type { AppEntry } from './contract.ts';
import type { AppsDriver } from './driver.ts';

interface AppsOptions {
  /** null when the board has no packages. */
  readonly driver: AppsDriver | null;
  readonly events: EventBus;
  readonly log: Logger;
  /** Called when the last package that was launched has ended: the host brings the kiosk to the front. */
  readonly onEnded?: () => void;
  readonly clock?: Clock;
}

/**
 * A package manager changes many files at once: the list is read once they have been quiet for this long, in
 * milliseconds.
 */
const SETTLE_MS = 500;

/** Lists, starts, installs and removes the programs of the panel. Installs and removes one at a time. */
export class AppsService {
  readonly #part: Device<AppsDriver>;
  readonly #events: EventBus;
  readonly #log: Logger;
  readonly #onEnded: (() => void) | undefined;
  readonly #clock: Clock;
  readonly #queue = new CallQueue();
  /** By package name. */
  #entries: AppEntry[] = [];
  /** Number of the newest reading of the list, so that an older one that ends later changes nothing. */
  #reading = 0;
  #running = 0;
  #started = false;
  #unwatch: (() => void) | undefined;
  #cancelRefresh: (() => void) | undefined;

  constructor({ driver, events, log, onEnded, clock = systemClock }: AppsOptions) {
    this.#part = new Device('package management', driver, log);
    this.#events = events;
    this.#log = log;
    this.#onEnded = onEnded;
    this.#clock = clock;
  }

  async start(): Promise<void> {
    await this.#part.start();
    if (this.#part.present) await this.#refreshQuietly();
    this.#started = true;
    this.#watch();
  }

  /** Ends the running packages. A running installation is not cut short: it ends on its own. */
  async stop(): Promise<void> {
    this.#started = false;
    this.#cancelRefresh?.();
    this.#cancelRefresh = undefined;
    this.#unwatch?.();
    this.#unwatch = undefined;
    await this.#part.stop();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** The list as last read; undefined when the board has no packages. */
  snapshot(): AppEntry[] | undefined {
    return this.#part.present ? byLabel(this.#entries) : undefined;
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async list(): Promise<ResultOf<'apps.list'>> {
    return { apps: byLabel(await this.#refresh()) };
  }

  /** @throws FaceplateError PACKAGE_NOT_FOUND, UNSUPPORTED_HARDWARE, HARDWARE_ERROR (the program does not start) */
  async launch({ packageName }: ParamsOf<'apps.launch'>): Promise<ResultOf<'apps.launch'>> {
    this.#running += 1;
    try {
      await this.#part.use((driver) => driver.launch(packageName, () => this.#ended(packageName)));
    } catch (error) {
      this.#running -= 1;
      throw error;
    }
    this.#log.info({ packageName }, 'apps: package launched');
    return { status: 'launched' };
  }

  /**
   * @throws FaceplateError FORBIDDEN (outside the install folder, or Faceplate itself), NOT_FOUND, INVALID_REQUEST
   * (no package file), CONFLICT (would remove other packages), STORAGE_FULL, UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async install(
    { path }: ParamsOf<'apps.install'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'apps.install'>> {
    const packageName = await this.#change(signal, (driver) => driver.install(path));
    this.#log.info({ packageName }, 'apps: package installed');
    return { status: 'installed', packageName };
  }

  /**
   * @throws FaceplateError FORBIDDEN (system package), PACKAGE_NOT_FOUND, CONFLICT (would remove other packages),
   * UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async uninstall(
    { packageName }: ParamsOf<'apps.uninstall'>,
    { signal }: CallContext,
  ): Promise<ResultOf<'apps.uninstall'>> {
    await this.#change(signal, (driver) => driver.uninstall(packageName));
    this.#log.info({ packageName }, 'apps: package uninstalled');
    return { status: 'uninstalled' };
  }

  #change<T>(signal: AbortSignal, work: (driver: AppsDriver) => Promise<T>): Promise<T> {
    return this.#queue.run(signal, async () => {
      try {
        return await this.#part.use(work);
      } finally {
        // A change that failed half-way may still have changed the list.
        if (this.#started) await this.#refreshQuietly();
        this.#watch();
      }
    });
  }

  #ended(packageName: string): void {
    this.#running -= 1;
    this.#log.info({ packageName }, 'apps: package stopped');
    if (this.#running === 0 && this.#started) this.#onEnded?.();
  }

  /** Starts to watch, or starts again: an installation may have made new folders, which are watched from then on. */
  #watch(): void {
    if (!this.#started || !this.#part.present) return;
    this.#unwatch?.();
    this.#unwatch = this.#part.driver?.watch(() => {
      this.#cancelRefresh?.();
      this.#cancelRefresh = this.#clock.after(SETTLE_MS, () => void this.#refreshQuietly());
    });
  }

  async #refreshQuietly(): Promise<void> {
    await this.#refresh().catch((error: unknown) => {
      this.#log.warn({ err: error }, 'apps: could not read the installed packages');
    });
  }

  /** Reads the list and announces it when it differs from the one before. */
  async #refresh(): Promise<AppEntry[]> {
    this.#reading += 1;
    const reading = this.#reading;
    const entries = await this.#part.use((driver) => driver.list());
    entries.sort((one, other) => (one.packageName < other.packageName ? -1 : 1));
    if (reading === this.#reading && JSON.stringify(entries) !== JSON.stringify(this.#entries)) {
      this.#entries = entries;
      if (this.#started) this.#events.emit('apps', byLabel(entries));
    }
    return entries;
  }
}

/** Only for who asks: the first comparison of texts by language takes 7 ms, which the start would have to wait for. */
function byLabel(entries: readonly AppEntry[]): AppEntry[] {
  return [...entries].sort(
    (one, other) => one.label.localeCompare(other.label) || one.packageName.localeCompare(other.packageName),
  );
}
