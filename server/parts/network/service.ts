import { hostname } from 'node:os';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { CallQueue, withTimeout } from '../../platform/async.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { Device } from '../device.ts';
import { CONFIRM_SECONDS, type Connectivity } from './contract.ts';
import type { NetworkDriver, PendingChange } from './driver.ts';

interface NetworkOptions {
  /** null where the board profile leaves the network out. */
  readonly driver: NetworkDriver | null;
  readonly log: Logger;
  readonly clock?: Clock;
}

/** How long the waiting page waits for the word of the network, in milliseconds. */
const ASK_MS = 1_000;
/** The end of the caller never cuts a change short: the way back needs it whole. */
const never = new AbortController().signal;

/** The network of the panel. A change that is not confirmed is taken back. One change at a time. */
export class NetworkService {
  readonly #part: Device<NetworkDriver>;
  readonly #log: Logger;
  readonly #clock: Clock;
  readonly #queue = new CallQueue();
  #isPortal = false;
  #pending: { readonly change: PendingChange; readonly until: number } | undefined;

  constructor({ driver, log, clock = systemClock }: NetworkOptions) {
    this.#part = new Device('network control', driver, log);
    this.#log = log;
    this.#clock = clock;
  }

  start(): Promise<void> {
    return this.#part.start();
  }

  /** A change that waits for its confirmation is taken back by the system, not by us. */
  async stop(): Promise<void> {
    await this.#part.stop();
    await this.#queue.idle();
  }

  part(): PartInfo {
    return this.#part.info();
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async state(): Promise<ResultOf<'network.state'>> {
    const [interfaces, connectivity] = await Promise.all([
      this.#part.use((driver) => driver.interfaces()),
      this.#part.use((driver) => driver.connectivity()),
    ]);
    this.#tellOfPortal(connectivity);
    return { hostname: hostname(), connectivity, interfaces };
  }

  /** Whether the network lets nothing out before somebody signs in to it in a browser. Never fails. */
  async isPortal(): Promise<boolean> {
    if (this.#part.info().state === 'absent') return false;
    const asked = this.#part.use((driver) => driver.connectivity()).catch(() => undefined);
    const connectivity = await withTimeout(this.#clock, ASK_MS, asked);
    if (connectivity !== undefined) this.#tellOfPortal(connectivity);
    return connectivity === 'portal';
  }

  #tellOfPortal(connectivity: Connectivity): void {
    const isPortal = connectivity === 'portal';
    if (isPortal === this.#isPortal) return;
    this.#isPortal = isPortal;
    if (isPortal) this.#log.warn('network: it wants a login in a browser before it lets the panel out');
    else this.#log.info({ connectivity }, 'network: it wants no login any more');
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, NOT_FOUND, CONFLICT */
  async change(wanted: ParamsOf<'network.change'>): Promise<ResultOf<'network.state'>> {
    return this.#queue.run(never, async () => {
      this.#mustBeSettled();
      const change = await this.#part.use((driver) => driver.change(wanted, CONFIRM_SECONDS));
      this.#pending = { change, until: this.#clock.now() + CONFIRM_SECONDS * 1_000 };
      this.#log.warn(
        { interface: wanted.interface, method: wanted.method },
        'network: changed, not confirmed yet',
      );
      return this.state();
    });
  }

  /** @throws FaceplateError CONFLICT (nothing to confirm), HARDWARE_ERROR */
  async confirm(): Promise<ResultOf<'network.confirm'>> {
    return this.#queue.run(never, async () => {
      const pending = this.#pending;
      this.#pending = undefined;
      const kept = pending !== undefined && (await this.#part.use(() => pending.change.keep()));
      if (!kept) throw new FaceplateError('CONFLICT', 'There is no change of the network to confirm.');
      this.#log.info('network: change confirmed');
      return { status: 'confirmed' };
    });
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR */
  async wifi(): Promise<ResultOf<'network.wifi'>> {
    return { networks: await this.#part.use((driver) => driver.networks()) };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR, NOT_FOUND, CONFLICT, INVALID_REQUEST */
  async join({ ssid, password, hidden }: ParamsOf<'network.join'>): Promise<ResultOf<'network.join'>> {
    return this.#queue.run(never, async () => {
      this.#mustBeSettled();
      await this.#part.use((driver) => driver.join(ssid, password, hidden));
      this.#log.info({ ssid }, 'network: joined a Wi-Fi network');
      return this.wifi();
    });
  }

  /**
   * Keeps a Wi-Fi network, which is joined whenever it is in reach.
   * @returns the way back. @throws FaceplateError UNSUPPORTED_HARDWARE, HARDWARE_ERROR
   */
  async save(ssid: string, password: string | undefined): Promise<() => Promise<void>> {
    return this.#queue.run(never, () => this.#part.use((driver) => driver.save(ssid, password)));
  }

  /** A second change would make the first one the state to go back to. */
  #mustBeSettled(): void {
    const left = (this.#pending?.until ?? 0) - this.#clock.now();
    if (this.#pending === undefined || left <= 0) return;
    const seconds = Math.ceil(left / 1_000);
    throw new FaceplateError(
      'CONFLICT',
      `A change of the network waits to be confirmed. Confirm it, or wait ${seconds} s until it is taken back.`,
    );
  }
}
