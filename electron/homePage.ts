import type { WebContents } from 'electron';
import { assertNavigationAllowed, mayStay } from '../server/kiosk/navigationPolicy.ts';
import { OpenDialogs } from '../server/kiosk/openDialogs.ts';
import type { PageReport } from '../server/kiosk/recovery/pageReport.ts';
import { PageSupervisor } from '../server/kiosk/recovery/pageSupervisor.ts';
import { defaultLimits } from '../server/kiosk/recovery/recovery.ts';
import type { Clock } from '../server/platform/clock.ts';
import { type ElectronHostOptions, endDrawing, helperMemory } from './electronApi.ts';
import { errorOf, REFUSED_ANSWER } from './guards.ts';
import type { KioskWindow } from './kioskWindow.ts';
import type { PageInjections, PageLogins } from './pageExtras.ts';
import { PageView } from './pageView.ts';

interface HomePageOptions {
  readonly host: ElectronHostOptions;
  readonly window: KioskWindow;
  readonly report: PageReport;
  readonly injections: PageInjections;
  readonly logins: PageLogins;
  readonly clock: Clock;
  readonly isAsleep: () => boolean;
  /** Ends the connections of the page, and lets it know. */
  readonly connectAnew: () => Promise<void>;
  /** @see KioskHost.clearCaches */
  readonly clearCaches: (origin: string) => Promise<void>;
  /** The kiosk page has a new view with an empty document: listen to it. It is sent on when this has resolved. */
  readonly onOpened: (page: WebContents) => Promise<void>;
  /** The document that spoke through the bridge is gone. */
  readonly onDocumentGone: () => void;
  /** Another document, or another view, is shown. */
  readonly onChange: () => void;
}

/** The kiosk page over the life of its views: where it is at home, and what brings it back there. */
export class HomePage {
  readonly #options: HomePageOptions;
  readonly #report: PageReport;
  readonly supervisor: PageSupervisor<PageView>;
  /** What the page asks a person. */
  readonly dialogs: OpenDialogs;
  #address = 'about:blank';
  #zoom = 1;
  /** The host's own page that may be shown. */
  #notice: string | undefined;
  #view: PageView | undefined;
  /** The view may be sent to its page. */
  #opened = Promise.resolve();
  /** How many calls are about to send it there. */
  #goingHome = 0;

  constructor(options: HomePageOptions) {
    this.#options = options;
    this.#report = options.report;
    this.dialogs = new OpenDialogs({ ask: options.host.onDialog, refusals: options.report.refusals });
    const { electron, recoverySettings, certificates, limits, log } = options.host;
    this.supervisor = new PageSupervisor({
      page: {
        home: () => this.#address,
        goHome: () => this.#goHome(),
        reloadFresh: async () => {
          this.dialogs.cancel();
          await this.#give();
          this.#view?.page.reloadIgnoringCache();
        },
        clearCaches: options.clearCaches,
        connectAnew: options.connectAnew,
        showNotice: (url) => this.#showNotice(url),
        visible: () => this.#view,
        isAsleep: options.isAsleep,
        memory: () => helperMemory(electron.app),
        renew: (cause) => this.#renew(cause),
        onHung: (view) => this.#onHung(view),
      },
      report: this.#report,
      recoverySettings,
      certificates,
      clock: options.clock,
      limits: limits ?? defaultLimits,
      log,
    });
  }

  /** Where the page is at home. */
  get address(): string {
    return this.#address;
  }

  /** @throws Error when the policy does not allow it */
  set address(url: string) {
    this.#address = assertNavigationAllowed(this.#options.host.policy, url);
  }

  /** The page that is shown now. */
  get view(): PageView | undefined {
    return this.#view;
  }

  /** Opens the page, at home. */
  async start(): Promise<void> {
    this.#open();
    this.supervisor.heartbeat.start();
    this.supervisor.start();
    await this.#goHome();
  }

  stop(): void {
    this.supervisor.stop();
    this.dialogs.cancel();
    const view = this.#view;
    this.#view = undefined;
    view?.remove();
  }

  /** Shows another page and remembers it. @throws Error when the policy does not allow it */
  async navigate(url: string): Promise<void> {
    this.address = url;
    this.#report.watch.leaving(this.#address);
    this.supervisor.recovery.cancel();
    await this.#goHome();
  }

  async reload(): Promise<void> {
    this.dialogs.cancel();
    await this.#give();
    if (this.#goingHome > 0 || this.#view?.isOnTheWay) await this.#goHome();
    else this.#view?.page.reload();
  }

  zoom(factor: number): void {
    this.#zoom = factor;
    this.#view?.page.setZoomFactor(factor);
  }

  #open(): void {
    const { host, window, clock, onOpened } = this.#options;
    const { recovery, outage } = this.supervisor;
    const isOurs = () => this.#view === view;
    const view: PageView = new PageView({
      window,
      app: host.electron.app,
      preload: host.preload,
      clock,
      dialogs: this.dialogs,
      zoom: () => this.#zoom,
      onDocumentGone: () => isOurs() && this.#documentGone(),
      onArrived: (url, status) => isOurs() && this.#onArrived(url, status),
      onUnreachable: (refusal, url) => {
        if (!isOurs()) return;
        const error = errorOf(view.page);
        if (refusal === REFUSED_ANSWER && error !== undefined) return this.supervisor.refused(url, error);
        outage.refusal =
          refusal === REFUSED_ANSWER ? 'failing' : { sentence: `The page cannot be shown: ${refusal}.` };
        outage.begin();
      },
      onCrashed: () => isOurs() && this.supervisor.hung.bringBack('renderer-crash'),
      onHung: () => isOurs() && this.#onHung(view),
      onClosed: () => {
        if (!isOurs()) return;
        recovery.count('window-closed');
        this.#replace();
      },
      onActivity: () => {
        this.supervisor.touched();
        host.onActivity?.();
      },
      onLoaded: () => {
        if (!isOurs()) return;
        this.#report.watch.drawn();
        this.#report.watch.loaded();
      },
      onStayed: (url) => {
        if (!isOurs()) return;
        this.#report.watch.stayed();
        this.#report.watch.moved(url);
      },
      onTitle: (title) => isOurs() && this.#report.watch.titled(title),
    });
    this.#view = view;
    this.#opened = view.ready.then(() =>
      isOurs() && !view.page.isDestroyed() ? onOpened(view.page) : undefined,
    );
  }

  #documentGone(): void {
    this.dialogs.cancel();
    this.#options.onDocumentGone();
  }

  #replace(): void {
    this.#documentGone();
    this.supervisor.hung.forget();
    this.#open();
    void this.#goHome();
  }

  #onArrived(url: string, status: number): void {
    if (mayStay(this.#options.host.policy, url)) {
      this.supervisor.arrived(url, status);
      if (status >= 400 && this.#view !== undefined && errorOf(this.#view.page) === status)
        this.supervisor.refused(url, status);
      this.#options.onChange();
    } else if (url !== this.#notice) {
      this.supervisor.recovery.count('stray-page');
      this.supervisor.recovery.schedule('stray-page', () => void this.#goHome());
    }
  }

  #onHung(view: PageView): void {
    // When the end of a renderer is never reported, the page gets a new view.
    this.supervisor.hung.end(view, () => {
      if (this.#view !== view) return;
      this.#replace();
      view.remove();
    });
  }

  /** A new view has a new renderer; the old renderer ends with the old view. */
  #renew(cause: 'dead-page' | 'memory' | 'replaced'): void {
    const old = this.#view;
    if (old === undefined) return;
    this.supervisor.recovery.cancel();
    if (cause === 'dead-page') endDrawing(this.#options.host.electron.app);
    this.#replace();
    old.remove();
  }

  /** The view also reports a page that cannot be loaded, and brings it back. */
  async #goHome(): Promise<void> {
    this.#notice = undefined;
    this.dialogs.cancel();
    const view = this.#view;
    this.#goingHome++;
    await this.#opened;
    this.#options.logins.follow();
    await this.#give();
    this.#goingHome--;
    // A view that came meanwhile is sent there by itself.
    if (view !== this.#view) return;
    await view
      ?.load(this.#address)
      .catch((error: Error) => this.#options.host.log.warn({ err: error }, 'kiosk: could not show the page'));
  }

  /** Gives the page the scripts that are due. Never rejects. */
  async #give(): Promise<void> {
    const { injections, host } = this.#options;
    const view = this.#view;
    if (view === undefined || view.page.isDestroyed()) return;
    await injections
      .give(view.page)
      .catch((error: Error) => host.log.warn({ err: error }, 'kiosk: could not add the scripts to the page'));
  }

  async #showNotice(url: string): Promise<void> {
    this.#notice = url;
    this.dialogs.cancel();
    await this.#view
      ?.load(url)
      .catch((error: Error) =>
        this.#options.host.log.debug({ err: error }, 'kiosk: could not show the waiting page'),
      );
  }
}
