import type { LoadedSettings, ReplayFlags } from '../config/loadSettings.ts';
import { StartProof } from '../config/proof/startProof.ts';
import { UndoneSettings } from '../config/proof/takenBack.ts';
import type { SipService } from '../intercom/calls/service.ts';
import type { BegunBrowser } from '../kiosk/chromium/process/browserRun.ts';
import type { HostDependencies, KioskHost } from '../kiosk/host.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import { systemClock } from '../platform/clock.ts';
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
    loginOrigins: readonly string[],
  ): BegunBrowser | undefined;
  /** Ends the service so that the panel begins anew. */
  restart(why: 'reset' | 'asked'): void;
  /** Whether somebody starts the service again when it ends. */
  readonly isWatched: boolean;
  /** The journal to be replayed, on a desk. */
  readonly replay?: ReplayFlags | undefined;
}

export interface Stoppable {
  stop(): Promise<void>;
}

/** A start under way: what it was given, and what the stop has to know of it. */
export class Launch {
  readonly options: StartOptions;
  /** Settings that are not followed now. */
  readonly undone: UndoneSettings;
  /** Whether the settings of this start work. */
  readonly proof: StartProof;
  /** What was started, in this order. */
  readonly started: Stoppable[] = [];
  kiosk: Kiosk | undefined;
  host: KioskHost | undefined;
  sip: SipService | undefined;
  /** Stopped before all other parts. */
  outputs: Stoppable | undefined;
  replay: Stoppable | undefined;
  isStopping = false;

  constructor(options: StartOptions) {
    this.options = options;
    const { settings, log, isWatched, restart } = options;
    this.undone = new UndoneSettings(settings.undone);
    this.proof = new StartProof({
      loaded: settings,
      undone: this.undone,
      clock: systemClock,
      log,
      restart: isWatched ? () => restart('asked') : null,
    });
  }

  /** Starts a part and remembers it for the stop; a stop that came meanwhile ends the start here. */
  readonly up = async <T extends Stoppable & { start?(): Promise<unknown> }>(part: T): Promise<T> => {
    if (this.isStopping) throw new Error('stopped while starting');
    this.started.push(part);
    await part.start?.();
    return part;
  };
}
