import { FaceplateError } from '../../../contract/errors.ts';
import { type Entity, InvalidPayload } from '../../../parts/homeAssistant.ts';
import { InTurn } from '../../../platform/async.ts';
import type { StrangersLog } from '../../../platform/limits.ts';
import type { Logger } from '../../../platform/log.ts';
import type { BrokerLink, BrokerMessage, HomeAssistantNeeds } from '../types.ts';

/** Longest payload, in bytes: the longest text of a message, each character of four bytes. */
const PAYLOAD_LIMIT = 8_192;
/** How many payloads of one entity may wait. */
const WAITING_LIMIT = 20;
/** How many entities may have payloads that wait: names that no entity has count too. */
const ENTITIES_LIMIT = 256;

interface SetTopicsOptions {
  readonly link: BrokerLink;
  /** `<prefix>/<id>` */
  readonly base: string;
  readonly call: HomeAssistantNeeds['call'];
  /** The entities as they are now. */
  entities(): Promise<readonly Entity[]>;
  readonly strangers: StrangersLog;
  readonly log: Logger;
}

/**
 * Plain payloads at `set/<entity>`, as Home Assistant sends them: each becomes commands of a caller on the broker.
 * Nothing is answered; what does not fit is logged. Those of one entity are carried out one after the other, for a later
 * one may stand on what an earlier one has changed.
 */
export class SetTopics {
  readonly #options: SetTopicsOptions;
  #isStopped = false;
  /** Of each entity with work: how many payloads, and their turns. */
  readonly #queues = new Map<string, { count: number; readonly turns: InTurn }>();
  #unsubscribe: (() => void) | undefined;

  constructor(options: SetTopicsOptions) {
    this.#options = options;
  }

  start(): void {
    const { link, base } = this.#options;
    this.#unsubscribe = link.subscribe(`${base}/set/+`, (message) => this.#heard(message));
  }

  /** What waits is not carried out any more. */
  stop(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
    this.#isStopped = true;
  }

  #heard({ topic, payload, isRetained }: BrokerMessage): void {
    const key = topic.slice(topic.lastIndexOf('/') + 1);
    const queue = this.#queues.get(key) ?? { count: 0, turns: new InTurn() };
    const refusal = this.#refusalOf(payload, isRetained, queue.count);
    if (refusal !== undefined) {
      this.#refused(key, refusal);
      return;
    }
    queue.count++;
    void queue.turns.run(async () => {
      await this.#carryOut(key, topic, payload.toString('utf8'));
      if (--queue.count === 0) this.#queues.delete(key);
    });
    this.#queues.set(key, queue);
  }

  #refusalOf(payload: Buffer, isRetained: boolean, waiting: number): string | undefined {
    // One that the broker keeps would be carried out at every start.
    if (isRetained) return 'it is retained';
    if (payload.length > PAYLOAD_LIMIT) return `it is longer than ${PAYLOAD_LIMIT} bytes`;
    if (waiting >= WAITING_LIMIT) return `${WAITING_LIMIT} wait already`;
    return waiting === 0 && this.#queues.size >= ENTITIES_LIMIT ? 'too many wait' : undefined;
  }

  /** Never rejects: a failure is only logged. */
  async #carryOut(key: string, topic: string, payload: string): Promise<void> {
    const { entities, call, log } = this.#options;
    try {
      const entity = (await entities()).find((each) => each.key === key);
      if (this.#isStopped) return;
      if (entity?.set === undefined)
        throw new InvalidPayload('is for an entity that this panel does not have');
      await entity.set(payload, (name, params) => call(name, params, topic));
    } catch (error) {
      if (error instanceof InvalidPayload) this.#refused(key, `it ${error.message}`);
      // A refused command is logged where it was refused.
      else if (!(error instanceof FaceplateError))
        log.error({ err: error, entity: key }, 'mqtt: could not handle a payload');
    }
  }

  #refused(key: string, reason: string): void {
    const entity = key.slice(0, 64);
    const { strangers, link } = this.#options;
    strangers.info(link.address, { entity, reason }, 'mqtt: payload for an entity refused');
  }
}
