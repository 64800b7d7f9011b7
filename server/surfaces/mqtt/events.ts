import type { EventName } from '../../contract/events.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerLink } from './link.ts';
import type { Panel } from './panel.ts';

/** Events that are told on the broker as they are over HTTP. */
const TOLD: readonly EventName[] = [
  'message',
  'sound',
  'serial',
  'sip',
  'project',
  'rollout',
  'button',
  'scan',
];

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
        if (TOLD.includes(name)) this.#tell(name, payload);
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
      .catch((error: unknown) => log.debug({ err: error, event: name }, 'an event was not taken'));
  }
}
