import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import type { PageStatus } from '../../contract/settingsPage.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import type { SettingsWindow, ShownToken } from './driver.ts';
import { PinLock, type PinLockOptions } from './pinLock.ts';

export interface SettingsPageOptions extends PinLockOptions {
  readonly window: SettingsWindow;
  readonly token: ShownToken;
  /** The token was rotated: whoever is let in by the old one has to go. */
  readonly onRotated: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The window, as soon as it is open; undefined where it could not be opened. */
type OpenPage = Promise<{ close(): Promise<void> } | undefined>;

/** A page that nobody touches closes after this time, in milliseconds. */
const IDLE_MS = 120_000;

/** The settings page: one at a time, locked until the PIN is given, gone when nobody uses it. */
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

  /** Whether the PIN was given since the page was opened. */
  get isUnlocked(): boolean {
    return this.#isUnlocked;
  }

  /** Somebody at the panel calls for the page. Does nothing while it is open. */
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

  async close(): Promise<ResultOf<'page.close'>> {
    const page = this.#page;
    this.#onGone(page);
    await (await page)?.close();
    return { status: 'ok' };
  }

  touch(): ResultOf<'page.touch'> {
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
  async setPin({ pin }: ParamsOf<'page.setPin'>): Promise<PageStatus> {
    return this.#unlockAfter(() => this.#lock.set(pin, { first: true }));
  }

  /** @throws FaceplateError FORBIDDEN, RATE_LIMITED, CONFLICT */
  async unlock({ pin }: ParamsOf<'page.unlock'>): Promise<PageStatus> {
    return this.#unlockAfter(() => this.#lock.check(pin));
  }

  /** @throws FaceplateError CONFLICT (kiosk.pin holds it), STORAGE_FULL */
  async changePin({ pin }: ParamsOf<'page.changePin'>): Promise<PageStatus> {
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

  /** A page that was closed while its PIN was checked stays locked for the next one. */
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
