import { FaceplateError } from '../../contract/errors.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { BusError, SystemBus, type Target, type Values, variant } from '../../platform/dbus/systemBus.ts';
import {
  type Connectivity,
  connectivities,
  type NetworkChange,
  type NetworkInterface,
  type WifiNetwork,
} from './contract.ts';
import type { NetworkDriver, PendingChange } from './driver.ts';
import {
  addressesIn,
  DEVICE_WIFI,
  type Groups,
  ipv4Number,
  ipv6Bytes,
  isShown,
  MANAGER,
  type NmDevice,
  nameServersIn,
  nm,
  numberIn,
  orNothing,
  pathIn,
  STATE_ACTIVATED,
  STATE_FAILED,
  ssidIn,
  stateOf,
  textIn,
  typeOf,
} from './nmTypes.ts';
import { NmWifi } from './nmWifi.ts';

/** Removes connections that were made since the checkpoint (NM_CHECKPOINT_CREATE_FLAG_DELETE_NEW_CONNECTIONS). */
const DELETE_NEW = 0x02;
/** How long a change may take to be in effect before it is left to the caller's judgement, in milliseconds. */
const SETTLE_MS = 20_000;
/** Between two looks at a device that is on its way, in milliseconds. */
const LOOK_MS = 200;

/**
 * The network through NetworkManager, over D-Bus. Changes are made under its checkpoints: NetworkManager itself takes
 * them back, also when this service or its caller is gone. A service that is not root needs polkit's permission for
 * org.freedesktop.NetworkManager.network-control, .settings.modify.system, .wifi.scan and .checkpoint-rollback.
 */
export class NetworkManager implements NetworkDriver {
  readonly name = 'networkManager';
  readonly path = null;
  readonly simulated = false;
  readonly #bus: SystemBus;
  readonly #clock: Clock;
  readonly #wifi: NmWifi;

  constructor({ bus = new SystemBus(), clock = systemClock }: { bus?: SystemBus; clock?: Clock } = {}) {
    this.#bus = bus;
    this.#clock = clock;
    this.#wifi = new NmWifi({
      bus,
      clock,
      devices: () => this.#devices(),
      underCheckpoint: (device, work) => this.#underCheckpoint(device, 60, work),
    });
  }

  /** @throws an errno exception: ENOENT (no system bus), ENODEV (no NetworkManager), or another one that prevents it */
  async start(): Promise<void> {
    await this.#bus.properties(MANAGER);
  }

  async stop(): Promise<void> {
    await this.#bus.close();
  }

  async interfaces(): Promise<NetworkInterface[]> {
    const devices = (await this.#devices()).filter(({ values }) => isShown(values));
    return Promise.all(devices.map((device) => this.#describe(device)));
  }

  async connectivity(): Promise<Connectivity> {
    const manager = await this.#bus.properties(MANAGER);
    return connectivities[numberIn(manager, 'Connectivity')] ?? 'unknown';
  }

  async change(change: NetworkChange, seconds: number): Promise<PendingChange> {
    const device = (await this.#devices()).find(
      ({ values }) => textIn(values, 'Interface') === change.interface,
    );
    if (device === undefined || !isShown(device.values))
      throw new FaceplateError('NOT_FOUND', `There is no interface ${change.interface}.`, {
        field: 'interface',
      });
    if (stateOf(device.values) === 'unmanaged')
      throw new FaceplateError('CONFLICT', `NetworkManager does not manage ${change.interface}.`, {
        field: 'interface',
      });
    const { checkpoint } = await this.#underCheckpoint(device, seconds, () => this.#change(device, change));
    return {
      keep: async () => {
        try {
          await this.#bus.call(MANAGER, 'CheckpointDestroy', 'o', checkpoint);
          return true;
        } catch (error) {
          // NetworkManager has taken it back, and forgotten it.
          if (error instanceof BusError) return false;
          throw error;
        }
      },
    };
  }

  networks(): Promise<WifiNetwork[]> {
    return this.#wifi.networks();
  }

  async join(ssid: string, password: string | undefined, hidden = false): Promise<void> {
    const checkpoint = await this.#wifi.join(ssid, password, hidden);
    await this.#bus.call(MANAGER, 'CheckpointDestroy', 'o', checkpoint);
  }

  save(ssid: string, password: string | undefined): Promise<() => Promise<void>> {
    return this.#wifi.save(ssid, password);
  }

  async #devices(): Promise<NmDevice[]> {
    const [paths] = (await this.#bus.call(MANAGER, 'GetDevices')) as [string[]];
    const devices = await Promise.all(
      paths.map(async (path) => {
        // A device may be gone meanwhile.
        const values = await this.#bus.properties(nm(path, 'Device')).catch(orNothing);
        return values === undefined ? [] : [{ path, values }];
      }),
    );
    return devices.flat();
  }

  async #describe(device: NmDevice): Promise<NetworkInterface> {
    const { path, values } = device;
    const [ip4, ip6] = await Promise.all([
      this.#optional(pathIn(values, 'Ip4Config'), 'IP4Config'),
      this.#optional(pathIn(values, 'Ip6Config'), 'IP6Config'),
    ]);
    const applied = await this.#bus.call(nm(path, 'Device'), 'GetAppliedConnection', 'u', 0).catch(orNothing);
    const method = textIn(((applied?.[0] ?? {}) as Groups).ipv4 ?? {}, 'method');
    const isWifi = numberIn(values, 'DeviceType') === DEVICE_WIFI;
    return {
      name: textIn(values, 'Interface'),
      type: typeOf(values),
      state: stateOf(values),
      mac: textIn(values, 'HwAddress') || null,
      method: applied === undefined ? null : method === 'auto' || method === 'manual' ? method : 'other',
      addresses: [...addressesIn(ip4), ...addressesIn(ip6)],
      gateway: (ip4 && textIn(ip4, 'Gateway')) || null,
      dns: nameServersIn(ip4),
      wifi: isWifi ? await this.#joined(path) : null,
    };
  }

  async #joined(path: string): Promise<NetworkInterface['wifi']> {
    const device = await this.#bus.properties(nm(path, 'Device.Wireless')).catch(orNothing);
    const point = await this.#optional(device && pathIn(device, 'ActiveAccessPoint'), 'AccessPoint');
    const ssid = point && ssidIn(point, 'Ssid');
    return ssid === undefined ? null : { ssid, signal: numberIn(point ?? {}, 'Strength') };
  }

  async #optional(path: string | undefined, face: string): Promise<Values | undefined> {
    return path === undefined ? undefined : this.#bus.properties(nm(path, face)).catch(orNothing);
  }

  /** Runs `work` so that NetworkManager takes its effects back after `seconds`, and at once when it fails. */
  async #underCheckpoint<T>(
    { path }: NmDevice,
    seconds: number,
    work: () => Promise<T>,
  ): Promise<{ readonly checkpoint: string; readonly result: T }> {
    const [checkpoint] = (await this.#bus
      .call(MANAGER, 'CheckpointCreate', 'aouu', [path], seconds, DELETE_NEW)
      .catch((error: unknown) => {
        throw refusal('did not prepare the way back', error);
      })) as [string];
    try {
      return { checkpoint, result: await work() };
    } catch (error) {
      await this.#bus.call(MANAGER, 'CheckpointRollback', 'o', checkpoint).catch(() => undefined);
      throw refusal('did not take the change', error);
    }
  }

  async #change(device: NmDevice, change: NetworkChange): Promise<void> {
    const connection = await this.#connectionOf(device);
    if (connection === undefined && typeOf(device.values) === 'wifi')
      throw new FaceplateError('CONFLICT', `${change.interface} is in no Wi-Fi network: join one first.`);
    if (connection === undefined) {
      const id = variant('s', `Faceplate ${change.interface}`);
      const name = variant('s', change.interface);
      const groups = {
        connection: { id, type: variant('s', '802-3-ethernet'), 'interface-name': name },
        ...ipGroups({}, change),
      };
      await this.#bus.call(MANAGER, 'AddAndActivateConnection', 'a{sa{sv}}oo', groups, device.path, '/');
    } else {
      const settings = nm(connection, 'Settings.Connection');
      const [groups] = (await this.#bus.call(settings, 'GetSettings')) as [Groups];
      await this.#addSecrets(settings, groups);
      await this.#bus.call(settings, 'Update', 'a{sa{sv}}', { ...groups, ...ipGroups(groups, change) });
      await this.#bus.call(MANAGER, 'ActivateConnection', 'ooo', connection, device.path, '/');
    }
    await this.#settled(device.path);
  }

  /** The connection that a device uses, else one that it could use. */
  async #connectionOf({ values }: NmDevice): Promise<string | undefined> {
    const active = await this.#optional(pathIn(values, 'ActiveConnection'), 'Connection.Active');
    if (active !== undefined) return pathIn(active, 'Connection');
    const available = (values.AvailableConnections?.value ?? []) as readonly string[];
    return typeOf(values) === 'wifi' ? undefined : available[0];
  }

  /** NetworkManager returns a connection without its secrets, and would lose them if it were written back like that. */
  async #addSecrets(settings: Target, groups: Groups): Promise<void> {
    for (const name of ['802-11-wireless-security', '802-1x']) {
      if (groups[name] === undefined) continue;
      const answer = await this.#bus.call(settings, 'GetSecrets', 's', name).catch(orNothing);
      const secrets = (answer?.[0] ?? {}) as Groups;
      groups[name] = { ...groups[name], ...secrets[name] };
    }
  }

  /** Waits until a device has its address. One that still tries is left to the confirmation. @throws FaceplateError */
  async #settled(path: string): Promise<void> {
    const end = this.#clock.now() + SETTLE_MS;
    while (this.#clock.now() < end) {
      const state = numberIn(await this.#bus.properties(nm(path, 'Device')), 'State');
      if (state === STATE_ACTIVATED) return;
      if (state === STATE_FAILED) break;
      await new Promise<void>((resolve) => this.#clock.after(LOOK_MS, resolve));
    }
    const state = numberIn(await this.#bus.properties(nm(path, 'Device')), 'State');
    if (state === STATE_FAILED)
      throw new FaceplateError('HARDWARE_ERROR', 'The interface got no connection. All is as it was before.');
  }
}

/** The groups of a connection that a change replaces. */
function ipGroups(groups: Groups, { method, address, prefix, gateway, dns = [] }: NetworkChange): Groups {
  const servers = dns.filter((server) => !server.includes(':')).map(ipv4Number);
  const servers6 = dns.filter((server) => server.includes(':')).map(ipv6Bytes);
  const isOwn = variant('b', dns.length > 0);
  const common = { dns: variant('au', servers), 'ignore-auto-dns': isOwn };
  const at = { address: variant('s', address), prefix: variant('u', prefix) };
  const manual = {
    method: variant('s', 'manual'),
    'address-data': variant('aa{sv}', [at]),
    ...(gateway !== undefined && { gateway: variant('s', gateway) }),
  };
  const { dns: _dns, ...ipv6 } = groups.ipv6 ?? { method: variant('s', 'auto') };
  const isOff = ['disabled', 'ignore', 'link-local'].includes(textIn(ipv6, 'method'));
  if (isOff && servers6.length > 0)
    throw new FaceplateError('INVALID_REQUEST', 'IPv6 is off on this interface: name IPv4 servers only.', {
      field: 'dns',
    });
  return {
    ipv4: method === 'auto' ? { method: variant('s', 'auto'), ...common } : { ...manual, ...common },
    ipv6: isOff ? ipv6 : { ...ipv6, dns: variant('aay', servers6), 'ignore-auto-dns': isOwn },
  };
}

function refusal(what: string, error: unknown): unknown {
  if (!(error instanceof BusError)) return error;
  return new FaceplateError(
    'HARDWARE_ERROR',
    `NetworkManager ${what}: ${error.message.replace(/\.$/, '')}.`,
    {
      cause: error,
    },
  );
}
