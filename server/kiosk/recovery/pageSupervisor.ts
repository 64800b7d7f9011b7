import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import type { HostCertificates, RecoverySettings } from '../host.ts';
import { BrokenPage, DeadPageCheck, type DeadPageWatch } from './deadPageCheck.ts';
import { Heartbeat, HungPage, type Patient } from './heartbeat.ts';
import { BrowserUpgradeWatcher, MaintenanceWindow, MemoryWatchdog } from './maintenance.ts';
import type { PageReport } from './pageReport.ts';
import { onWorldChange, PageUnreachable } from './pageUnreachable.ts';
import type { LookedAtPage } from './pageWatch.ts';
import { Recovery, type RecoveryLimits } from './recovery.ts';

/** A page that can be looked at and asked for a sign of life. */
type AskedPage = Patient & LookedAtPage & NonNullable<ReturnType<DeadPageWatch['page']>>;

/** What a host offers to its page supervisor. */
interface KeptPage<P extends AskedPage> {
  /** The page that should be on the screen. */
  home(): string;
  goHome(): Promise<void>;
  /** Loads the page again without the browser's cache. */
  reloadFresh(): Promise<void>;
  /** Ends the page's connections and tells it that the network is there again. */
  connectAnew(): Promise<void>;
  /** @see KioskHost.clearCaches */
  clearCaches(origin: string): Promise<void>;
  /** Shows one of the host's own pages; never fails. */
  showNotice(url: string): Promise<void>;
  /** The page that can be looked at, while its window is open. */
  visible(): P | undefined;
  isAsleep(): boolean;
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  memory(): Promise<number | undefined>;
  /** Starts a new browser, or as much of it as the host can renew, and shows the page in it. */
  renew(cause: 'dead-page' | 'memory' | 'replaced'): void;
  /** The browser's program, where the system may put another one in its place. */
  readonly program?: string;
  /** The page gives no sign of life: `hung.end` ends it. */
  onHung(page: P): void;
}

interface PageSupervisorOptions<P extends AskedPage> {
  readonly page: KeptPage<P>;
  readonly report: PageReport;
  readonly recoverySettings: RecoverySettings;
  readonly certificates: HostCertificates;
  readonly clock: Clock;
  readonly limits: RecoveryLimits;
  readonly log: Logger;
}

/** Keeps the page on the screen: what every host does about unreachable, hung and dead pages, and memory. */
export class PageSupervisor<P extends AskedPage> {
  readonly recovery: Recovery;
  readonly outage: PageUnreachable;
  readonly hung: HungPage;
  /** The host starts it as soon as a page should answer; the supervisor's `stop` stops it. */
  readonly heartbeat: Heartbeat<P>;
  readonly #deadPage: DeadPageCheck;
  readonly #broken: BrokenPage;
  #unwatch = (): void => {};
  readonly #watchWorld: () => void;
  readonly #window: MaintenanceWindow;
  readonly #memory: MemoryWatchdog;
  readonly #upgrade: BrowserUpgradeWatcher | undefined;
  readonly #page: KeptPage<P>;
  readonly #report: PageReport;

  constructor(options: PageSupervisorOptions<P>) {
    const { page, report, recoverySettings, certificates, clock, limits, log } = options;
    this.#page = page;
    this.#report = report;
    this.recovery = new Recovery(limits, clock, log, (cause) => {
      // It has failed, and stays so.
      if (this.outage.isRefused) return;
      const rests = cause === 'dead-page' && this.outage.isOn;
      if (cause === 'page-unreachable' || rests) report.waiting(rests);
      else report.watch.lost();
    });
    const { recovery } = this;
    this.outage = new PageUnreachable({
      clock,
      recovery,
      certificates,
      panel: () => recoverySettings.panel(),
      refusedMs: limits.refusedMs,
      retryMs: limits.backoff['page-unreachable'].maxMs,
      home: () => page.home(),
      goHome: () => page.goHome(),
      showNotice: (url) => page.showNotice(url),
    });
    this.hung = new HungPage({ recovery, limits, clock, goHome: () => page.goHome() });
    this.heartbeat = new Heartbeat(limits, clock, {
      patient: () => (this.#hasPulse ? page.visible() : undefined),
      onHung: (hung) => page.onHung(hung),
    });
    this.#deadPage = new DeadPageCheck(clock, {
      page: () => {
        return recoverySettings.deadPageCheck() ? this.shown : undefined;
      },
      // A new page first; when that does not help, a new browser.
      onDead: (attempt) => {
        recovery.count('dead-page');
        if (attempt > 1) page.renew('dead-page');
        else recovery.schedule('dead-page', () => void page.goHome());
      },
    });
    this.#broken = new BrokenPage({
      clock,
      log,
      state: () => report.watch.state,
      fault: () => report.watch.fault,
      hasContent: async () => (await this.shown?.content()) !== '',
      reload: () => page.reloadFresh(),
      clearCaches: (origin) => page.clearCaches(origin),
      onTry: () => recovery.count('dead-page'),
      rest: (ms) => this.outage.rest(ms),
    });
    report.onWatched(() => this.#broken.follow());
    // Connections from before a sleep or over an address that is gone are dead, and nothing says so to the page.
    this.#watchWorld = () => {
      this.#unwatch();
      this.#unwatch = onWorldChange(clock, (changes) => {
        if (this.outage.isOn || !(changes.has('moved') || changes.has('woke'))) return;
        page
          .connectAnew()
          .catch((error: unknown) => log.debug({ err: error }, 'kiosk: could not let the page connect anew'));
      });
    };
    this.#window = new MaintenanceWindow({
      clock,
      date: () => new Date(),
      quietHour: recoverySettings.quietHour,
      isAsleep: () => page.isAsleep(),
      isInCall: async () => (await recoverySettings.isInCall?.()) ?? false,
    });
    this.#memory = new MemoryWatchdog({
      clock,
      limit: recoverySettings.memoryLimit,
      window: this.#window,
      watch: {
        used: () => page.memory(),
        onExceeded: () => {
          recovery.count('memory');
          page.renew('memory');
        },
      },
      log,
    });
    if (page.program !== undefined)
      this.#upgrade = new BrowserUpgradeWatcher({
        program: page.program,
        clock,
        window: this.#window,
        onReplaced: () => {
          recovery.count('replaced');
          page.renew('replaced');
        },
        log,
      });
  }

  start(): void {
    this.#deadPage.start();
    this.#watchWorld();
    this.#memory.start();
    this.#upgrade?.start();
  }

  stop(): void {
    this.recovery.cancel();
    this.outage.end();
    this.heartbeat.stop();
    this.#deadPage.stop();
    this.#broken.stop();
    this.#unwatch();
    this.#memory.stop();
    this.#upgrade?.stop();
  }

  /**
   * Whether the window shows a page that can give a sign of life: the page itself, or the one that waits for its
   * server.
   */
  get #hasPulse(): boolean {
    return this.outage.isOn || !this.recovery.waiting;
  }

  /** The page, while the panel is awake and shows it. */
  get shown(): P | undefined {
    const isCovered = this.#page.isAsleep() || this.outage.isOn || this.recovery.waiting;
    return isCovered ? undefined : this.#page.visible();
  }

  /** A browser is about to be started. */
  async browserBegins(): Promise<void> {
    await this.#upgrade?.begun();
  }

  /** The page is at an allowed address. @param status of its server's answer; 0: not known */
  arrived(url: string, status: number): void {
    this.outage.end();
    this.recovery.cancel();
    this.#report.begun(url, status);
  }

  /** The server of the page answered with an error that is no page: the screen says so, and then the panel goes home. */
  refused(url: string, status: number): void {
    this.#report.refused(url, status);
    this.outage.refuse(status);
  }

  /** A person uses the panel. */
  touched(): void {
    this.#window.touched();
  }
}
