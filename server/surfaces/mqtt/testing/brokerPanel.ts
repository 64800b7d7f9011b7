import { type AuditRecord, Dispatcher, type Handlers } from '../../../commands/dispatch.ts';
import type { Snapshot } from '../../../contract/events.ts';
import type { AuthorizedCall } from '../../../parts/callContext.ts';
import type { FleetBroker } from '../../../parts/fleet/driver.ts';
import type { Join } from '../../../parts/joins/contract.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import { EventBus } from '../../../platform/eventBus.ts';
import { StrangersLog } from '../../../platform/limits.ts';
import { silentLogger } from '../../../platform/log.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { until } from '../../../testing/waiting.ts';
import { type MqttSettings, MqttSurface } from '../surface.ts';
import type { HomeAssistantNeeds, HomeAssistantPart, Panel } from '../types.ts';

type Handler = (params: never, context: AuthorizedCall) => unknown;

interface BrokerPanelOptions {
  readonly settings: Partial<MqttSettings> & { readonly url: string };
  readonly handlers?: Readonly<Record<string, Handler>>;
  readonly dataDir?: string;
  readonly state?: Snapshot;
  readonly clock?: Clock;
  readonly homeAssistant?: (needs: HomeAssistantNeeds) => HomeAssistantPart;
}

const LED = { on: true, red: 1, green: 2, blue: 3 };

/** The surface alone, with the real doorway and panels' answers of the test behind it. */
export class BrokerPanel {
  readonly surface: MqttSurface;
  readonly bus = new EventBus(silentLogger());
  /** What the journal is told. */
  readonly notes: AuditRecord[] = [];
  readonly dataDir: string;
  settings: MqttSettings;
  state: Snapshot = {
    led: LED,
    gpio: [{ pin: 0, level: 0 }],
    power: { state: 'awake' },
    serial: [],
    streams: [],
    camera: null,
  };
  projects: { projects: [] } = { projects: [] };
  joins: Join[] = [];
  joinsGone: (gone: readonly Join[]) => void = () => {};
  fleet: FleetBroker | undefined;
  input: (edge: { pin: 0; level: 1 }) => void = () => {};
  called: (command: string) => void = () => {};
  #isStopped = false;

  private constructor(options: BrokerPanelOptions) {
    const { settings, handlers = {}, dataDir, clock, homeAssistant, state } = options;
    if (state !== undefined) this.state = state;
    this.settings = {
      username: '',
      password: '',
      files: { authorities: [], certificate: '', key: '' },
      prefix: 'faceplate',
      id: 'hall',
      groups: [],
      discovery: 'homeassistant',
      scopes: ['view', 'control'],
      isFleet: false,
      ...settings,
    };
    this.dataDir = dataDir ?? temporaryFolder('mqtt');
    const all = { 'led.state': () => ({ status: 'ok', state: LED }), ...handlers };
    const dispatcher = new Dispatcher(all as unknown as Handlers, silentLogger(), {
      pageMay: () => false,
      note: (call) => this.notes.push(call),
    });
    const { dispatch } = dispatcher;
    const panel: Panel = {
      info: () => ({ name: 'Hall', mqtt: this.surface.facts() }) as never,
      snapshot: () => this.state,
      health: async () => ({ uptime: 1 }) as never,
      projects: () => this.projects,
      sip: async () => undefined,
      update: () => undefined,
      rollout: () => undefined,
      joins: () => this.joins,
      onJoinsGone: (listener) => {
        this.joinsGone = listener;
      },
      onInput: (listener) => {
        this.input = listener;
        return () => {};
      },
      onCall: (listener) => {
        this.called = listener;
        return () => {};
      },
    };
    this.surface = new MqttSurface({
      settings: () => this.settings,
      dataDir: this.dataDir,
      dispatch,
      noteRefused: (...refused) => dispatcher.noteRefused(...refused),
      bus: this.bus,
      panel,
      fleet: {
        attach: (broker) => {
          this.fleet = broker;
        },
      },
      clock: clock ?? systemClock,
      random: () => 0,
      homeAssistant,
      strangers: new StrangersLog(silentLogger()),
      log: silentLogger(),
    });
  }

  /** Starts it, and waits until it is connected. */
  static async start(options: BrokerPanelOptions): Promise<BrokerPanel> {
    const panel = new BrokerPanel(options);
    await panel.surface.start();
    if (panel.settings.url !== '') await panel.connected();
    return panel;
  }

  async connected(): Promise<void> {
    await until(() => this.surface.facts().state === 'connected', 'the connection');
  }

  /** Changes settings as a caller does. */
  async change(settings: Partial<MqttSettings>): Promise<void> {
    this.settings = { ...this.settings, ...settings };
    await this.surface.follow();
    if (this.settings.url !== '') await this.connected();
  }

  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.surface.stop();
  }
}
