import { InTurn } from '../../platform/inTurn.ts';
import type { MqttFacts } from './contract.ts';
import { RetainedTopics } from './retainedTopics.ts';
import { MqttSession, type MqttSettings, type SurfaceNeeds } from './session.ts';

interface SurfaceOptions extends SurfaceNeeds {
  /** As they are now; without an address there is no broker. */
  settings(): MqttSettings;
  readonly dataDir: string;
}

/** The panel on the broker of the house, with the settings as they are now. */
export class MqttSurface {
  readonly #options: SurfaceOptions;
  readonly #retained: RetainedTopics;
  #session: MqttSession | undefined;
  readonly #changes = new InTurn();
  #isStopped = false;

  constructor(options: SurfaceOptions) {
    this.#options = options;
    this.#retained = new RetainedTopics(options.dataDir, options.log);
  }

  async start(): Promise<void> {
    await this.#retained.load();
    this.#open();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#changes.idle();
    await this.#session?.stop();
    this.#session = undefined;
    await this.#retained.stop();
  }

  /** A setting of the broker has changed: the panel leaves as it was, and comes back as it is. Resolves in between. */
  follow(): Promise<void> {
    return this.#changes.run(async () => {
      if (this.#isStopped) return;
      const before = this.#session;
      this.#session = undefined;
      await before?.stop(this.#options.settings());
      if (!this.#isStopped) this.#open();
    });
  }

  /** What `info` says has changed. */
  infoChanged(): void {
    this.#session?.infoChanged();
  }

  facts(): Pick<MqttFacts, 'state' | 'reason'> {
    if (this.#options.settings().url === '') return { state: 'off', reason: null };
    return this.#session?.facts ?? { state: 'connecting', reason: null };
  }

  #open(): void {
    const settings = this.#options.settings();
    if (settings.url === '') return;
    this.#retained.use(settings.url);
    this.#session = new MqttSession(settings, this.#options, this.#retained);
    this.#session.start();
  }
}
