import type { Scope } from '../../../../contract/access.ts';
import type { PinState } from '../../../../parts/gpio/contract.ts';
import { EventBus } from '../../../../platform/eventBus.ts';
import { StrangersLog } from '../../../../platform/limits.ts';
import { createLogger, silentLogger } from '../../../../platform/log.ts';
import { FakeClock, settled } from '../../../../testing/fakeClock.ts';
import { temporaryFolder } from '../../../../testing/temporaryFolder.ts';
import type { BrokerLink, BrokerMessage, BrokerNames, PublishOptions } from '../../types.ts';
import type { HomeAssistantPanel, PanelNow } from '../discovery.ts';
import { HomeAssistant } from '../homeAssistant.ts';

/** A panel with everything. */
export const FULL_PANEL: PanelNow = {
  name: 'Küche',
  serial: '0123456789ab',
  origin: 'https://192.168.1.20:8443',
  version: '1.2.3',
  board: 'simulated',
  language: 'en',
  led: { on: true, red: 128, green: 60, blue: 0 },
  buttons: ['Bell', 'Light'],
  readers: ['Door'],
  ir: [
    { port: 'IR1', label: 'TV', sends: true, receives: false, carrier: true },
    { port: 'IR IN', label: '', sends: false, receives: true, carrier: true },
  ],
  climate: { temperature: true, humidity: true },
  pins: [
    { pin: 0, kind: 'io', label: 'IO 1' },
    { pin: 1, kind: 'io', label: 'IO 2' },
    { pin: 2, kind: 'relay', label: 'Relay 1' },
    { pin: 3, kind: 'relay', label: 'Gate' },
  ],
  display: { on: true, brightness: 50, volume: 40, muted: false, idle: 'active', zoom: 1, rotation: 0 },
  page: {
    url: 'http://weather.lan/',
    title: 'Weather',
    state: 'shown',
    since: '2026-01-01T00:00:00.000Z',
    errors: 0,
    home: false,
    until: null,
  },
  pages: [
    { name: 'Weather', url: 'http://weather.lan' },
    { name: 'News', url: 'http://news.lan/' },
  ],
  projects: [
    { id: 'lobby', name: 'Lobby', active: true },
    { id: 'hotel', name: 'Hotel', active: false },
  ],
  cameras: [{ name: 'Hof', events: ['motion', 'visitor'] }],
  hasSound: true,
  hasTemperature: true,
  hasUpdates: true,
  canReboot: true,
  intercom: { callStatus: 'idle', doNotDisturb: false, doors: ['Front', 'Haustür'] },
};

interface Published {
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
}

interface Call {
  readonly name: string;
  readonly params: unknown;
  readonly topic: string;
}

/** A broker in memory that keeps what is retained. */
class FakeLink implements BrokerLink {
  isConnected = true;
  readonly isVersion5 = true;
  readonly isBehind = false;
  readonly address = '127.0.0.1:1883';
  readonly published: Published[] = [];
  readonly retained = new Map<string, string>();
  readonly filters = new Map<string, (message: BrokerMessage) => void>();
  refusal: Error | undefined;

  async publish(
    topic: string,
    payload: string | Uint8Array,
    { isRetained = false }: PublishOptions = {},
  ): Promise<void> {
    if (this.refusal !== undefined) throw this.refusal;
    const text = typeof payload === 'string' ? payload : Buffer.from(payload).toString('latin1');
    this.published.push({ topic, payload: text, isRetained });
    if (isRetained && text === '') this.retained.delete(topic);
    else if (isRetained) this.retained.set(topic, text);
  }

  subscribe(filter: string, heard: (message: BrokerMessage) => void): () => void {
    this.filters.set(filter, heard);
    return () => this.filters.delete(filter);
  }

  onConnected(): () => void {
    return () => {};
  }
}

/** A panel with Home Assistant on a broker in memory, and a clock that the test moves. */
export class House implements AsyncDisposable {
  readonly clock = new FakeClock();
  readonly link = new FakeLink();
  readonly events = new EventBus(silentLogger());
  readonly calls: Call[] = [];
  /** Lines of the log. */
  readonly log: string[] = [];
  now: PanelNow = FULL_PANEL;
  names: BrokerNames = { prefix: 'faceplate', id: 'p1', groups: [], discovery: 'homeassistant' };
  scopes: readonly Scope[] = ['view', 'control', 'manage', 'doors'];
  /** What a command answers. */
  answer: (name: string, params: unknown) => unknown = () => ({ id: 's1' });
  /** Why the panel cannot be read. */
  failure: Error | undefined;
  pictures = 0;
  resent = 0;
  readonly #listeners = new Map<string, Set<(what: never) => void>>();
  #dataDir = '';
  #current: HomeAssistant | undefined;

  /** Starts anew, with the state file of before. */
  async start(): Promise<void> {
    if (this.#dataDir === '') this.#dataDir = temporaryFolder('ha');
    await this.#current?.stop();
    const log = createLogger('debug', { write: (line) => this.log.push(line) });
    this.#current = new HomeAssistant({
      link: this.link,
      names: this.names,
      scopes: this.scopes,
      panel: this.#panel(),
      bus: this.events,
      call: async (name, params, topic) => {
        this.calls.push({ name, params, topic });
        return this.answer(name, params);
      },
      sendStates: async () => {
        this.resent++;
      },
      remembered: () => [...this.link.retained.keys()],
      dataDir: this.#dataDir,
      clock: this.clock,
      random: () => 0.5,
      strangers: new StrangersLog(log),
      log,
    });
    this.#current.start();
    await this.#current.announce();
  }

  async stop(): Promise<void> {
    await this.#current?.stop();
    this.#current = undefined;
  }

  /** The connection was lost and is back. */
  async reconnected(): Promise<void> {
    await this.#current?.announce();
  }

  async change(values: Partial<PanelNow>): Promise<void> {
    this.now = { ...this.now, ...values };
    this.tell('change');
    await this.pass(100);
  }

  /** Lets time pass, with what reads and writes files in between. */
  async pass(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
    for (let turn = 0; turn < 20; turn++) await settled();
  }

  /** Something happens at the panel: `change`, `activity`, `input`. */
  tell(event: string, what?: unknown): void {
    for (const listener of this.#listeners.get(event) ?? []) listener(what as never);
  }

  /** A payload for an entity, as Home Assistant sends it. */
  async set(entity: string, payload: string, isRetained = false): Promise<void> {
    this.send(entity, payload, isRetained);
    await this.pass(0);
  }

  /** The same, and waits for nothing. */
  send(entity: string, payload: string, isRetained = false): void {
    const heard = this.link.filters.get(`${this.names.prefix}/${this.names.id}/set/+`);
    const topic = `${this.names.prefix}/${this.names.id}/set/${entity}`;
    heard?.({ topic, payload: Buffer.from(payload), isRetained });
  }

  birth(payload: string, isRetained = false): void {
    const heard = this.link.filters.get(`${this.names.discovery}/status`);
    heard?.({ topic: `${this.names.discovery}/status`, payload: Buffer.from(payload), isRetained });
  }

  /** The discovery message that the broker keeps. */
  get discovery() {
    const { discovery, id } = this.names;
    const message = this.link.retained.get(`${discovery}/device/faceplate_${id}/config`);
    return message === undefined
      ? undefined
      : (JSON.parse(message) as {
          device: Record<string, unknown>;
          components: Record<string, Record<string, unknown>>;
        });
  }

  /** The state of an entity that the broker keeps. */
  state(key: string): string | undefined {
    return this.link.retained.get(`${this.names.prefix}/${this.names.id}/entity/${key}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  #panel(): HomeAssistantPanel {
    const on = (event: string) => (listener: (what: never) => void) => {
      const listeners = this.#listeners.get(event) ?? new Set();
      this.#listeners.set(event, listeners.add(listener));
      return () => listeners.delete(listener);
    };
    return {
      read: async () => {
        if (this.failure !== undefined) throw this.failure;
        return this.now;
      },
      picture: async () => Buffer.from(`picture ${++this.pictures}`),
      onSettings: on('change'),
      onCall: on('call') as (listener: (command: string) => void) => () => void,
      onActivity: on('activity'),
      onInput: on('input') as (listener: (edge: PinState) => void) => () => void,
    };
  }

  /** Listeners at the panel, for leak checks. */
  get listening(): number {
    return [...this.#listeners.values()].reduce((count, { size }) => count + size, this.events.size);
  }
}
