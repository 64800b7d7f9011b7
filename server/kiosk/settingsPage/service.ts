import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { PageStatus } from '../../contract/settingsPage.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { SettingsWindow, ShownToken } from './driver.ts';
import { PinLock, type PinLockOptions } from './pinLock.ts';

interface SettingsPageOptions extends PinLockOptions {
  readonly window: SettingsWindow;
  readonly token: ShownToken;
  /** The token was rotated: everyone whom the old token let in has to leave. */
  readonly onRotated: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The window, as soon as it is open; undefined when it could not be opened. */
type OpenPage = Promise<{ close(): Promise<void> } | undefined>;

/** A page that is not touched closes after this time, in milliseconds. */
const IDLE_MS = 120_000;

/** The settings page: one at a time, locked until the PIN is entered, closed when it is not used. */
export class SettingsPageService {
  readonly #options: SettingsPageOptions;
  readonly #lock: PinLock;
  #page: OpenPage | undefined;
  #isUnlocked = false;
  #cancelIdle = (): void => {};

  constructor(options: SettingsPageOptions) {
    this.#options = options;
    this.#lock = new PinLock(options);
  }

  async start(): Promise<void> {
    await this.#lock.start();
  }

  async stop(): Promise<void> {
    await this.close();
  }

  /** Whether the PIN was entered since the page was opened. */
  get isUnlocked(): boolean {
    return this.#isUnlocked;
  }

  /** A person at the panel asks for the page. Does nothing while it is open. */
  async open(): Promise<void> {
    if (this.#page !== undefined) return;
    this.#isUnlocked = false;
    const opening = this.#options.window
      .open(() => this.#onGone(opening))
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'the settings page did not open');
        this.#onGone(opening);
        return undefined;
      });
    this.#page = opening;
    this.touch();
    await opening;
  }

  async close(): Promise<ResultOf<'settingsPage.close'>> {
    const page = this.#page;
    this.#onGone(page);
    await (await page)?.close();
    return { status: 'ok' };
  }

  touch(): ResultOf<'settingsPage.touch'> {
    this.#cancelIdle();
    if (this.#page !== undefined)
      this.#cancelIdle = this.#options.clock.after(IDLE_MS, () => {
        this.close().catch((error: unknown) =>
          this.#options.log.warn({ err: error }, 'settings page not closed'),
        );
      });
    return { status: 'ok' };
  }

  status(): PageStatus {
    const { kind, waitSeconds } = this.#lock;
    return { pin: kind, locked: !this.#isUnlocked, waitSeconds };
  }

  /** @throws FaceplateError CONFLICT (there is a PIN), STORAGE_FULL */
  async setPin({ pin }: ParamsOf<'settingsPage.setPin'>): Promise<PageStatus> {
    return this.#unlockAfter(() => this.#lock.set(pin, { first: true }));
  }

  /** @throws FaceplateError FORBIDDEN, RATE_LIMITED, CONFLICT */
  async unlock({ pin }: ParamsOf<'settingsPage.unlock'>): Promise<PageStatus> {
    return this.#unlockAfter(() => this.#lock.check(pin));
  }

  /** @throws FaceplateError CONFLICT (kiosk.pin holds it), STORAGE_FULL */
  async changePin({ pin }: ParamsOf<'settingsPage.changePin'>): Promise<PageStatus> {
    await this.#lock.set(pin, { first: false });
    return this.status();
  }

  showToken(): ResultOf<'token.show'> {
    return this.#options.token.show();
  }

  /** @throws FaceplateError CONFLICT (a setting holds it), STORAGE_FULL */
  rotateToken(): ResultOf<'token.rotate'> {
    const rotated = this.#options.token.rotate();
    this.#options.log.info('the token was rotated');
    this.#options.onRotated();
    return rotated;
  }

  /** A page that was closed while its PIN was checked leaves the next one locked. */
  async #unlockAfter(check: () => Promise<void>): Promise<PageStatus> {
    const page = this.#page;
    await check();
    if (page !== undefined && this.#page === page) this.#isUnlocked = true;
    return this.status();
  }

  #onGone(page: OpenPage | undefined): void {
    if (page === undefined || this.#page !== page) return;
    this.#page = undefined;
    this.#isUnlocked = false;
    this.#cancelIdle();
  }
}
