import type { Dispatch, Dispatcher } from '../../commands/dispatch.ts';
import type { Scope } from '../../contract/access.ts';
import type { FleetBroker } from '../../parts/fleet/driver.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { StrangersLog } from '../../platform/strangersLog.ts';
import { Commands } from './commands.ts';
import { BrokerConnection } from './connection.ts';
import { BrokerOfFleet } from './fleetBroker.ts';
import type { HomeAssistantNeeds, HomeAssistantPart } from './homeAssistantSeam.ts';
import type { BrokerNames, ConnectionFacts } from './link.ts';
import type { Panel } from './panel.ts';
import type { RetainedTopics } from './retainedTopics.ts';
import { SelfCheck } from './selfCheck.ts';
import { Events, States } from './states.ts';
import type { TlsPaths } from './tlsFiles.ts';

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
export class MqttSession {
  readonly #settings: MqttSettings;
  readonly #needs: SurfaceNeeds;
  readonly #retained: RetainedTopics;
  readonly #link: BrokerConnection;
  readonly #states: States;
  readonly #events: Events;
  readonly #commands: Commands;
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

  /** What `info` says has changed. */
  infoChanged(): void {
    this.#states.infoChanged();
  }

  start(): void {
    this.#states.start();
    this.#events.start();
    this.#commands.start();
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
  // Without discovery nobody keeps the states of entities.
  if (topic.startsWith(`${prefix}/${id}/entity/`)) return discovery !== '';
  if (topic.startsWith(`${prefix}/${id}/`)) return true;
  return discovery !== '' && topic.startsWith(`${discovery}/`) && topic.includes(`/faceplate_${id}/`);
}
