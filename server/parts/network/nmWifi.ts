import { FaceplateError } from '../../contract/errors.ts';
import type { Clock } from '../../platform/clock.ts';
import { type SystemBus, type Values, variant } from '../../platform/dbus/systemBus.ts';
import type { WifiNetwork } from './contract.ts';
import {
  DEVICE_WIFI,
  type Groups,
  MANAGER,
  type NmDevice,
  nm,
  numberIn,
  orNothing,
  pathIn,
  securityOf,
  ssidIn,
} from './nmTypes.ts';

interface WifiOptions {
  readonly bus: SystemBus;
  readonly clock: Clock;
  devices(): Promise<NmDevice[]>;
  underCheckpoint(device: NmDevice, work: () => Promise<void>): Promise<{ readonly checkpoint: string }>;
}

/** Longest time for a look around, and for joining a network, in milliseconds. */
const SCAN_MS = 8_000;
const JOIN_MS = 40_000;
const LOOK_MS = 300;
/** NMActiveConnectionState. */
const ACTIVATED = 2;
const DEACTIVATED = 4;
/** NMDeviceStateReason: no secrets, and the ways in which the other side refuses them. */
const PASSWORD_REASONS: readonly number[] = [7, 8, 9, 10, 11];
/** So many networks are listed at most. */
const MAX_NETWORKS = 100;

const SETTINGS = [MANAGER[0], '/org/freedesktop/NetworkManager/Settings', `${MANAGER[0]}.Settings`] as const;

interface Point {
  readonly path: string;
  readonly network: WifiNetwork;
}

/** Wi-Fi through NetworkManager. A password is sent in the body of a message, which no other program can read. */
export class NmWifi {
  readonly #options: WifiOptions;

  constructor(options: WifiOptions) {
    this.#options = options;
  }

  async networks(): Promise<WifiNetwork[]> {
    const device = await this.#device();
    await this.#scan(device);
    return (await this.#points(device)).map(({ network }) => network).slice(0, MAX_NETWORKS);
  }

  /** @returns the checkpoint to which nothing has to go back any more */
  async join(ssid: string, password: string | undefined, hidden: boolean): Promise<string> {
    const device = await this.#device();
    const point = hidden ? hiddenPoint(ssid, password) : await this.#find(device, ssid);
    const { security } = point.network;
    if (security === 'enterprise' || security === 'wep')
      throw new FaceplateError(
        'CONFLICT',
        `A Wi-Fi network of this kind (${security}) cannot be joined here.`,
        {
          field: 'ssid',
        },
      );
    const saved = await this.#saved(ssid);
    if (security !== 'none' && password === undefined && saved.length === 0)
      throw new FaceplateError('INVALID_REQUEST', 'This Wi-Fi network needs a password.', {
        field: 'password',
      });
    const { checkpoint } = await this.#options.underCheckpoint(device, async () => {
      const known = password === undefined ? saved[0] : undefined;
      const active =
        known === undefined
          ? await this.#add(device, point, ssid, password)
          : ((
              await this.#options.bus.call(
                MANAGER,
                'ActivateConnection',
                'ooo',
                known,
                device.path,
                point.path,
              )
            )[0] as string);
      await this.#joined(device, active, security !== 'none');
      // What was saved under this name before has the old password.
      if (known === undefined) for (const path of saved) await this.#forget(path);
    });
    return checkpoint;
  }

  /** Keeps a network that need not be in reach. @returns what forgets it */
  async save(ssid: string, password: string | undefined): Promise<() => Promise<void>> {
    const { bus } = this.#options;
    const before = await this.#saved(ssid);
    // Where the network speaks WPA3 alone, NetworkManager does that with this word too.
    const key = { 'key-mgmt': variant('s', 'wpa-psk'), psk: variant('s', password) };
    const groups: Record<string, Values> = {
      connection: { id: variant('s', ssid), type: variant('s', '802-11-wireless') },
      '802-11-wireless': { ssid: variant('ay', Buffer.from(ssid)) },
      ...(password !== undefined && { '802-11-wireless-security': key }),
    };
    const [path] = (await bus.call(SETTINGS, 'AddConnection', 'a{sa{sv}}', groups)) as [string];
    // What was saved under this name before may have another password.
    for (const old of before) await this.#forget(old);
    return () => this.#forget(path);
  }

  async #device(): Promise<NmDevice> {
    const device = (await this.#options.devices()).find(
      ({ values }) => numberIn(values, 'DeviceType') === DEVICE_WIFI,
    );
    if (device === undefined) throw new FaceplateError('UNSUPPORTED_HARDWARE', 'This panel has no Wi-Fi.');
    return device;
  }

  /** Looks around, and waits until that has ended. A device that refuses has looked a moment ago. */
  async #scan({ path }: NmDevice): Promise<void> {
    const { bus, clock } = this.#options;
    const wireless = nm(path, 'Device.Wireless');
    const before = numberIn(await bus.properties(wireless), 'LastScan');
    const asked = await bus.call(wireless, 'RequestScan', 'a{sv}', {}).catch(orNothing);
    const end = clock.now() + SCAN_MS;
    while (asked !== undefined && clock.now() < end) {
      if (numberIn(await bus.properties(wireless), 'LastScan') !== before) return;
      await this.#pause();
    }
  }

  async #find(device: NmDevice, ssid: string): Promise<Point> {
    const isIt = ({ network }: Point): boolean => network.ssid === ssid;
    const seen = (await this.#points(device)).find(isIt);
    if (seen !== undefined) return seen;
    await this.#scan(device);
    const found = (await this.#points(device)).find(isIt);
    if (found === undefined)
      throw new FaceplateError('NOT_FOUND', 'No Wi-Fi network of this name is in reach.', { field: 'ssid' });
    return found;
  }

  /** The networks in reach, each by its strongest access point. */
  async #points({ path }: NmDevice): Promise<Point[]> {
    const { bus } = this.#options;
    const wireless = nm(path, 'Device.Wireless');
    const [paths] = (await bus.call(wireless, 'GetAllAccessPoints')) as [string[]];
    const active = pathIn(await bus.properties(wireless), 'ActiveAccessPoint');
    const points = await Promise.all(
      paths.map(async (point) => ({
        point,
        values: await bus.properties(nm(point, 'AccessPoint')).catch(orNothing),
      })),
    );
    const strongest = new Map<string, Point>();
    for (const { point, values } of points) {
      const ssid = values && ssidIn(values, 'Ssid');
      if (ssid === undefined || values === undefined) continue;
      const before = strongest.get(ssid);
      const isActive = point === active || before?.network.active === true;
      const network = { ssid, signal: signalOf(values), security: securityOf(values), active: isActive };
      const isBest = before === undefined || network.signal > before.network.signal;
      strongest.set(
        ssid,
        isBest ? { path: point, network } : { ...before, network: { ...before.network, active: isActive } },
      );
    }
    return [...strongest.values()].sort((one, other) => other.network.signal - one.network.signal);
  }

  /** Connections that are saved for a network. */
  async #saved(ssid: string): Promise<string[]> {
    const { bus } = this.#options;
    const [paths] = (await bus.call(SETTINGS, 'ListConnections')) as [string[]];
    const found: string[] = [];
    for (const path of paths) {
      const answer = await bus.call(nm(path, 'Settings.Connection'), 'GetSettings').catch(orNothing);
      const wireless = ((answer?.[0] ?? {}) as Groups)['802-11-wireless'];
      if (wireless !== undefined && ssidIn(wireless, 'ssid') === ssid) found.push(path);
    }
    return found;
  }

  async #add(device: NmDevice, point: Point, ssid: string, password: string | undefined): Promise<string> {
    const { security } = point.network;
    const groups: Record<string, Values> = {
      connection: { id: variant('s', ssid), type: variant('s', '802-11-wireless') },
      '802-11-wireless': {
        ssid: variant('ay', Buffer.from(ssid)),
        ...(point.path === ANY_POINT && { hidden: variant('b', true) }),
      },
    };
    if (security !== 'none')
      groups['802-11-wireless-security'] = {
        'key-mgmt': variant('s', security === 'wpa3' ? 'sae' : 'wpa-psk'),
        psk: variant('s', password),
      };
    const args = [groups, device.path, point.path] as const;
    const [, active] = await this.#options.bus.call(
      MANAGER,
      'AddAndActivateConnection',
      'a{sa{sv}}oo',
      ...args,
    );
    return active as string;
  }

  /** Waits until the network is joined. @throws FaceplateError when it is not */
  async #joined({ path }: NmDevice, active: string, isSecured: boolean): Promise<void> {
    const { bus, clock } = this.#options;
    const end = clock.now() + JOIN_MS;
    let state = 0;
    while (state !== DEACTIVATED && clock.now() < end) {
      const values = await bus.properties(nm(active, 'Connection.Active')).catch(orNothing);
      // A connection that failed is gone.
      state = values === undefined ? DEACTIVATED : numberIn(values, 'State');
      if (state === ACTIVATED) return;
      await this.#pause();
    }
    const device = await bus.properties(nm(path, 'Device'));
    const [, reason = 0] = (device.StateReason?.value ?? []) as readonly number[];
    if (isSecured && PASSWORD_REASONS.includes(reason))
      throw new FaceplateError('INVALID_REQUEST', 'The Wi-Fi network refused the password.', {
        field: 'password',
      });
    throw new FaceplateError(
      'HARDWARE_ERROR',
      'The Wi-Fi network could not be joined. All is as it was before.',
    );
  }

  async #forget(path: string): Promise<void> {
    await this.#options.bus.call(nm(path, 'Settings.Connection'), 'Delete').catch(orNothing);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#options.clock.after(LOOK_MS, resolve));
  }
}

/** No object: NetworkManager looks for the network by its name. */
const ANY_POINT = '/';

/** A network that tells nothing of itself. Where it speaks WPA3 alone, NetworkManager does that with WPA's word too. */
function hiddenPoint(ssid: string, password: string | undefined): Point {
  const security = password === undefined ? 'none' : 'wpa2';
  return { path: ANY_POINT, network: { ssid, signal: 0, security, active: false } };
}

function signalOf(point: Values): number {
  return Math.min(100, numberIn(point, 'Strength'));
}
