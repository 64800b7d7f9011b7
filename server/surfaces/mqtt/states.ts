import { brokerUses, type EventName, type EventPayload } from '../../contract/events.ts';
import type { Join } from '../../parts/joins/contract.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerLink, Panel } from './types.ts';

/** Shortest time between two messages of one topic, in milliseconds: 10 a second. */
const PACE_MS = 100;

interface StatesOptions {
  readonly link: BrokerLink;
  /** `<prefix>/<id>/state/` */
  readonly base: string;
  readonly panel: Panel;
  readonly bus: EventBus;
  /** Whether roll-outs of this panel are shown. */
  readonly isFleet: boolean;
  /** Topics that were retained before and may be there still. */
  remembered(): readonly string[];
  readonly clock: Clock;
  readonly log: Logger;
}

/** The states of the parts, retained at `<id>/state/<part>`: when they change, and after each connection. */
export class States {
  readonly #options: StatesOptions;
  readonly #parts = new Map<string, Throttle>();
  /** What cameras reported last, which no snapshot has. */
  readonly #cameras = new Map<string, unknown>();
  readonly #ends: (() => void)[] = [];
  /** Whether all states of this connection were sent; nothing is sent before them. */
  #isTold = false;
  /** The roll-out that this panel published last. */
  #rollout: string | undefined;

  constructor(options: StatesOptions) {
    this.#options = options;
  }

  start(): void {
    const { bus, panel } = this.#options;
    this.#ends.push(
      bus.onAny((name, payload) => this.#follow(name, payload)),
      panel.onCall((command) => {
        if (command.startsWith('projects.')) this.#refresh('projects');
        if (command.startsWith('sip.') || command.startsWith('intercom.')) this.#refresh('sip');
      }),
    );
    panel.onJoinsGone((gone) => this.#emptyJoins(gone));
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
    for (const part of this.#parts.values()) part.stop();
  }

  /** What `info` says may have changed. */
  infoChanged(): void {
    this.#refresh('info');
  }

  /** There is a new connection: the states wait for `sendAll`. */
  hold(): void {
    this.#isTold = false;
  }

  /** Sends all states, and empties the topics of parts that are gone. Resolves when the broker has them. */
  async sendAll(): Promise<void> {
    const { base, remembered, link } = this.#options;
    this.#isTold = true;
    const now = await this.#all();
    const gone = remembered().filter((topic) => {
      const part = topic.startsWith(base) ? topic.slice(base.length) : undefined;
      return part !== undefined && !now.has(part) && !(part === 'rollout' && this.#options.isFleet);
    });
    await Promise.all([
      ...[...now].map(([part, state]) => this.#part(part).again(JSON.stringify(state))),
      ...gone.map((topic) => link.publish(topic, '', { isRetained: true }).catch(() => {})),
    ]);
  }

  /** Another project is shown, or a version without these joins. */
  #emptyJoins(gone: readonly Join[]): void {
    for (const { kind, name } of gone) {
      const part = `join/${kind}/${name}`;
      const state = this.#parts.get(part);
      void state?.again('').then(() => {
        if (state.isEmpty) this.#parts.delete(part);
      });
    }
  }

  async #all(): Promise<Map<string, unknown>> {
    const { panel } = this.#options;
    const states = new Map<string, unknown>(this.#cameras);
    for (const { kind, name, value } of panel.joins()) states.set(`join/${kind}/${name}`, value);
    for (const [name, state] of Object.entries(panel.snapshot()))
      for (const one of [state].flat()) {
        const found = partOf(name, one);
        if (found !== undefined) states.set(found.part, found.state);
      }
    for (const part of ['info', 'health', 'projects', 'sip', 'update', 'rollout']) {
      const state = await this.#read(part);
      if (state !== undefined) states.set(part, state);
    }
    return states;
  }

  #follow<N extends EventName>(name: N, payload: EventPayload<N>): void {
    const found = partOf(name, payload);
    if (found !== undefined) this.#set(found.part, found.state, name === 'join');
    if (name === 'camera' && found !== undefined) this.#cameras.set(found.part, found.state);
    if (name === 'rollout') {
      this.#rollout = (payload as EventPayload<'rollout'>).id;
      this.#refresh('rollout');
    }
    if (name === 'project' || name === 'page') this.#refresh('projects');
    if (name === 'sip') this.#refresh('sip');
    // Every 30 s: what changes without an event.
    if (name === 'health') for (const part of ['info', 'projects', 'sip']) this.#refresh(part);
  }

  #refresh(part: string): void {
    void this.#read(part).then((state) => {
      if (state !== undefined) this.#set(part, state);
    });
  }

  /** @returns undefined where there is no such part, or it says nothing now */
  async #read(part: string): Promise<unknown> {
    const { panel, isFleet, log } = this.#options;
    try {
      switch (part) {
        case 'info':
          return panel.info();
        case 'health':
          return await panel.health();
        case 'projects':
          return panel.projects();
        case 'sip':
          return await panel.sip();
        case 'update':
          return panel.update();
        default:
          return isFleet && this.#rollout !== undefined ? panel.rollout(this.#rollout) : undefined;
      }
    } catch (error) {
      log.debug({ err: error, part }, 'mqtt: could not read a state');
      return undefined;
    }
  }

  #set(part: string, state: unknown, isPulse = false): void {
    // While the broker is away nothing waits: after a connection all is read anew.
    const { isConnected } = this.#options.link;
    if (isConnected && this.#isTold && this.#ends.length > 0)
      this.#part(part).set(JSON.stringify(state), isPulse && typeof state === 'boolean');
  }

  #part(part: string): Throttle {
    const { link, base, clock, log } = this.#options;
    let throttle = this.#parts.get(part);
    if (throttle === undefined) {
      const send = (text: string) =>
        link
          .publish(`${base}${part}`, text, { isRetained: true })
          .catch((error: unknown) => log.debug({ err: error, part }, 'mqtt: could not publish a state'));
      throttle = new Throttle(clock, send);
      this.#parts.set(part, throttle);
    }
    return throttle;
  }
}

/** A state as its topic has it. */
interface PartState {
  readonly part: string;
  readonly state: unknown;
}

/** The part that an event or a piece of the snapshot is the state of, as its topic names it. */
function partOf(name: string, state: unknown): PartState | undefined {
  const use = Object.hasOwn(brokerUses, name) ? brokerUses[name as EventName] : 'none';
  if (state === undefined || use === 'none' || use === 'event') return undefined;
  if (use === 'state') return { part: name, state };
  if (typeof state !== 'object' || state === null || isEventOf(name as EventName, state)) return undefined;
  const fields = state as Record<string, unknown>;
  const part = [name, ...[use.stateBy].flat().map((field) => String(fields[field]))].join('/');
  if (use.only !== undefined) return { part, state: fields[use.only] };
  const { [use.without ?? '']: _left, ...rest } = fields;
  return { part, state: rest };
}

/** Whether this event is published as an event, not as a state. */
function isEventOf(name: EventName, payload: unknown): boolean {
  const use = brokerUses[name];
  if (typeof use !== 'object') return use === 'event';
  const fields = payload as Record<string, unknown>;
  const where = Object.entries(use.eventWhere ?? {});
  return where.length > 0 && where.every(([field, value]) => fields[field] === value);
}

interface EventsOptions {
  readonly link: BrokerLink;
  /** `<prefix>/<id>/event/` */
  readonly base: string;
  readonly panel: Panel;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** What happens, at `<id>/event/<name>`; never retained, and dropped while the broker is away. */
export class Events {
  readonly #options: EventsOptions;
  readonly #ends: (() => void)[] = [];

  constructor(options: EventsOptions) {
    this.#options = options;
  }

  start(): void {
    const { bus, panel } = this.#options;
    this.#ends.push(
      bus.onAny((name, payload) => {
        if (isEventOf(name, payload)) this.#tell(name, payload);
      }),
      panel.onInput((edge) => this.#tell('input', edge)),
    );
  }

  stop(): void {
    for (const end of this.#ends.splice(0)) end();
  }

  #tell(name: string, payload: unknown): void {
    const { link, base, log } = this.#options;
    link
      .publish(`${base}${name}`, JSON.stringify(payload))
      .catch((error: unknown) => log.debug({ err: error, event: name }, 'mqtt: could not publish an event'));
  }
}

/** So many changes of one topic wait where each one counts. */
const MOST_PULSES = 16;

/**
 * The newest state of one topic on its way to the broker: one message at a time, at most ten a second, and the last one
 * always.
 */
export class Throttle {
  readonly #clock: Clock;
  readonly #send: (text: string) => Promise<void>;
  #wanted: string | undefined;
  /** What comes before that, oldest first. */
  #before: string[] = [];
  /** What the broker has of this connection. */
  #sent: string | undefined;
  #sentAt = Number.NEGATIVE_INFINITY;
  #sending: Promise<void> | undefined;
  #cancel: (() => void) | undefined;

  /** @param send never rejects */
  constructor(clock: Clock, send: (text: string) => Promise<void>) {
    this.#clock = clock;
    this.#send = send;
  }

  /** Whether the topic is to be empty. */
  get isEmpty(): boolean {
    return this.#wanted === '';
  }

  /**
   * Sends the text where it differs from the last one.
   * @param isPulse what was not sent yet is sent before: a button may be let go before its press was sent
   */
  set(text: string, isPulse = false): void {
    const last = this.#before.at(-1) ?? this.#sent;
    const isWaiting = this.#wanted !== undefined && this.#wanted !== last && this.#wanted !== text;
    if (isPulse && isWaiting && this.#before.length < MOST_PULSES) this.#before.push(this.#wanted!);
    this.#wanted = text;
    this.#next();
  }

  /** Sends the text in any case, at once. */
  async again(text: string): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#before = [];
    await this.#sending;
    this.#wanted = text;
    this.#begin();
    await this.#sending;
  }

  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#before = [];
    this.#wanted = this.#sent;
  }

  #next(): void {
    const isDone = this.#before.length === 0 && this.#wanted === this.#sent;
    if (isDone || this.#sending !== undefined || this.#cancel !== undefined) return;
    const due = this.#sentAt + PACE_MS - this.#clock.now();
    if (due <= 0) this.#begin();
    else
      this.#cancel = this.#clock.after(due, () => {
        this.#cancel = undefined;
        this.#begin();
      });
  }

  #begin(): void {
    if (this.#wanted === undefined || this.#sending !== undefined) return;
    const text = this.#before.shift() ?? this.#wanted;
    this.#sent = text;
    this.#sentAt = this.#clock.now();
    this.#sending = this.#send(text).then(() => {
      this.#sending = undefined;
      this.#next();
    });
  }
}
