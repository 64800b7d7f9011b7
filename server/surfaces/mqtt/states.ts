import type { EventName, EventPayload } from '../../contract/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerLink } from './link.ts';
import { Paced } from './paced.ts';
import type { Panel } from './panel.ts';

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

/** Parts whose event is the same object as their topic. */
const SAME = [
  'led',
  'climate',
  'rtc',
  'power',
  'display',
  'page',
  'health',
  'update',
] as const satisfies readonly EventName[];

/** The states of the parts, retained at `<id>/state/<part>`: when they change, and after each connection. */
export class States {
  readonly #options: StatesOptions;
  readonly #parts = new Map<string, Paced>();
  readonly #ends: (() => void)[] = [];
  /** Whether all states of this connection were sent; nothing goes before them. */
  #isTold = false;
  /** The roll-out that this panel told of last. */
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

  async #all(): Promise<Map<string, unknown>> {
    const { panel } = this.#options;
    const snapshot = panel.snapshot();
    const states = new Map<string, unknown>();
    const { led, climate, rtc, power, display, page, gpio } = snapshot;
    for (const [part, state] of Object.entries({ led, climate, rtc, power, display, page }))
      if (state !== undefined) states.set(part, state);
    for (const pin of gpio) states.set(`gpio/${pin.pin}`, pin);
    for (const part of ['info', 'health', 'projects', 'sip', 'update', 'rollout']) {
      const state = await this.#read(part);
      if (state !== undefined) states.set(part, state);
    }
    return states;
  }

  #follow<N extends EventName>(name: N, payload: EventPayload<N>): void {
    if (name === 'gpio') this.#set(`gpio/${(payload as EventPayload<'gpio'>).pin}`, payload);
    else if ((SAME as readonly string[]).includes(name)) this.#set(name, payload);
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
      log.debug({ err: error, part }, 'a state cannot be read');
      return undefined;
    }
  }

  #set(part: string, state: unknown): void {
    // While the broker is away nothing waits: after a connection all is read anew.
    const { isConnected } = this.#options.link;
    if (isConnected && this.#isTold && this.#ends.length > 0) this.#part(part).set(JSON.stringify(state));
  }

  #part(part: string): Paced {
    const { link, base, clock, log } = this.#options;
    let paced = this.#parts.get(part);
    if (paced === undefined) {
      const send = (text: string) =>
        link
          .publish(`${base}${part}`, text, { isRetained: true })
          .catch((error: unknown) => log.debug({ err: error, part }, 'a state was not taken'));
      paced = new Paced(clock, send);
      this.#parts.set(part, paced);
    }
    return paced;
  }
}
