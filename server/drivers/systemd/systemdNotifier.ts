import type { Logger } from '../../observe/log.ts';

export interface SystemdNotifierOptions {
  /** NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are read from it (sd_notify(3), sd_watchdog_enabled(3)). */
  readonly environment: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Sends one datagram to a Unix socket. */
  readonly send: (address: string, text: string) => void;
  /** Whether the service does its work: where it does not, systemd is left to restart it. */
  readonly isWell: () => boolean;
  readonly log: Logger;
}

/**
 * Tells systemd that the service is ready, alive and stopping. The timer that says "alive" runs on the event loop, so a
 * loop that is stuck goes silent by itself. Does nothing where no systemd asks.
 */
export class SystemdNotifier {
  readonly #options: SystemdNotifierOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SystemdNotifierOptions) {
    this.#options = options;
  }

  /** The service is ready; from now on it is watched. */
  start(): void {
    this.#notify('READY=1');
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.#options.environment;
    const limitMs = Number(WATCHDOG_USEC ?? 0) / 1000;
    const isForUs = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === this.#options.pid;
    if (!(limitMs > 0) || !isForUs) return;
    // A third of the limit: one that comes late is no reason for a restart.
    this.#timer = setInterval(() => this.#feed(), limitMs / 3);
    this.#timer.unref();
  }

  /** The service stops on purpose. */
  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#notify('STOPPING=1');
  }

  #feed(): void {
    if (this.#options.isWell()) this.#notify('WATCHDOG=1');
    else this.#options.log.error('the kiosk page is beyond recovery: systemd is left to restart the service');
  }

  #notify(state: string): void {
    const address = this.#options.environment.NOTIFY_SOCKET;
    if (!address) return;
    try {
      this.#options.send(address, state);
    } catch (error) {
      this.#options.log.warn({ err: error, state }, 'systemd was not told');
    }
  }
}
