import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/log.ts';
import type { LayerName } from '../../builtInPageContract.ts';
import type { BuiltInPage, LayerPage } from '../../host.ts';
import type { WindowStack } from '../../windowStack.ts';
import type { BrowserLimits } from '../chromiumHostOptions.ts';
import type { FieldWatch } from '../guards/fieldWatch.ts';
import type { LoginGuard } from '../guards/loginGuard.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { BLANK_PAGE, BlankWindow } from './blankWindow.ts';
import { BuiltInWindow } from './builtInWindow.ts';
import type { OpenedWindow, TargetTracker } from './targetTracker.ts';
import type { WindowPlaces } from './windowPlaces.ts';

interface OwnWindowsOptions {
  readonly send: CdpSend;
  readonly logins: LoginGuard;
  readonly fields: FieldWatch;
  readonly targets: TargetTracker;
  readonly places: WindowPlaces;
  readonly stack: WindowStack | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly limits: BrowserLimits;
}

/** What its owner hears of the black window. */
export interface BlankListener {
  /** A real touch, click or key. */
  onTouch(): void;
  onGone(): void;
}

/** What its owner hears of the window of a built-in page. */
export interface BuiltInListener {
  mayRaise(): boolean;
  onGone(): void;
}

/** What its owner hears of a layer's window. */
export interface LayerListener {
  /** @see LayerPage.onReady */
  onReady(): void;
  /** Its document is lost; it is loaded again. */
  onLost(): void;
  onGone(): void;
}

/** The windows of built-in pages and layers, and the black one, in one run of the browser. */
export class OwnWindows {
  readonly #options: OwnWindowsOptions;
  /** By session. */
  readonly #windows = new Map<string, BuiltInWindow>();
  #dark: BlankWindow | undefined;

  constructor(options: OwnWindowsOptions) {
    this.#options = options;
  }

  at(sessionId: string): BuiltInWindow | BlankWindow | undefined {
    return sessionId === this.#dark?.sessionId ? this.#dark : this.#windows.get(sessionId);
  }

  /** The black window of a sleeping panel, while it is open. */
  get dark(): BlankWindow | undefined {
    return this.#dark;
  }

  /** The built-in page over the kiosk page, while there is one. */
  get upper(): BuiltInWindow | undefined {
    return [...this.#windows.values()].find(({ page }) => page.visible);
  }

  /** Origins of the pages that may use camera and microphone. */
  get mediaOrigins(): string[] {
    return [...this.#windows.values()].filter(({ page }) => page.media).map(({ origin }) => origin);
  }

  /** The browser has ended. */
  drop(): void {
    this.#dark?.dropped();
    for (const own of [...this.#windows.values()]) own.dropped();
  }

  /** Opens the black window over everything. @throws Error when the browser fails to */
  async openBlank(listener: BlankListener): Promise<void> {
    const { places, stack } = this.#options;
    const target = await places.open(BLANK_PAGE);
    this.#dark = new BlankWindow({
      ...this.#options,
      ...target,
      fill: async () => {
        await places.adopt('blank', target);
        await places.fill(target);
      },
      onTouch: listener.onTouch,
      onGone: () => {
        this.#dark = undefined;
        stack?.forget('blank');
        listener.onGone();
      },
    });
    await this.#dark.setUp();
  }

  /**
   * Opens the window of a built-in page; resolves when the page has begun to load.
   * @throws Error when the browser fails to; the window is closed then
   */
  async openBuiltIn(
    page: BuiltInPage,
    listener: BuiltInListener,
    kioskTarget: string | undefined,
  ): Promise<BuiltInWindow> {
    const { places, targets } = this.#options;
    // Windows that nothing adopts are out of sight where all of them are bare.
    const target =
      page.visible || places.opensApps
        ? await places.open(places.emptyPage)
        : await targets.openBehind(kioskTarget);
    return this.#open(page, target, listener);
  }

  async #open(
    page: BuiltInPage,
    target: OpenedWindow,
    listener: BuiltInListener & Partial<LayerListener>,
  ): Promise<BuiltInWindow> {
    const { sessionId } = target;
    const { places, fields, stack } = this.#options;
    const role = listener.onReady ? (page.name as LayerName) : page.visible ? 'settings' : undefined;
    const own = new BuiltInWindow({
      ...this.#options,
      ...target,
      page,
      adopt: async () => role && places.adopt(role, target),
      fill: async () => void (await places.fill(target)),
      mayRaise: listener.mayRaise,
      ...(listener.onReady && { onReady: listener.onReady }),
      ...(listener.onLost && { onLost: listener.onLost }),
      onGone: () => {
        this.#windows.delete(sessionId);
        if (role) stack?.forget(role);
        listener.onGone();
      },
    });
    this.#windows.set(sessionId, own);
    if (page.visible || page.name === 'glass') fields.watch(sessionId, sessionId);
    try {
      await own.setUp();
    } catch (error) {
      await own.close();
      throw error;
    }
    return own;
  }

  /**
   * Opens the window of a layer, above all others; resolves when its page has begun to load.
   * @throws Error when the browser fails to; the window is closed then
   */
  async openLayer(page: LayerPage, listener: LayerListener): Promise<BuiltInWindow> {
    const { places, stack } = this.#options;
    const opened = stack?.layerOpens?.();
    try {
      const target = await places.open(places.emptyPage);
      const own = { ...page, visible: false, media: page.name === 'glass' };
      return await this.#open(own, target, { mayRaise: () => false, ...listener });
    } finally {
      opened?.();
    }
  }
}
