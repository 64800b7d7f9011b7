import type { Logger } from '../observe/log.ts';
import type { Clock } from './clock.ts';
import { DeadPageCheck, type DeadPageWatch } from './deadPageCheck.ts';
import type { HostCertificates, Upkeep } from './host.ts';
import { MemoryCeiling } from './memoryCeiling.ts';
import { Recovery, type RecoveryLimits } from './recovery.ts';
import { ServerOutage } from './serverOutage.ts';

/** What a host offers to those who keep its page up. */
export interface KeptPage {
  /** The page that is to be on the screen. */
  home(): string;
  goHome(): Promise<void>;
  /** Shows a page of the host's own; never fails. */
  showNotice(url: string): Promise<void>;
  /** The page that can be looked at, while its window is open. */
  visible(): ReturnType<DeadPageWatch['page']>;
  isAsleep(): boolean;
  /** Memory of the browser with all its helpers, in bytes; undefined while there is none. */
  memory(): Promise<number | undefined>;
  /** Begins with a new browser, or as much of it as the host can renew, and shows the page in it. */
  renew(cause: 'dead-page' | 'memory'): void;
}

export interface PageKeeperOptions {
  readonly page: KeptPage;
  readonly upkeep: Upkeep;
  readonly certificates: HostCertificates;
  readonly clock: Clock;
  readonly limits: RecoveryLimits;
  readonly log: Logger;
}

/** Keeps the page on the screen: what every host does about outages, dead pages and memory. */
export class PageKeeper {
  readonly recovery: Recovery;
  readonly outage: ServerOutage;
  readonly #deadPage: DeadPageCheck;
  readonly #memory: MemoryCeiling;

  constructor({ page, upkeep, certificates, clock, limits, log }: PageKeeperOptions) {
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
    this.#deadPage.stop();
    this.#memory.stop();
  }

  /** Whether a page that has a pulse stands in the window: the page itself, or that which waits for its server. */
  get hasPulse(): boolean {
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
