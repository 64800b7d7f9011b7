import type { Logger } from '../log.ts';

interface SystemdNotifierOptions {
  /** NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID are read from it (sd_notify(3), sd_watchdog_enabled(3)). */
  readonly environment: NodeJS.ProcessEnv;
  readonly pid: number;
  /** Sends one datagram to a Unix socket. */
  readonly send: (address: string, text: string) => void;
  /** Whether the service does its work: when it does not, systemd restarts it. */
  readonly isWell: () => boolean;
  readonly log: Logger;
}

/** How often a long start asks for more time, how much it asks for, and for how long at most, in milliseconds. */
const EXTEND_EVERY_MS = 10_000;
const EXTEND_BY_MS = 60_000;
const LONGEST_START_MS = 15 * 60_000;

/**
 * Tells systemd that the service is ready, alive and stopping. The timer that says "alive" runs on the event loop, so a
 * loop that is stuck goes silent automatically. Does nothing when no systemd asks.
 */
export class SystemdNotifier {
  readonly #options: SystemdNotifierOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: SystemdNotifierOptions) {
    this.#options = options;
  }

  /** The service begins to start: however long that takes on a slow panel, systemd waits while the event loop runs. */
  starting(): void {
    let left = LONGEST_START_MS / EXTEND_EVERY_MS;
    const extend = () => {
      if (left-- === 0) clearInterval(this.#timer);
      else this.#notify(`EXTEND_TIMEOUT_USEC=${EXTEND_BY_MS * 1000}`);
    };
    extend();
    this.#timer = setInterval(extend, EXTEND_EVERY_MS);
    this.#timer.unref();
  }

  /** The service is ready; from now on it is watched. */
  start(): void {
    clearInterval(this.#timer);
    this.#notify('READY=1');
    const { WATCHDOG_USEC, WATCHDOG_PID } = this.#options.environment;
    const limitMs = Number(WATCHDOG_USEC ?? 0) / 1000;
    const isForUs = WATCHDOG_PID === undefined || Number(WATCHDOG_PID) === this.#options.pid;
    if (!(limitMs > 0) || !isForUs) return;
    // A third of the limit: one late signal is no reason for a restart.
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
    else
      this.#options.log.error('systemd: could not recover the kiosk page, systemd will restart the service');
  }

  #notify(state: string): void {
    const address = this.#options.environment.NOTIFY_SOCKET;
    if (!address) return;
    try {
      this.#options.send(address, state);
    } catch (error) {
      this.#options.log.warn({ err: error, state }, 'systemd: could not notify');
    }
  }
}
