import type { Dispatch } from '../../commands/dispatch.ts';
import type { Scope } from '../../contract/access.ts';
import type { CommandName, ResultOf } from '../../contract/commands.ts';
import type { Snapshot } from '../../contract/events.ts';
import type { RolloutProgress } from '../../parts/fleet/contract.ts';
import type { PinState } from '../../parts/gpio/contract.ts';
import type { Join } from '../../parts/joins/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { StrangersLog } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { MqttFacts } from './contract.ts';

/** A message that came from the broker. */
export interface BrokerMessage {
  readonly topic: string;
  readonly payload: Buffer;
  /** The broker retained it and replays it. */
  readonly isRetained: boolean;
  /** MQTT 5 only. */
  readonly responseTopic?: string | undefined;
  readonly correlationData?: Buffer | undefined;
}

export interface PublishOptions {
  readonly isRetained?: boolean;
  readonly correlationData?: Buffer | undefined;
  /** MQTT 5 only: the topic of the answer. */
  readonly responseTopic?: string | undefined;
  /** User properties; 3.1.1 has none. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** The connection to the broker, as the parts of this surface need it. */
export interface BrokerLink {
  readonly isConnected: boolean;
  /** Whether the broker speaks MQTT 5; else it is 3.1.1, without properties. */
  readonly isVersion5: boolean;
  /** `<host>:<port>` of the broker, for the journal. */
  readonly address: string;
  /** Whether so many messages wait for the broker that one more is not worth its memory, unless it is needed. */
  readonly isBehind: boolean;
  /**
   * Sends with QoS 1. Resolves once the broker has it; while it is away the message is dropped, for states are sent
   * anew after each connection.
   * @throws Error when the broker refuses it
   */
  publish(topic: string, payload: string | Uint8Array, options?: PublishOptions): Promise<void>;
  /**
   * Hears the topics of a filter, also after each reconnection, until the returned function is called.
   * @param filter as MQTT 5 section 4.7 has it
   * @param heard gets each message after its acknowledgement; while its promise is pending nothing more is read
   */
  subscribe(filter: string, heard: (message: BrokerMessage) => void | Promise<void>): () => void;
  /** Called after each connection, once all subscriptions exist; the parts send their states then. */
  onConnected(listener: () => void): () => void;
}

/** The settings of the surface, as they are for one connection. */
export interface BrokerNames {
  readonly prefix: string;
  readonly id: string;
  readonly groups: readonly string[];
  /** Empty: no discovery. */
  readonly discovery: string;
}

/** What the panel says of its connection. */
export type ConnectionFacts = Pick<MqttFacts, 'state' | 'reason'>;

/** What the panel says of itself, as GET answers; undefined: it has no such part. */
export interface Panel {
  info(): ResultOf<'system.info'>;
  /** LED, pins, power, schedule, screen and page. */
  snapshot(): Snapshot;
  health(): Promise<ResultOf<'health.state'>>;
  projects(): ResultOf<'projects.list'>;
  /** The status of the intercom. */
  sip(): Promise<ResultOf<'sip.getStatus'> | undefined>;
  update(): ResultOf<'update.state'> | undefined;
  /** What the page of a project with joins sent last. */
  joins(): Iterable<Join>;
  /** Called with what of it is forgotten. */
  onJoinsGone(listener: (gone: readonly Join[]) => void): void;
  /** A roll-out of this panel. */
  rollout(id: string): RolloutProgress | undefined;
  /** Called with each edge at an input that the panel did not write itself. */
  onInput(listener: (edge: PinState) => void): () => void;
  /** Called with the name of each command that has ended, from any surface. */
  onCall(listener: (command: string) => void): () => void;
}

/** What Home Assistant's part of the surface gets, new for each set of settings. */
export interface HomeAssistantNeeds {
  readonly link: BrokerLink;
  readonly names: BrokerNames;
  readonly panel: Panel;
  readonly bus: EventBus;
  /** What `mqtt.scopes` allow: nothing else is announced. */
  readonly scopes: readonly Scope[];
  /** Carries a command out as the caller that wrote to a topic. @throws FaceplateError as dispatch does */
  call(command: CommandName, params: unknown, topic: string): ReturnType<Dispatch>;
  /** Sends all of `state/…` again; after each discovery. */
  sendStates(): Promise<void>;
  /** Topics that the broker may keep of earlier runs, those of this one included. */
  remembered(): readonly string[];
  readonly clock: Clock;
  /** For what any caller on the broker may cause. */
  readonly strangers: StrangersLog;
  readonly log: Logger;
}

/** Home Assistant's part: discovery, entities, plain commands. */
export interface HomeAssistantPart {
  /** How many entities the broker has in the message of discovery; 0 until it has been sent. */
  readonly entities: number;
  /** Subscribes; nothing is sent yet. */
  start(): void;
  /**
   * After each connection, before the states and `online`: discovery, and the states of `<id>/entity/…`. Resolves when the
   * broker has them, and never rejects.
   */
  announce(): Promise<void>;
  stop(): Promise<void>;
}
