import { join } from 'node:path';
import type { SettingsStore } from '../../../config/settingsStore.ts';
import { type CommandName, commands, type ResultOf } from '../../../contract/commands.ts';
import { languages } from '../../../contract/device.ts';
import { FaceplateError } from '../../../contract/errors.ts';
import type { Kiosk } from '../../../kiosk/kiosk.ts';
import type {
  Entity,
  EntityGroup,
  EntityHost,
  PanelEvents,
  PartEntities,
  Topics,
} from '../../../parts/homeAssistant.ts';
import type { StartedPanel } from '../../../parts/index.ts';
import { StateFile } from '../../../platform/files/stateFile.ts';
import { webOrigin } from '../../../platform/net/addresses.ts';
import type { HomeAssistantNeeds, HomeAssistantPart } from '../types.ts';
import { type AnnouncedRecord, announcedRecord } from './contract.ts';
import {
  componentsOf,
  discoveryMessage,
  discoveryTopic,
  type HomeAssistantPanel,
  isAlone,
  messagesAlone,
  NOTHING_ANNOUNCED,
  type PanelNow,
  recordOf,
  removed,
} from './discovery.ts';
import { entityMakers } from './makers.ts';
import { SetTopics } from './setTopics.ts';

/** Changes that come closer together are sent together, in milliseconds. */
const PACE_MS = 100;
/** Home Assistant has come back: panels of one house announce themselves within so many milliseconds, by chance. */
const BIRTH_SPREAD_MS = 3_000;

/** Why the device is announced, where it matters. */
type Why = 'states come by themselves' | 'it is back';

interface HomeAssistantOptions extends Omit<HomeAssistantNeeds, 'panel'> {
  readonly panel: HomeAssistantPanel;
  /** What was announced is remembered in `<dataDir>/homeAssistant.json`. */
  readonly dataDir: string;
  /** 0 to 1. */
  readonly random?: () => number;
}

/**
 * The panel as a device of Home Assistant: announces its entities, keeps their states, and hears what is set. It only
 * translates; what a payload asks for is a command like any other.
 */
export class HomeAssistant implements HomeAssistantPart {
  readonly #options: HomeAssistantOptions;
  readonly #file: StateFile<AnnouncedRecord>;
  readonly #topics: Topics;
  readonly #parts: readonly PartEntities<PanelNow>[];
  /** In the order of the discovery message. */
  readonly #groups: readonly EntityGroup<PanelNow>[];
  readonly #setTopics: SetTopics;
  #ends: (() => void)[] = [];
  #isLoaded = false;
  #isStopped = false;
  /** The discovery message and the states that the broker has, by topic. */
  readonly #sent = new Map<string, string>();
  #cancelLook: (() => void) | undefined;
  #cancelBirth: (() => void) | undefined;
  /** Looks run one after the other. */
  #looking: Promise<void> = Promise.resolve();
  #last: PanelNow | undefined;

  constructor(options: HomeAssistantOptions) {
    const { link, names, panel, call, dataDir, clock, strangers, log } = options;
    const base = `${names.prefix}/${names.id}`;
    this.#options = options;
    this.#file = new StateFile({
      path: join(dataDir, 'homeAssistant.json'),
      schema: announcedRecord,
      defaults: NOTHING_ANNOUNCED,
      log,
    });
    this.#topics = {
      base,
      state: (part) => `${base}/state/${part}`,
      own: (key) => `${base}/entity/${key}`,
    };
    const host: EntityHost = {
      clock,
      log,
      picture: () => panel.picture(),
      changed: () => this.#lookSoon(),
      tell: (key, event) => void this.#send(this.#topics.own(key), JSON.stringify(event), false),
      show: (key, bytes) => void this.#send(this.#topics.own(key), bytes, true),
    };
    this.#parts = Object.values(entityMakers).map((make) => make(host));
    this.#groups = this.#parts.flatMap(({ groups }) => groups).toSorted((a, b) => a.order - b.order);
    const entities = async () => this.#entities(await panel.read());
    this.#setTopics = new SetTopics({ link, base, call, entities, strangers, log });
  }

  get entities(): number {
    return Object.keys(this.#file.value.components).length;
  }

  /** Hears from then on; nothing is sent yet. */
  start(): void {
    const { link, names, panel, bus } = this.#options;
    this.#setTopics.start();
    this.#ends = [
      panel.onSettings(() => this.#lookSoon()),
      panel.onCall((command) => {
        if (commands[command as CommandName]?.access.scope !== 'view') this.#lookSoon();
      }),
      panel.onActivity(() => this.#heard('activity', undefined)),
      panel.onInput((edge) => this.#heard('input', edge)),
      bus.onAny((name, payload) => {
        this.#heard(name, payload as PanelEvents[typeof name]);
        // These come often, and no entity depends on them.
        if (name !== 'stream' && name !== 'serial') this.#lookSoon();
      }),
      link.subscribe(`${names.discovery}/status`, ({ payload, isRetained }) => {
        if (!isRetained && payload.toString('utf8', 0, 16) === 'online') this.#announceSoon();
      }),
    ];
  }

  /** Releases everything; what the broker keeps stays. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#ends.splice(0)) end();
    this.#setTopics.stop();
    this.#cancelLook?.();
    this.#cancelBirth?.();
    for (const part of this.#parts) part.stop?.();
    await this.#looking;
  }

  /**
   * Announces the device and sends the states of its entities, after each connection. Resolves when the broker has them;
   * never rejects.
   */
  async announce(): Promise<void> {
    this.#sent.clear();
    await this.#look('states come by themselves');
    const now = this.#last;
    if (this.#isStopped || now === undefined) return;
    for (const part of this.#parts) part.announced?.({ now, may: this.#may });
  }

  #announceSoon(): void {
    const { clock, random = Math.random } = this.#options;
    this.#cancelBirth?.();
    this.#cancelBirth = clock.after(random() * BIRTH_SPREAD_MS, () => {
      this.#sent.clear();
      void this.#look('it is back');
    });
  }

  #lookSoon(): void {
    if (this.#isStopped || !this.#options.link.isConnected) return;
    this.#cancelLook ??= this.#options.clock.after(PACE_MS, () => {
      this.#cancelLook = undefined;
      void this.#look();
    });
  }

  #look(why?: Why): Promise<void> {
    this.#looking = this.#looking
      .then(() => this.#lookNow(why))
      .catch((error: unknown) => {
        // What ends at the stop of the service is not gone: nothing is published.
        if (error instanceof FaceplateError && error.code === 'SHUTTING_DOWN') return;
        this.#options.log.warn({ err: error }, 'mqtt: could not announce to Home Assistant');
      });
    return this.#looking;
  }

  /** Compares what the broker has with what should be there, and sends the difference. */
  async #lookNow(why: Why | undefined): Promise<void> {
    const { names, link, panel, sendStates } = this.#options;
    await this.#load();
    const now = await panel.read();
    if (this.#isStopped || !link.isConnected) return;
    this.#last = now;
    const entities = this.#entities(now);
    const topic = discoveryTopic(names.discovery, names.id);
    const announced = { now, id: names.id, topics: this.#topics };
    const record = recordOf(this.#file.value, topic, componentsOf(entities, announced));
    const { components, gone } = record;
    // Remembered before it is sent: what is forgotten could never be taken back.
    await this.#remember(record);
    const message = discoveryMessage({ ...removed(gone), ...components }, announced);
    const alone = messagesAlone(entities, announced, names.discovery);
    const sending = this.#emptied(entities, alone);
    if (this.#sent.get(topic) !== message) {
      this.#sent.clear();
      this.#sent.set(topic, message);
      // What went while Home Assistant was away it does not remove, for it has not heard of it since its start.
      const isLeft = why === 'it is back' && Object.keys(gone).length > 0;
      if (isLeft)
        sending.push(this.#send(topic, discoveryMessage({ ...gone, ...components }, announced), true));
      sending.push(this.#send(topic, message, true));
      if (isLeft) await this.#remember({ ...record, gone: {} });
      if (why !== 'states come by themselves') sending.push(sendStates());
    }
    for (const [own, text] of alone) {
      if (this.#sent.get(own) === text) continue;
      this.#sent.set(own, text);
      sending.push(this.#send(own, text, true));
    }
    for (const { key, state } of entities) {
      const own = this.#topics.own(key);
      if (state === undefined || this.#sent.get(own) === state) continue;
      this.#sent.set(own, state);
      sending.push(this.#send(own, state, true));
    }
    await Promise.all(sending);
  }

  /** All entities of the panel as it is now: of parts that it has, with commands that callers on the broker may use. */
  #entities(now: PanelNow): Entity[] {
    const column = languages.indexOf(now.language);
    const context = {
      now,
      topics: this.#topics,
      word: (...words: [en: string, de: string, es: string]) => words[column]!,
      may: this.#may,
    };
    return this.#groups
      .flatMap((group) => group.entities(context))
      .filter(({ needs }) => needs === undefined || this.#may(needs));
  }

  readonly #may = (command: CommandName): boolean => {
    const { scope } = commands[command].access;
    return this.#options.scopes.some((held) => held === scope);
  };

  #heard<N extends keyof PanelEvents>(name: N, payload: PanelEvents[N]): void {
    for (const { heard } of this.#parts) heard?.[name]?.(payload, this.#last);
  }

  /** Never rejects. */
  async #send(topic: string, payload: string | Uint8Array, isRetained: boolean): Promise<void> {
    const { link, log } = this.#options;
    try {
      await link.publish(topic, payload, { isRetained });
    } catch (error) {
      this.#sent.delete(topic);
      log.warn({ err: error, topic }, 'mqtt: could not publish a message for Home Assistant');
    }
  }

  /** Empties the states of entities that are no more, and their own messages. */
  #emptied(entities: readonly Entity[], alone: ReadonlyMap<string, string>): Promise<void>[] {
    const { names, remembered } = this.#options;
    const kept = new Set(entities.map(({ key }) => this.#topics.own(key)));
    return remembered()
      .filter((topic) =>
        topic.startsWith(this.#topics.own(''))
          ? !kept.has(topic)
          : isAlone(topic, names.discovery, names.id) && !alone.has(topic),
      )
      .map((topic) => {
        this.#sent.delete(topic);
        return this.#send(topic, '', true);
      });
  }

  async #load(): Promise<void> {
    if (this.#isLoaded) return;
    await this.#file.load();
    this.#isLoaded = true;
  }

  /** A full disk must not prevent the announcement. */
  async #remember(record: AnnouncedRecord): Promise<void> {
    if (JSON.stringify(record) === JSON.stringify(this.#file.value)) return;
    await this.#file
      .save(record)
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'mqtt: could not save what was announced'),
      );
  }
}

export interface PanelSources {
  info(): ResultOf<'system.info'>;
  readonly parts: Pick<StartedPanel, 'facts' | 'services'>;
  readonly store: SettingsStore;
  readonly kiosk: Kiosk;
}

/** The panel for Home Assistant. A part without the facts that its entities ask for does not compile here. */
export function homeAssistantPanel({
  info,
  parts,
  store,
  kiosk,
}: PanelSources): Omit<HomeAssistantPanel, 'onCall'> {
  const { idle, gpio } = parts.services;
  return {
    read: async () => {
      const { name, id, address, version, board, https } = info();
      const device = { name, serial: id, origin: webOrigin(address, https?.port), version, board };
      return { ...(await parts.facts()), ...device, language: store.now()['device.language'] };
    },
    picture: () => kiosk.picture(),
    onSettings: (listener) => store.onLive(() => listener()),
    onActivity: (listener) => idle.onActivity(listener),
    onInput: (listener) => gpio.onInput(listener),
  };
}
