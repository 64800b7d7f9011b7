import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { panelUrl, reachableAddresses, type WebPorts } from '../../platform/net/addresses.ts';
import type { PanelOnScreen } from '../recovery/waitingPage.ts';
import type { PageStatus, PanelFacts, SetupStep } from './contract.ts';
import type { FindPages } from './findPages.ts';
import { FirstSetup, type FirstSetupOptions } from './firstSetup.ts';
import { PinLock, type PinLockOptions } from './pinLock.ts';

/** What the settings page needs from the panel. */
export interface SettingsWindow {
  /** Shows the page over the kiosk page; `onGone` reports that it ended without a request. */
  open(onGone: () => void): Promise<{ close(): Promise<void> }>;
}

/** The token of the API, as the settings page may see and change it. */
interface ShownToken {
  show(): { token: string; held: boolean };
  rotate(): { token: string };
}

interface SettingsPageOptions extends PinLockOptions {
  readonly setup: Pick<FirstSetupOptions, 'isWanted' | 'isFresh'>;
  readonly window: SettingsWindow;
  readonly token: ShownToken;
  readonly pages: FindPages;
  /** The address of `/manage/` for other machines; null where none gets there. */
  readonly manageUrl: () => string | null;
  /** The token was rotated: everyone whom the old token let in has to leave. */
  readonly onRotated: () => void;
}

/** The window, as soon as it is open; undefined when it could not be opened. */
type OpenPage = Promise<{ close(): Promise<void> } | undefined>;

/**
 * How long after its start, or after its first set-up showed its code, the panel lets a person in front of it choose the
 * first PIN, in milliseconds. Who starts it is there then; who comes by later is not to become its owner.
 */
export const FIRST_PIN_MS = 10 * 60_000;
/** A page that is not touched closes after this time, in milliseconds. */
const IDLE_MS = 120_000;
/** The hint closes by itself after this time, in milliseconds. */
const HINT_MS = 15_000;

/** The settings page: one at a time, locked until the PIN is entered, closed when it is not used. */
export class SettingsPageService {
  readonly #options: SettingsPageOptions;
  readonly #lock: PinLock;
  readonly #setup: FirstSetup;
  #mode: PageStatus['mode'] = 'settings';
  #onCover = (): void => {};
  #page: OpenPage | undefined;
  #isUnlocked = false;
  /** When the time for the first PIN began. */
  #attendedAt = 0;
  /** When the page was opened last. */
  #openedAt = 0;
  /** The first set-up should be on the screen, and no person has left it. */
  #isSetupDue = false;
  #cancelIdle = (): void => {};

  /** What the panel could show. */
  readonly pages: FindPages;

  constructor(options: SettingsPageOptions) {
    this.pages = options.pages;
    this.#options = options;
    this.#lock = new PinLock(options);
    const { setup, dataDir, clock, log } = options;
    this.#setup = new FirstSetup({ ...setup, dataDir, clock, log });
  }

  async start(): Promise<void> {
    this.#attendedAt = this.#openedAt = this.#options.clock.now();
    await this.#lock.start();
    await this.#setup.start();
  }

  async stop(): Promise<void> {
    await this.#setup.stop();
    await this.close();
  }

  /**
   * Whether the PIN was entered since the page was opened. The first set-up needs none as long as there is none: a person
   * at the panel could set it.
   */
  get isUnlocked(): boolean {
    return this.#isUnlocked || this.isFirstSetup;
  }

  /** Whether the first set-up is on the screen while there is no PIN. */
  get isFirstSetup(): boolean {
    return this.#isSettingUp && this.isPinMissing;
  }

  get isPinMissing(): boolean {
    return this.#lock.kind === 'missing';
  }

  /** Opens the first set-up when there is one to do; the start of the panel calls it once its window is up. */
  async openSetup(): Promise<void> {
    this.#isSetupDue = this.#setup.step !== null;
    if (this.#isSetupDue) await this.open('setup');
  }

  /** The browser runs again, or late for the first time: opens the first set-up that no person could see or leave. */
  async browserBack(): Promise<void> {
    if (this.#isSetupDue) await this.openSetup();
  }

  /** A pairing code is on the glass. Of the first set-up: somebody is there to see it. */
  codeShown(): void {
    if (this.isFirstSetup) this.#attendedAt = this.#options.clock.now();
  }

  /** A project is on the screen: at its first picture ever, the panel says how the settings are opened. */
  projectShown(): void {
    this.#setup.projectShown(() => void this.open('hint'));
  }

  /** Whether it covers the kiosk page. */
  get isOpen(): boolean {
    return this.#page !== undefined;
  }

  /** Calls back when it has opened or closed. One listener. */
  onCover(listener: () => void): void {
    this.#onCover = listener;
  }

  /** A person at the panel asks for the page. A hint makes way; otherwise it does nothing while it is open. */
  async open(mode: PageStatus['mode'] = 'settings'): Promise<void> {
    if (mode === 'settings' && this.#page !== undefined && this.#mode === 'hint') await this.close();
    if (this.#page !== undefined) return;
    this.#isUnlocked = false;
    this.#openedAt = this.#options.clock.now();
    this.#mode = mode;
    const opening = this.#options.window
      .open(() => this.#onGone(opening))
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'kiosk: could not open the settings page');
        this.#onGone(opening);
        return undefined;
      });
    this.#page = opening;
    this.#onCover();
    this.touch();
    await opening;
  }

  async close(): Promise<void> {
    const page = this.#page;
    this.#isSetupDue = false;
    this.#onGone(page);
    await (await page)?.close();
  }

  /** The page asks to be closed. It is answered first: its call would end with it. */
  leave(): ResultOf<'settingsPage.close'> {
    setImmediate(() => this.#closeUnasked());
    return { status: 'ok' };
  }

  touch(): ResultOf<'settingsPage.touch'> {
    this.#cancelIdle();
    // A set-up that waits for a person waits as long as it has to; behind a PIN it closes like the settings.
    if (this.#page !== undefined && !this.isFirstSetup)
      this.#cancelIdle = this.#options.clock.after(this.#mode === 'hint' ? HINT_MS : IDLE_MS, () =>
        this.#closeUnasked(),
      );
    return { status: 'ok' };
  }

  status(): PageStatus {
    const { kind, waitSeconds } = this.#lock;
    return {
      mode: this.#mode,
      setupStep: this.#setup.step,
      pin: kind === 'missing' && !this.#mayChoosePin ? 'closed' : kind,
      locked: !this.isUnlocked,
      waitSeconds,
      manageUrl: this.#options.manageUrl(),
    };
  }

  pinState(): ResultOf<'pin.state'> {
    return { pin: this.#lock.kind, chosenAt: this.#lock.chosenAt };
  }

  /** @throws FaceplateError FORBIDDEN (the panel started too long ago), CONFLICT (there is a PIN), STORAGE_FULL */
  async setPin({ pin }: ParamsOf<'settingsPage.setPin'>): Promise<PageStatus> {
    if (this.isPinMissing && !this.#mayChoosePin)
      throw new FaceplateError(
        'FORBIDDEN',
        'The first PIN is chosen within 10 minutes after the start of the panel. Restart it, or choose one in a browser.',
      );
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

  /** The first set-up asks for the other steps alone. @throws FaceplateError STORAGE_FULL */
  noteGiven(steps: readonly SetupStep[]): Promise<void> {
    return this.#setup.noteGiven(steps);
  }

  /** @throws FaceplateError STORAGE_FULL */
  async noteSetup({ step }: ParamsOf<'settingsPage.setup'>): Promise<PageStatus> {
    await this.#setup.note(step);
    return this.status();
  }

  showToken(): ResultOf<'token.show'> {
    return this.#options.token.show();
  }

  /** @throws FaceplateError CONFLICT (a setting holds it), STORAGE_FULL */
  rotateToken(): ResultOf<'token.rotate'> {
    const rotated = this.#options.token.rotate();
    this.#options.log.info('access: token rotated');
    this.#options.onRotated();
    return rotated;
  }

  /** The first set-up waits for its person as long as it has to. */
  get #mayChoosePin(): boolean {
    return this.#openedAt - this.#attendedAt < FIRST_PIN_MS || this.#isSettingUp;
  }

  get #isSettingUp(): boolean {
    return this.#page !== undefined && this.#mode === 'setup' && this.#setup.step !== null;
  }

  #closeUnasked(): void {
    this.close().catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'kiosk: could not close the settings page'),
    );
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
    this.#onCover();
  }
}

/** What the panel knows of itself: its name, its ports, and the like. */
type Own = Pick<PanelFacts, 'name' | 'language' | 'versions'> & { readonly web: WebPorts };

/** The network addresses of this panel, and what runs on it. */
export function panelFacts({ web, ...own }: Own): PanelFacts {
  const port = web.securePort ?? web.port;
  return { ...own, port, addresses: reachableAddresses(), url: panelUrl(web) };
}

/** The address of `/manage/` on the network; null where no other machine can reach it. */
export function manageUrlOf(web: WebPorts): string | null {
  return reachableAddresses().length === 0 ? null : `${panelUrl(web)}/manage/`;
}

/** What the waiting page says about this panel. */
export function panelOnScreen({
  name,
  language,
  web,
}: Pick<Own, 'name' | 'language' | 'web'>): PanelOnScreen {
  return { name, language, manageUrl: manageUrlOf(web) };
}
