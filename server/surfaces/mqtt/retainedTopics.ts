import { join } from 'node:path';
import type { Logger } from '../../platform/log.ts';
import { StateFile } from '../../platform/stateFile.ts';
import { type RetainedRecord, retainedTopics } from './contract.ts';

/** More topics than a panel has parts, entities and former names. */
const MOST_TOPICS = 2_000;

/**
 * The topics that a broker keeps for this panel, remembered over a restart: under another name, or without a part, nobody
 * else would empty them.
 */
export class RetainedTopics {
  readonly #file: StateFile<RetainedRecord>;
  readonly #log: Logger;
  #url = '';
  #topics = new Set<string>();

  constructor(dataDir: string, log: Logger) {
    const path = join(dataDir, 'mqtt.json');
    this.#file = new StateFile({ path, schema: retainedTopics, defaults: { url: '', topics: [] }, log });
    this.#log = log;
  }

  async load(): Promise<void> {
    const { url, topics } = await this.#file.load();
    this.#url = url;
    this.#topics = new Set(topics);
  }

  /** From now on those of this broker count; what another one keeps is out of reach. */
  use(url: string): void {
    if (url === this.#url) return;
    this.#url = url;
    this.#topics.clear();
  }

  /** What the broker may keep, as far as it is known. */
  all(): readonly string[] {
    return [...this.#topics];
  }

  /** A topic is retained from now on, or was emptied. */
  note(topic: string, isEmptied: boolean): void {
    if (this.#topics.has(topic) !== isEmptied) return;
    if (isEmptied) this.#topics.delete(topic);
    else if (this.#topics.size < MOST_TOPICS) this.#topics.add(topic);
    this.#file
      .save({ url: this.#url, topics: [...this.#topics] })
      .catch((error: unknown) => this.#log.warn({ err: error }, 'the topics on the broker cannot be noted'));
  }

  /** Resolves when all is on the disk. */
  async stop(): Promise<void> {
    await this.#file.save({ url: this.#url, topics: [...this.#topics] }).catch(() => {});
  }
}
