import { FaceplateError } from '../../contract/errors.ts';
import type { StrangersLog } from '../../platform/limits.ts';
import type { Logger } from '../../platform/log.ts';
import type { BrokerLink, BrokerMessage, HomeAssistantNeeds } from './types.ts';

/** Longest value, in bytes: the longest text of a join as JSON, with each character of six bytes. */
const PAYLOAD_LIMIT = 100_000;
/** So many values are on their way, such as to a person who has to say yes. */
const MOST_UNDER_WAY = 1_000;

interface JoinTopicsOptions {
  readonly link: BrokerLink;
  /** `<prefix>/<id>/set/join/` */
  readonly base: string;
  readonly call: HomeAssistantNeeds['call'];
  readonly strangers: StrangersLog;
  readonly log: Logger;
}

/**
 * Values for the page at `set/join/<kind>/<name>`, as JSON: each is `joins.set` of a caller on the broker. Nothing is
 * answered; what does not fit is logged and changes nothing.
 */
export class JoinTopics {
  readonly #options: JoinTopicsOptions;
  #underWay = 0;
  #unsubscribe: (() => void) | undefined;

  constructor(options: JoinTopicsOptions) {
    this.#options = options;
  }

  start(): void {
    const { link, base } = this.#options;
    this.#unsubscribe = link.subscribe(`${base}+/+`, (message) => void this.#heard(message));
  }

  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /** Never rejects. */
  async #heard({ topic, payload, isRetained }: BrokerMessage): Promise<void> {
    const { base, call, log } = this.#options;
    const [kind = '', name = ''] = topic.slice(base.length).split('/');
    // One that the broker keeps would be set again at every start, however old it is.
    if (isRetained) return this.#refused(name, 'it is retained');
    if (payload.length > PAYLOAD_LIMIT)
      return this.#refused(name, `it is longer than ${PAYLOAD_LIMIT} bytes`);
    if (this.#underWay >= MOST_UNDER_WAY) return this.#refused(name, `${MOST_UNDER_WAY} wait already`);
    let value: unknown;
    try {
      value = JSON.parse(payload.toString('utf8'));
    } catch {
      return this.#refused(name, 'it is not valid JSON');
    }
    this.#underWay++;
    try {
      await call('joins.set', { kind, name, value }, topic);
    } catch (error) {
      // A refused command is logged where it was refused.
      if (!(error instanceof FaceplateError))
        log.error({ err: error, join: name.slice(0, 64) }, 'mqtt: could not handle a value of a join');
    } finally {
      this.#underWay--;
    }
  }

  #refused(name: string, reason: string): void {
    const { strangers, link } = this.#options;
    const details = { join: name.slice(0, 64), reason };
    strangers.info(link.address, details, 'mqtt: value of a join refused');
  }
}
