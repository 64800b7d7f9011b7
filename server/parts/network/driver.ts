import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { DeviceDriver } from '../device.ts';
import type { Connectivity, NetworkChange, NetworkInterface, WifiNetwork } from './contract.ts';

/** A change that is taken back by itself, also when this service is gone. */
export interface PendingChange {
  /** Keeps it. @returns false when it was taken back already */
  keep(): Promise<boolean>;
}

/** The network interfaces of the panel. */
export interface NetworkDriver extends DeviceDriver {
  interfaces(): Promise<NetworkInterface[]>;
  /** How far the network reaches, as it was found last. */
  connectivity(): Promise<Connectivity>;
  /**
   * Changes the IPv4 address of an interface.
   * @param seconds until it is taken back
   * @throws FaceplateError NOT_FOUND (no such interface), CONFLICT (it has nothing to change), HARDWARE_ERROR; all is as
   * before then
   */
  change(change: NetworkChange, seconds: number): Promise<PendingChange>;
  /** Looks for Wi-Fi networks. @throws FaceplateError UNSUPPORTED_HARDWARE without Wi-Fi */
  networks(): Promise<WifiNetwork[]>;
  /**
   * Joins a Wi-Fi network.
   * @param hidden it does not tell its name
   * @throws FaceplateError NOT_FOUND (not in reach), INVALID_REQUEST (the password), UNSUPPORTED_HARDWARE, HARDWARE_ERROR;
   * all is as before then
   */
  join(ssid: string, password: string | undefined, hidden?: boolean): Promise<void>;
  /**
   * Keeps a Wi-Fi network, which is joined whenever it is in reach.
   * @returns the way back: it is forgotten
   */
  save(ssid: string, password: string | undefined): Promise<() => Promise<void>>;
}

const WIRED: NetworkInterface = {
  name: 'eth0',
  type: 'ethernet',
  state: 'connected',
  mac: '02:00:00:00:00:01',
  method: 'auto',
  addresses: ['192.168.1.20/24'],
  gateway: '192.168.1.1',
  dns: ['192.168.1.1'],
  wifi: null,
};
const WIRELESS: NetworkInterface = {
  name: 'wlan0',
  type: 'wifi',
  state: 'disconnected',
  mac: '02:00:00:00:00:02',
  method: null,
  addresses: [],
  gateway: null,
  dns: [],
  wifi: null,
};
const IN_REACH = [
  { ssid: 'Workshop', signal: 82, security: 'wpa2' },
  { ssid: 'Guests', signal: 54, security: 'none' },
] as const;

/** A wire and a Wi-Fi in memory; the machine's own network stays as it is. */
export class SimulatedNetwork implements NetworkDriver {
  readonly name = 'simulated';
  readonly path = null;
  readonly simulated = true;
  readonly #clock: Clock;
  readonly #interfaces = new Map([WIRED, WIRELESS].map((one) => [one.name, one]));
  readonly #cancels = new Set<() => void>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  async interfaces(): Promise<NetworkInterface[]> {
    return [...this.#interfaces.values()];
  }

  async connectivity(): Promise<Connectivity> {
    return 'full';
  }

  async change(change: NetworkChange, seconds: number): Promise<PendingChange> {
    const before = this.#interfaces.get(change.interface);
    if (before === undefined)
      throw new FaceplateError('NOT_FOUND', `There is no interface ${change.interface}.`, {
        field: 'interface',
      });
    if (before.type === 'wifi' && before.wifi === null)
      throw new FaceplateError('CONFLICT', `${change.interface} is in no Wi-Fi network: join one first.`);
    const isManual = change.method === 'manual';
    this.#interfaces.set(before.name, {
      ...before,
      state: 'connected',
      method: change.method,
      addresses: isManual ? [`${change.address}/${change.prefix}`] : WIRED.addresses,
      gateway: isManual ? (change.gateway ?? null) : WIRED.gateway,
      dns: change.dns ?? (isManual ? [] : WIRED.dns),
    });
    let isOpen = true;
    const cancel = this.#clock.after(seconds * 1_000, () => {
      isOpen = false;
      this.#cancels.delete(cancel);
      this.#interfaces.set(before.name, before);
    });
    this.#cancels.add(cancel);
    return {
      keep: async () => {
        cancel();
        this.#cancels.delete(cancel);
        return isOpen;
      },
    };
  }

  async networks(): Promise<WifiNetwork[]> {
    const joined = this.#interfaces.get(WIRELESS.name)?.wifi?.ssid;
    return IN_REACH.map((network) => ({ ...network, active: network.ssid === joined }));
  }

  async join(ssid: string, password: string | undefined): Promise<void> {
    const network = IN_REACH.find((one) => one.ssid === ssid);
    if (network === undefined)
      throw new FaceplateError('NOT_FOUND', 'No Wi-Fi network of this name is in reach.', { field: 'ssid' });
    if (network.security !== 'none' && password === undefined)
      throw new FaceplateError('INVALID_REQUEST', 'This Wi-Fi network needs a password.', {
        field: 'password',
      });
    this.#interfaces.set(WIRELESS.name, {
      ...WIRELESS,
      state: 'connected',
      method: 'auto',
      addresses: ['192.168.1.21/24'],
      gateway: WIRED.gateway,
      dns: WIRED.dns,
      wifi: { ssid, signal: network.signal },
    });
  }

  async save(ssid: string, password: string | undefined): Promise<() => Promise<void>> {
    const before = this.#interfaces.get(WIRELESS.name)!;
    if (IN_REACH.some((network) => network.ssid === ssid)) await this.join(ssid, password);
    return async () => void this.#interfaces.set(before.name, before);
  }
}
