import type { Logger } from '../observe/log.ts';
import type { Clock } from './clock.ts';
import { DeadPageCheck, type DeadPageWatch } from './deadPageCheck.ts';
import { Heartbeat, type Patient } from './heartbeat.ts';
import type { HostCertificates, Upkeep } from './host.ts';
import { HungPage } from './hungPage.ts';
import { MemoryCeiling } from './memoryCeiling.ts';
import { Recovery, type RecoveryLimits } from './recovery.ts';
import { ServerOutage } from './serverOutage.ts';

/** A page that can be looked at and asked for a sign of life. */
type AskedPage = Patient & NonNullable<ReturnType<DeadPageWatch['page']>>;

/** What a host offers to those who keep its page up. */
export interface KeptPage<P extends AskedPage> {
  /** The page that is to be on the screen. */
  home(): string;
  goHome(): Promise<void>;
  /** Shows a page of the host's own; never fails. */
  showNotice(url: string): Promise<void>;
  /** The page that can be looked at, while its window is open. */
  visible(): P | undefined;
  isAsleep(): boolean;
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  memory(): Promise<number | undefined>;
  /** Begins with a new browser, or as much of it as the host can renew, and shows the page in it. */
  renew(cause: 'dead-page' | 'memory'): void;
  /** The page gives no sign of life: `hung.end` ends it. */
  onHung(page: P): void;
}

export interface PageKeeperOptions<P extends AskedPage> {
  readonly page: KeptPage<P>;
  readonly upkeep: Upkeep;
  readonly certificates: HostCertificates;
  readonly clock: Clock;
  readonly limits: RecoveryLimits;
  readonly log: Logger;
}

/** Keeps the page on the screen: what every host does about outages, hung and dead pages, and memory. */
export class PageKeeper<P extends AskedPage> {
  readonly recovery: Recovery;
  readonly outage: ServerOutage;
  readonly hung: HungPage;
  /** The host starts it as soon as a page should answer; `stop` of the keeper stops it. */
  readonly heartbeat: Heartbeat<P>;
  readonly #deadPage: DeadPageCheck;
  readonly #memory: MemoryCeiling;

  constructor({ page, upkeep, certificates, clock, limits, log }: PageKeeperOptions<P>) {
    this.recovery = new Recovery(limits, clock, log);
    const { recovery } = this;
    this.outage = new ServerOutage({
      clock,
      recovery,
      certificates,
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
        const isMeantToShow = upkeep.deadPageCheck() && !page.isAsleep();
        return isMeantToShow && !this.outage.isOn && !recovery.waiting ? page.visible() : undefined;
      },
      // A new page first; where that does not help, a new browser.
      onDead: (attempt) => {
        recovery.count('dead-page');
        if (attempt > 1) page.renew('dead-page');
        else recovery.schedule('dead-page', () => void page.goHome());
      },
    });
    this.#memory = new MemoryCeiling({
      clock,
      date: () => new Date(),
      limit: upkeep.memoryLimit,
      quietHour: upkeep.quietHour,
      watch: {
        used: () => page.memory(),
        isAsleep: () => page.isAsleep(),
        onExceeded: () => {
          recovery.count('memory');
          page.renew('memory');
        },
      },
      log,
    });
  }

  start(): void {
    this.#deadPage.start();
    this.#memory.start();
  }

  stop(): void {
    this.recovery.cancel();
    this.outage.end();
    this.heartbeat.stop();
    this.#deadPage.stop();
    this.#memory.stop();
  }

  /** Whether a page that has a pulse stands in the window: the page itself, or that which waits for its server. */
  get #hasPulse(): boolean {
    return this.outage.isOn || !this.recovery.waiting;
  }

  /** The page stands where it may be. */
  arrived(): void {
    this.outage.end();
    this.recovery.cancel();
  }

  /** Somebody uses the panel. */
  touched(): void {
    this.#memory.touched();
  }
}
