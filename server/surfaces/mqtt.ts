import type { SettingKey } from '../config/settings.ts';
import type { SettingsStore } from '../config/settingsStore.ts';
import type { Logger } from '../platform/log.ts';
import type { MqttFacts } from './mqtt/contract.ts';
import type { PanelSources } from './mqtt/homeAssistant/homeAssistant.ts';
import type { MqttSettings, MqttSurface, SurfaceNeeds } from './mqtt/surface.ts';

interface MqttOptions {
  readonly store: Pick<SettingsStore, 'now' | 'onLive'>;
  /** The panel's id, where `mqtt.id` is not set. */
  readonly panelId: string;
  readonly dataDir: string;
  readonly log: Logger;
}

/** The panel as it is once calls are answered. */
interface MqttPanel extends Omit<SurfaceNeeds, 'panel' | 'homeAssistant' | 'log'> {
  readonly panel: Omit<SurfaceNeeds['panel'], 'onCall'>;
  /** The same for Home Assistant. */
  readonly sources: PanelSources;
}

/** Settings beside `mqtt.*` that `info` tells. */
const TOLD: readonly SettingKey[] = ['device.name', 'device.language', 'http.host'];

/** MQTT, where there is a broker: without `mqtt.url` nothing of it is even loaded. */
export class Mqtt {
  readonly #options: MqttOptions;
  #panel: MqttPanel | undefined;
  readonly #onCall = new Set<(command: string) => void>();
  #surface: MqttSurface | undefined;
  #changing: Promise<void> = Promise.resolve();
  #endLive = () => {};
  #isStopped = false;

  constructor(options: MqttOptions) {
    this.#options = options;
  }

  /** Connects, where there is a broker, and follows the settings from then on. */
  async open(panel: MqttPanel): Promise<void> {
    this.#panel = panel;
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
  facts(): MqttFacts {
    const { id, groups } = this.#settings();
    const connection = this.#surface?.facts() ?? { state: 'off', reason: null };
    return { ...connection, id, groups: [...groups], entities: this.#surface?.entities ?? null };
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
    const opened = this.#panel;
    if (opened === undefined || this.#isStopped || this.#surface !== undefined || this.#settings().url === '')
      return;
    const { MqttSurface } = await import('./mqtt/surface.ts');
    const { HomeAssistant, homeAssistantPanel } = await import('./mqtt/homeAssistant/homeAssistant.ts');
    const { panel, sources, ...needs } = opened;
    const { dataDir, log } = this.#options;
    const onCall = (listener: (command: string) => void) => {
      this.#onCall.add(listener);
      return () => this.#onCall.delete(listener);
    };
    const surface = new MqttSurface({
      ...needs,
      dataDir,
      log,
      settings: () => this.#settings(),
      panel: { ...panel, onCall },
      homeAssistant: (part) =>
        new HomeAssistant({ ...part, panel: { ...homeAssistantPanel(sources), onCall }, dataDir }),
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
