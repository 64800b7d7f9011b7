import { join } from 'node:path';
import type { Dispatch, Dispatcher } from '../../commands/dispatch.ts';
import type { Scope } from '../../contract/access.ts';
import type { FleetBroker } from '../../parts/fleet/driver.ts';
import { InTurn } from '../../platform/async.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { StrangersLog } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { TlsPaths } from './brokerStream.ts';
import { Commands, SelfCheck } from './commands.ts';
import { BrokerConnection } from './connection.ts';
import { type MqttFacts, type RetainedRecord, retainedTopics } from './contract.ts';
import { BrokerOfFleet } from './fleetBroker.ts';
import { JoinTopics } from './joinTopics.ts';
import { Events, States } from './states.ts';
import type { BrokerNames, ConnectionFacts, HomeAssistantNeeds, HomeAssistantPart, Panel } from './types.ts';

interface SurfaceOptions extends SurfaceNeeds {
  /** As they are now; without an address there is no broker. */
  settings(): MqttSettings;
  readonly dataDir: string;
}

/** The panel on the broker of the house, with the settings as they are now. */
export class MqttSurface {
  readonly #options: SurfaceOptions;
  readonly #retained: RetainedTopics;
  #session: MqttSession | undefined;
  readonly #changes = new InTurn();
  #isStopped = false;

  constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#retained = new RetainedTopics(options.dataDir, options.log);
  }

  async start(): Promise<void> {
    await this.#retained.load();
    this.#open();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#changes.idle();
    await this.#session?.stop();
    this.#session = undefined;
    await this.#retained.stop();
  }

  /** A setting of the broker has changed: the panel leaves as it was, and comes back as it is. Resolves in between. */
  follow(): Promise<void> {
    return this.#changes.run(async () => {
      if (this.#isStopped) return;
      const before = this.#session;
      this.#session = undefined;
      await before?.stop(this.#options.settings());
      if (!this.#isStopped) this.#open();
    });
  }

  /** What `info` says has changed. */
  infoChanged(): void {
    this.#session?.infoChanged();
  }

  facts(): Pick<MqttFacts, 'state' | 'reason'> {
    if (this.#options.settings().url === '') return { state: 'off', reason: null };
    return this.#session?.facts ?? { state: 'connecting', reason: null };
  }

  /** @see HomeAssistantPart.entities; null without Home Assistant. */
  get entities(): number | null {
    return this.#session?.entities ?? null;
  }

  #open(): void {
    const settings = this.#options.settings();
    if (settings.url === '') return;
    this.#retained.use(settings.url);
    this.#session = new MqttSession(settings, this.#options, this.#retained);
    this.#session.start();
  }
}

/** The settings `mqtt.*`. */
export interface MqttSettings extends BrokerNames {
  readonly url: string;
  readonly username: string;
  readonly password: string;
  readonly files: TlsPaths;
  readonly scopes: readonly Scope[];
  readonly isFleet: boolean;
}

/** What the surface is made of, besides its settings. */
export interface SurfaceNeeds {
  readonly dispatch: Dispatch;
  /** Writes down what was refused before it came to `dispatch`. */
  readonly noteRefused: Dispatcher['noteRefused'];
  readonly bus: EventBus;
  readonly panel: Panel;
  /** Who hears the other panels, while `mqtt.fleet` is on. */
  readonly fleet: { attach(broker: FleetBroker | undefined): void };
  readonly homeAssistant?: ((needs: HomeAssistantNeeds) => HomeAssistantPart) | undefined;
  readonly clock: Clock;
  /** 0 to 1 */
  readonly random?: () => number;
  /** For what callers on the broker cause. */
  readonly strangers: StrangersLog;
  readonly log: Logger;
}

/** The panel on a broker, with one set of settings. */
class MqttSession {
  readonly #settings: MqttSettings;
  readonly #needs: SurfaceNeeds;
  readonly #retained: RetainedTopics;
  readonly #link: BrokerConnection;
  readonly #states: States;
  readonly #events: Events;
  readonly #commands: Commands;
  readonly #joins: JoinTopics;
  readonly #selfCheck: SelfCheck;
  readonly #homeAssistant: HomeAssistantPart | undefined;
  readonly #fleet: BrokerOfFleet | undefined;
  /** Counts the connections: only the newest one is announced. */
  #connections = 0;
  #isStopped = false;

  constructor(settings: MqttSettings, needs: SurfaceNeeds, retained: RetainedTopics) {
    const { bus, panel, dispatch, noteRefused, clock, random, strangers, log } = needs;
    const { scopes, isFleet, discovery } = settings;
    this.#settings = settings;
    this.#needs = needs;
    this.#retained = retained;
    const link = new BrokerConnection({
      ...settings,
      clientId: `faceplate-${settings.id}`,
      willTopic: `${this.#own}availability`,
      onRetained: (topic, isEmptied) => retained.note(topic, isEmptied),
      clock,
      ...(random && { random }),
      log,
    });
    this.#link = link;
    const names: BrokerNames = settings;
    const remembered = () => retained.all();
    const base = (kind: string) => `${this.#own}${kind}/`;
    this.#states = new States({ link, base: base('state'), panel, bus, isFleet, remembered, clock, log });
    this.#events = new Events({ link, base: base('event'), panel, bus, log });
    this.#commands = new Commands({ link, names, scopes, dispatch, noteRefused, clock, strangers, log });
    const say = (words: string | null) => link.noteKeptBack(words);
    this.#selfCheck = new SelfCheck({ link, names, say, clock });
    const sendStates = () => this.#states.sendAll();
    const call: HomeAssistantNeeds['call'] = (command, params, topic) =>
      this.#commands.call(command, params, topic);
    this.#joins = new JoinTopics({ link, base: `${base('set')}join/`, call, strangers, log });
    this.#homeAssistant =
      discovery === ''
        ? undefined
        : needs.homeAssistant?.({
            link,
            names,
            panel,
            bus,
            scopes,
            call,
            sendStates,
            remembered,
            clock,
            strangers,
            log,
          });
    this.#fleet = isFleet ? new BrokerOfFleet({ link, names, log }) : undefined;
  }

  get facts(): ConnectionFacts {
    return this.#link.facts;
  }

  get entities(): number | null {
    return this.#homeAssistant?.entities ?? null;
  }

  /** What `info` says has changed. */
  infoChanged(): void {
    this.#states.infoChanged();
  }

  start(): void {
    this.#states.start();
    this.#events.start();
    this.#commands.start();
    this.#joins.start();
    this.#selfCheck.start();
    this.#homeAssistant?.start();
    this.#fleet?.start();
    this.#link.onConnected(() => void this.#announce());
    this.#link.onFacts(() => this.#states.infoChanged());
    this.#link.start();
    if (this.#fleet !== undefined) this.#needs.fleet.attach(this.#fleet);
  }

  /** Ends the session in an orderly way. @param next the settings after it; what they name otherwise is emptied */
  async stop(next?: MqttSettings): Promise<void> {
    this.#isStopped = true;
    if (this.#fleet !== undefined) this.#needs.fleet.attach(undefined);
    this.#fleet?.stop();
    this.#states.stop();
    this.#events.stop();
    this.#joins.stop();
    this.#selfCheck.stop();
    await this.#homeAssistant?.stop();
    await this.#commands.stop();
    const isLeft = next !== undefined && next.url !== '';
    const gone = isLeft
      ? this.#retained.all().filter((topic) => next.url !== this.#settings.url || !isOf(topic, next))
      : [];
    const farewells = gone.map((topic) => ({ topic, payload: '', options: { isRetained: true } }));
    await this.#link.stop([
      ...farewells,
      ...(gone.includes(`${this.#own}availability`) ? [] : [this.#availability('offline')]),
    ]);
  }

  async #announce(): Promise<void> {
    const connection = ++this.#connections;
    const isOver = () => this.#isStopped || connection !== this.#connections;
    this.#states.hold();
    this.#selfCheck.check();
    await this.#emptyFormer();
    if (isOver()) return;
    await this.#homeAssistant?.announce();
    if (isOver()) return;
    await this.#states.sendAll();
    if (isOver()) return;
    const { topic, payload, options } = this.#availability('online');
    await this.#link.publish(topic, payload, options).catch(() => {});
  }

  /** Empties what the panel had under other names. */
  async #emptyFormer(): Promise<void> {
    const former = this.#retained.all().filter((topic) => !isOf(topic, this.#settings));
    await Promise.allSettled(former.map((topic) => this.#link.publish(topic, '', { isRetained: true })));
  }

  #availability(payload: 'online' | 'offline') {
    return { topic: `${this.#own}availability`, payload, options: { isRetained: true } };
  }

  /** `<prefix>/<id>/` */
  get #own(): string {
    return `${this.#settings.prefix}/${this.#settings.id}/`;
  }
}

/** Whether a topic belongs to the panel under these names. */
function isOf(topic: string, { prefix, id, discovery }: BrokerNames): boolean {
  // Without discovery the states of entities are not needed.
  if (topic.startsWith(`${prefix}/${id}/entity/`)) return discovery !== '';
  if (topic.startsWith(`${prefix}/${id}/`)) return true;
  return discovery !== '' && topic.startsWith(`${discovery}/`) && topic.includes(`/faceplate_${id}/`);
}

/** More topics than a panel has parts, entities, joins and former names. */
const MOST_TOPICS = 8_000;

/**
 * The topics that a broker retains for this panel, remembered over a restart: only the panel can empty those of its
 * earlier name, or of a part that is gone.
 */
class RetainedTopics {
  readonly #file: StateFile<RetainedRecord>;
  readonly #log: Logger;
  #url = '';
  #topics = new Set<string>();

  constructor(dataDir: string, log: Logger) {
    const path = join(dataDir, 'mqtt.json');
    this.#file = new StateFile({ path, schema: retainedTopics, defaults: { url: '', topics: [] }, log });
    this.#log = log;
  }

  async load(): Promise<void> {
    const { url, topics } = await this.#file.load();
    this.#url = url;
    this.#topics = new Set(topics);
  }

  /** From now on those of this broker count; what another one keeps is out of reach. */
  use(url: string): void {
    if (url === this.#url) return;
    this.#url = url;
    this.#topics.clear();
  }

  /** What the broker may keep, as far as it is known. */
  all(): readonly string[] {
    return [...this.#topics];
  }

  /** A topic is retained from now on, or was emptied. */
  note(topic: string, isEmptied: boolean): void {
    if (this.#topics.has(topic) !== isEmptied) return;
    if (isEmptied) this.#topics.delete(topic);
    else if (this.#topics.size < MOST_TOPICS) this.#topics.add(topic);
    this.#file
      .save({ url: this.#url, topics: [...this.#topics] })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'mqtt: could not save the retained topics'));
  }

  /** Resolves when all is on the disk. */
  async stop(): Promise<void> {
    await this.#file.save({ url: this.#url, topics: [...this.#topics] }).catch(() => {});
  }
}
