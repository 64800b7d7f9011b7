import { join } from 'node:path';
import type { Dispatch } from '../../../commands/dispatch.ts';
import type { Scope } from '../../../contract/access.ts';
import { type AnnouncedRecord, announcedRecord } from '../../../contract/homeAssistant.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { EventBus } from '../../../platform/eventBus.ts';
import type { Logger } from '../../../platform/log.ts';
import { StateFile } from '../../../platform/stateFile.ts';
import type { BrokerLink, BrokerNames } from '../link.ts';
import { empty, leftovers, NOTHING_ANNOUNCED, recordOf } from './announced.ts';
import { discoveryMessage, discoveryTopic } from './discovery.ts';
import { entitiesOf } from './entities.ts';
import type { Entity, Topics } from './entity.ts';
import { InUse, isInCall } from './inUse.ts';
import type { HomeAssistantPanel, PanelNow } from './panel.ts';
import { hearPanel } from './panelEvents.ts';
import { edgeOf } from './pins.ts';
import { Screenshots } from './screenshots.ts';
import { SetTopics } from './setTopics.ts';
import { Siren } from './siren.ts';

/** Changes that come closer together are sent together, in milliseconds. */
const PACE_MS = 100;
/** Home Assistant has come back: panels of one house announce themselves within so many milliseconds, by chance. */
const BIRTH_SPREAD_MS = 3_000;

interface HomeAssistantOptions {
  readonly link: BrokerLink;
  readonly names: BrokerNames;
  /** What callers on the broker may do. */
  readonly scopes: readonly Scope[];
  readonly panel: HomeAssistantPanel;
  readonly events: EventBus;
  readonly dispatch: Dispatch;
  /** Sends the states of all parts anew: after a discovery, Home Assistant has forgotten some. */
  resendStates(): void;
  /** What was announced is remembered in `<dataDir>/homeAssistant.json`. */
  readonly dataDir: string;
  readonly clock: Clock;
  /** 0 to 1. */
  readonly random?: () => number;
  readonly log: Logger;
}

/**
 * The panel as a device of Home Assistant: announces its entities, keeps their states, and hears what is set. It only
 * translates; what a payload asks for goes through dispatch. Without a discovery prefix nothing is announced.
 */
export class HomeAssistant {
  readonly #options: HomeAssistantOptions;
  readonly #file: StateFile<AnnouncedRecord>;
  readonly #topics: Topics;
  readonly #siren: Siren;
  readonly #inUse: InUse;
  readonly #screenshots: Screenshots;
  readonly #setTopics: SetTopics;
  #ends: (() => void)[] = [];
  #isStopped = false;
  /** The discovery message and the states that the broker has, by topic. */
  readonly #sent = new Map<string, string>();
  #cancelLook: (() => void) | undefined;
  #cancelBirth: (() => void) | undefined;
  /** Looks run one after the other. */
  #looking: Promise<void> = Promise.resolve();
  #last: PanelNow | undefined;

  constructor(options: HomeAssistantOptions) {
    const { link, names, scopes, panel, dispatch, dataDir, clock, log } = options;
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
    this.#siren = new Siren(clock, () => this.#lookSoon());
    this.#inUse = new InUse(clock, () => this.#lookSoon());
    this.#screenshots = new Screenshots({
      take: () => panel.picture(),
      send: (picture) => this.#send(this.#topics.own('screenshot'), picture, true),
      clock,
      log,
    });
    this.#setTopics = new SetTopics({
      link,
      base,
      scopes,
      dispatch,
      entities: async () => this.#entities(await panel.read()),
      log,
    });
  }

  /** Reads what was announced before, and hears from then on. */
  async start(): Promise<void> {
    await this.#file.load();
    if (this.#isStopped) return;
    const { link, names, panel, events } = this.#options;
    this.#setTopics.start();
    this.#ends = [
      panel.onChange(() => this.#lookSoon()),
      panel.onActivity(() => this.#inUse.activity()),
      panel.onInput(({ pin, level }) => {
        const key = this.#last && edgeOf(this.#last, pin);
        if (key !== undefined) this.#tell(key, { event_type: level === 1 ? 'high' : 'low' });
      }),
      hearPanel(events, {
        onChange: () => this.#lookSoon(),
        onPicture: () => this.#screenshots.changed(),
        onRing: (callerName) => this.#tell('ring', { event_type: 'ring', callerName }),
        onSoundEnd: (id) => this.#siren.ended(id),
      }),
    ];
    if (names.discovery !== '')
      this.#ends.push(
        link.subscribe(`${names.discovery}/status`, ({ payload, isRetained }) => {
          if (!isRetained && payload.toString('utf8', 0, 16) === 'online') this.#announceSoon();
        }),
      );
  }

  /** Releases everything; what the broker keeps stays. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    for (const end of this.#ends.splice(0)) end();
    this.#setTopics.stop();
    this.#cancelLook?.();
    this.#cancelBirth?.();
    this.#siren.stop();
    this.#inUse.stop();
    this.#screenshots.stop();
    await this.#looking;
  }

  /** Announces the device and sends its states, after each connection. Resolves once all is handed to the connection. */
  async announce(): Promise<void> {
    this.#sent.clear();
    await this.#look();
    // The part of the picture is not waited for: it takes its time.
    if (this.#last?.page !== undefined && this.#options.scopes.includes('view')) this.#screenshots.start();
  }

  #announceSoon(): void {
    const { clock, random = Math.random } = this.#options;
    this.#cancelBirth?.();
    this.#cancelBirth = clock.after(random() * BIRTH_SPREAD_MS, () => void this.announce());
  }

  #lookSoon(): void {
    if (this.#isStopped || !this.#options.link.isConnected) return;
    this.#cancelLook ??= this.#options.clock.after(PACE_MS, () => {
      this.#cancelLook = undefined;
      void this.#look();
    });
  }

  #look(): Promise<void> {
    this.#looking = this.#looking
      .then(() => this.#lookNow())
      .catch((error: unknown) => {
        this.#options.log.warn({ err: error }, 'Home Assistant could not be told');
      });
    return this.#looking;
  }

  /** Compares what the broker has with what should be there, and sends the difference. */
  async #lookNow(): Promise<void> {
    const { names, link, panel } = this.#options;
    const now = await panel.read();
    if (this.#isStopped || !link.isConnected) return;
    this.#last = now;
    const entities = this.#entities(now);
    const topic = names.discovery === '' ? '' : discoveryTopic(names.discovery, names.id);
    const { base } = this.#topics;
    const before = this.#file.value;
    const next = recordOf(before, { topic, base }, entities);
    // Remembered before it is sent: what is forgotten could never be taken back.
    if (JSON.stringify(before) !== JSON.stringify(next)) await this.#remember(next);
    void this.#emptied(leftovers(before, next));
    if (topic !== '') {
      const message = discoveryMessage({ now, id: names.id, base, entities, gone: next.gone });
      if (this.#sent.get(topic) !== message) {
        this.#sent.clear();
        this.#sent.set(topic, message);
        this.#send(topic, message, true);
        this.#options.resendStates();
      }
    }
    for (const { key, state } of entities) {
      const own = this.#topics.own(key);
      if (state === undefined || this.#sent.get(own) === state) continue;
      this.#sent.set(own, state);
      this.#send(own, state, true);
    }
  }

  #entities(now: PanelNow): Entity[] {
    return entitiesOf(now, {
      siren: this.#siren,
      isInUse: this.#inUse.recent || isInCall(now.intercom?.callStatus),
      scopes: this.#options.scopes,
      topics: this.#topics,
    });
  }

  /** An event, which the broker does not keep. */
  #tell(key: string, event: object): void {
    this.#send(this.#topics.own(key), JSON.stringify(event), false);
  }

  #send(topic: string, payload: string | Uint8Array, isRetained: boolean): void {
    const { link, log } = this.#options;
    link.publish(topic, payload, { isRetained }).catch((error: unknown) => {
      this.#sent.delete(topic);
      log.warn({ err: error, topic }, 'the broker did not take a message for Home Assistant');
    });
  }

  async #emptied(topics: readonly string[]): Promise<void> {
    const { link, log } = this.#options;
    await empty(link, topics).catch((error: unknown) =>
      log.warn({ err: error }, 'the broker keeps what Home Assistant was told before'),
    );
  }

  /** A full disk keeps nobody from being told. */
  async #remember(record: AnnouncedRecord): Promise<void> {
    await this.#file
      .save(record)
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'what was announced is not remembered'),
      );
  }
}
