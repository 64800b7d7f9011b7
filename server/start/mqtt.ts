import { manySettingsMistake } from '../config/changeRules.ts';
import type { SettingKey } from '../config/settings.ts';
import type { SettingsStore } from '../config/settingsStore.ts';
import { isOnLink } from '../intercom/calls/callerPolicy.ts';
import type { SipService } from '../intercom/calls/service.ts';
import type { Kiosk } from '../kiosk/kiosk.ts';
import { FleetService } from '../parts/fleet/service.ts';
import type { HealthService } from '../parts/health/service.ts';
import type { Parts } from '../parts/index.ts';
import type { ProjectsService } from '../parts/projects/service.ts';
import type { UpdateService } from '../parts/update/service.ts';
import { systemClock, systemWallClock } from '../platform/clock.ts';
import { PanelBrowser } from '../platform/mdns/panelBrowser.ts';
import { ownAddresses, reachableAddress, webOrigin } from '../platform/net/addresses.ts';
import type { HomeAssistantPanel, PanelNow } from '../surfaces/mqtt/homeAssistant/types.ts';
import type { MqttSettings, MqttSurface, SurfaceNeeds } from '../surfaces/mqtt/surface.ts';
import type { Launch } from './launch.ts';
import type { Platform } from './platform.ts';

interface MqttOptions extends Omit<SurfaceNeeds, 'panel' | 'homeAssistant'> {
  readonly store: SettingsStore;
  /** The panel's id, where `mqtt.id` is not set. */
  readonly panelId: string;
  readonly dataDir: string;
  readonly panel: Omit<SurfaceNeeds['panel'], 'onCall'>;
  /** The same for Home Assistant. */
  readonly house: Omit<HomeAssistantPanel, 'onCall'>;
}

/** Settings beside `mqtt.*` that `info` tells. */
const TOLD: readonly SettingKey[] = ['device.name', 'device.language', 'http.host'];

/** MQTT, where there is a broker: without `mqtt.url` nothing of it is even loaded. */
export class Mqtt {
  readonly #options: MqttOptions;
  readonly #onCall = new Set<(command: string) => void>();
  #surface: MqttSurface | undefined;
  #changing: Promise<void> = Promise.resolve();
  #endLive = () => {};
  #isStopped = false;

  constructor(options: MqttOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#endLive = this.#options.store.onLive((changed) => this.#follow(changed));
    await this.#load();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#endLive();
    await this.#changing;
    await this.#surface?.stop();
  }

  /** What `info` says of it. */
  facts(): ReturnType<SurfaceNeeds['panel']['info']>['mqtt'] {
    const { id, groups } = this.#settings();
    return { ...(this.#surface?.facts() ?? { state: 'off', reason: null }), id, groups: [...groups] };
  }

  /** What `info` says has changed. */
  infoChanged(): void {
    this.#surface?.infoChanged();
  }

  /** Resolves when a change of the settings has been followed. */
  idle(): Promise<void> {
    return this.#changing;
  }

  /** A command has ended, from any surface. */
  called(command: string): void {
    for (const listener of this.#onCall) listener(command);
  }

  #follow(changed: readonly SettingKey[]): void {
    if (changed.some((key) => key.startsWith('mqtt.'))) {
      this.#changing = this.#changing
        .then(() => (this.#surface === undefined ? this.#load() : this.#surface.follow()))
        .catch((error: unknown) => this.#options.log.error({ err: error }, 'mqtt: could not load'));
    } else if (changed.some((key) => TOLD.includes(key))) this.infoChanged();
  }

  async #load(): Promise<void> {
    if (this.#isStopped || this.#surface !== undefined || this.#settings().url === '') return;
    const { MqttSurface } = await import('../surfaces/mqtt/surface.ts');
    const { HomeAssistant } = await import('../surfaces/mqtt/homeAssistant/homeAssistant.ts');
    const { panel, house, dataDir, ...needs } = this.#options;
    const onCall = (listener: (command: string) => void) => {
      this.#onCall.add(listener);
      return () => this.#onCall.delete(listener);
    };
    const surface = new MqttSurface({
      ...needs,
      dataDir,
      settings: () => this.#settings(),
      panel: { ...panel, onCall },
      homeAssistant: (part) => new HomeAssistant({ ...part, panel: { ...house, onCall }, dataDir }),
    });
    this.#surface = surface;
    await surface.start();
  }

  #settings(): MqttSettings {
    const { store, panelId } = this.#options;
    const now = store.now();
    return {
      url: now['mqtt.url'],
      username: now['mqtt.username'],
      password: now['mqtt.password'],
      files: {
        authorities: now['mqtt.authorities'],
        certificate: now['mqtt.certificate'],
        key: now['mqtt.key'],
      },
      prefix: now['mqtt.prefix'],
      id: now['mqtt.id'] || panelId,
      groups: now['mqtt.groups'],
      discovery: now['mqtt.discovery'],
      scopes: now['mqtt.scopes'],
      isFleet: now['mqtt.fleet'],
    };
  }
}

interface PanelSources {
  info(): {
    name: string;
    id: string;
    address: string;
    version: string;
    board: string;
    https: { port: number } | null;
  };
  readonly parts: Parts;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
  readonly projects: ProjectsService;
  readonly sip: SipService;
  /** As it was at the start. */
  readonly isIntercomOn: boolean;
  readonly health: HealthService;
}

/** The panel for Home Assistant, read from its services. */
export function homeAssistantPanel(sources: PanelSources): Omit<HomeAssistantPanel, 'onCall'> {
  const { info, parts, store, kiosk, projects, sip, isIntercomOn, health } = sources;
  let hasTemperature: Promise<boolean> | undefined;
  let display: Promise<unknown> | undefined;
  return {
    read: async (): Promise<PanelNow> => {
      const { name, id, address, version, board, https } = info();
      // What sensors a machine has does not change while it runs.
      hasTemperature ??= health.state().then(
        ({ temperature }) => temperature !== null,
        () => {
          hasTemperature = undefined;
          return false;
        },
      );
      // What the screen has is not known before it was asked once: an entity that seems to go would be lost.
      display ??= parts.display.state().catch(() => {
        display = undefined;
      });
      await display;
      const sound = parts.sound.part();
      const hasPins = parts.gpio.part().state !== 'absent';
      return {
        name,
        serial: id,
        origin: webOrigin(address, https?.port),
        version,
        board,
        language: store.now()['device.language'],
        led: parts.led.snapshot(),
        buttons: parts.buttons.names,
        readers: parts.readers.names,
        climate: parts.climate.measured,
        pins: hasPins ? (await parts.gpio.list()).pins : [],
        display: parts.display.snapshot(),
        // Whole, to be compared with those of the settings: what is told of it is the name of the page.
        page: kiosk.pageSnapshot(true),
        pages: store.now()['kiosk.pages'],
        projects: (await projects.list()).projects,
        // A loudspeaker may come up later than the panel.
        hasSound: sound.state !== 'absent' || sound.reason === 'not started',
        hasTemperature: await hasTemperature,
        hasUpdates: true,
        canReboot: parts.power.part().state !== 'absent',
        intercom: await intercomNow(sip, isIntercomOn),
      };
    },
    picture: () => kiosk.picture(),
    onSettings: (listener) => store.onLive(() => listener()),
    onActivity: (listener) => parts.idle.onActivity(listener),
    onInput: (listener) => parts.gpio.onInput(listener),
  };
}

/** Undefined while the intercom is off. @throws FaceplateError SHUTTING_DOWN while it ends: it is not gone for good */
async function intercomNow(sip: SipService, isOn: boolean): Promise<PanelNow['intercom']> {
  if (!isOn) return undefined;
  const { status, doors, doNotDisturb } = await sip.overview();
  return { callStatus: status.callStatus, doNotDisturb, doors: doors.map(({ name }) => name) };
}

interface FleetParts {
  readonly launch: Launch;
  readonly platform: Platform;
  readonly projects: ProjectsService;
  readonly update: () => ReturnType<UpdateService['state']> | null;
}

/** The fleet, as this panel sees it: over the broker that the MQTT surface attaches, and by mDNS. */
export function createFleet({ launch, platform, projects, update }: FleetParts): FleetService {
  const { version, log } = launch.options;
  const { dataDir, http, id, board, store, bus, kiosk } = platform;
  const neighbourhood = new PanelBrowser({
    where: () => ({ host: http.outside.host, interfaceName: store.now()['http.announceInterface'] }),
    ownId: id,
    isOnLink: (address) => isOnLink(address, ownAddresses()),
    clock: systemClock,
    log,
  });
  const ownId = () => store.now()['mqtt.id'] || id;
  return new FleetService({
    dataDir,
    isOn: () => store.now()['mqtt.fleet'],
    ownId,
    own: () => {
      const now = store.now();
      const active = projects.list().projects.find((project) => project.active);
      return {
        id: ownId(),
        infoId: id,
        name: now['device.name'],
        version,
        board: board.name,
        address: reachableAddress(http.outside.host, http.outside.port),
        https: http.securePort ?? null,
        groups: now['mqtt.groups'],
        page: kiosk.pageSnapshot() ?? null,
        project: active === undefined ? null : { id: active.id, name: active.name, version: active.version },
        update: update(),
      };
    },
    neighbourhood,
    settingsMistake: manySettingsMistake,
    bus,
    clock: systemWallClock,
    log,
  });
}
