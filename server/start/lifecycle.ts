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
  /** The last lines of `log`. */
  readonly logTail: LogTail;
  print(line: string): void;
  /** Whether a person reads what is printed. */
  readonly isAtTerminal?: boolean;
  createHost(dependencies: HostDependencies): Promise<KioskHost>;
  /** The browser that `createHost` will need, if it can start before everything else. */
  earlyBrowser?(
    facts: Pick<HostDependencies, 'settings' | 'session' | 'log'>,
    origins: BrowserOrigins,
  ): BegunBrowser | undefined;
  /** Ends the service so that it starts again. */
  restart(why: 'reset' | 'asked'): void;
  /** Whether a supervisor starts the service again when it ends. */
  readonly isWatched: boolean;
  /** The journal to replay, on a development machine. */
  readonly replay?: ReplayFlags | undefined;
}

interface Stoppable {
  stop?(): Promise<void>;
}

/** Everything that was started, in this order; `endAll` stops it in the reverse order. */
export class Lifecycle {
  readonly #log: Logger;
  readonly #started: Stoppable[] = [];
  #isStopping = false;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Starts a part and records it for the stop. @throws Error when a stop has begun */
  readonly start = async <T extends Stoppable & { start?(): Promise<unknown> }>(part: T): Promise<T> => {
    if (this.#isStopping) throw new Error('stopped while starting');
    this.#started.push(part);
    await part.start?.();
    return part;
  };

  /** Records for the stop what needs no start, or is already started. */
  own<T extends Stoppable>(part: T): T {
    this.#started.push(part);
    return part;
  }

  /** From now on `start` refuses. */
  stopping(): void {
    this.#isStopping = true;
  }

  /** Stops one part before all others; `endAll` may stop it again. */
  async end(part: Stoppable | undefined): Promise<void> {
    await part
      ?.stop?.()
      .catch((error: unknown) => this.#log.error({ err: error }, 'service: a part could not stop'));
  }

  /** Stops everything that was started. @param ended what has stopped already */
  async endAll(ended?: Stoppable): Promise<void> {
    for (const part of this.#started.reverse()) if (part !== ended) await this.end(part);
  }
}
