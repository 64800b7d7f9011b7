import type { LoadedSettings, ReplayFlags } from '../config/loadSettings.ts';
import type { BegunBrowser } from '../kiosk/chromium/process/browserRun.ts';
import type { HostDependencies, KioskHost } from '../kiosk/host.ts';
import type { BrowserOrigins } from '../platform/kioskJobs.ts';
import type { Logger, LogTail } from '../platform/log.ts';

/** What the program gives to the service. */
export interface StartOptions {
  readonly settings: LoadedSettings;
  readonly version: string;
  readonly log: Logger;
  /** What `log` writes to. */
  readonly logTail: LogTail;
  print(line: string): void;
  createHost(dependencies: HostDependencies): Promise<KioskHost>;
  /** The browser that `createHost` will want, where it can be started before all else. */
  earlyBrowser?(
    facts: Pick<HostDependencies, 'settings' | 'session' | 'log'>,
    origins: BrowserOrigins,
  ): BegunBrowser | undefined;
  /** Ends the service so that the panel begins anew. */
  restart(why: 'reset' | 'asked'): void;
  /** Whether somebody starts the service again when it ends. */
  readonly isWatched: boolean;
  /** The journal to be replayed, on a desk. */
  readonly replay?: ReplayFlags | undefined;
}

interface Stoppable {
  stop?(): Promise<void>;
}

/** What was started, in this order, and how it ends: from the last to the first. */
export class Lifecycle {
  readonly #log: Logger;
  readonly #started: Stoppable[] = [];
  #isStopping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts a part and remembers it for the stop; a stop that came meanwhile ends the start here. */
  readonly start = async <T extends Stoppable & { start?(): Promise<unknown> }>(part: T): Promise<T> => {
    if (this.#isStopping) throw new Error('stopped while starting');
    this.#started.push(part);
    await part.start?.();
    return part;
  };

  /** Remembers for the stop what needs no start, or has had it. */
  own<T extends Stoppable>(part: T): T {
    this.#started.push(part);
    return part;
  }

  /** Nothing more is started. */
  stopping(): void {
    this.#isStopping = true;
  }

  /** Ends one before all others; it may be ended twice. */
  async end(part: Stoppable | undefined): Promise<void> {
    await part
      ?.stop?.()
      .catch((error: unknown) => this.#log.error({ err: error }, 'service: a part could not stop'));
  }

  /** Ends all that was started. @param ended what has ended already */
  async endAll(ended?: Stoppable): Promise<void> {
    for (const part of this.#started.reverse()) if (part !== ended) await this.end(part);
  }
}
