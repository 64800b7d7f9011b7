import type { Dispatch } from '../../commands/dispatch.ts';
import type { Scope } from '../../contract/access.ts';
import type { CommandName } from '../../contract/commands.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { StrangersLog } from '../../platform/strangersLog.ts';
import type { BrokerLink, BrokerNames } from './link.ts';
import type { Panel } from './panel.ts';

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
  /** Subscribes; nothing is sent yet. */
  start(): void;
  /**
   * After each connection, before the states and `online`: discovery, and the states of `<id>/entity/…`. Resolves when the
   * broker has them, and never rejects.
   */
  announce(): Promise<void>;
  stop(): Promise<void>;
}
