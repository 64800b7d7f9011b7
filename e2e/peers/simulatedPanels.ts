import { setTimeout as sleep } from 'node:timers/promises';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';

/** What becomes of a panel that is told something. */
export type Fate =
  | 'good'
  /** It answers with this code. */
  | 'FORBIDDEN'
  | 'INVALID_REQUEST'
  | 'STORAGE_FULL'
  | 'UPDATE_FAILED'
  /** Its page ends so. */
  | 'failed'
  | 'blank'
  /** It loses power in the middle, and is back a moment later. */
  | 'returns'
  /** It is away from the beginning. */
  | 'away';

interface SimulatedOptions {
  readonly url: string;
  readonly count: number;
  readonly prefix?: string;
  readonly groups?: readonly string[];
  readonly client?: IClientOptions;
  /** What becomes of the panel of this number, from 0. */
  fate?(at: number): Fate;
}

/** How many connect at a time. */
const AT_A_TIME = 50;
/** Milliseconds that a page takes to be loaded. */
const LOAD_MS = 100;

/** Panels on a broker, without anything behind them: they say what panels say, and do what they are told or fail at it. */
export class SimulatedPanels {
  readonly #panels: SimulatedPanel[] = [];

  /** Connects all of them; they are online when this resolves. */
  static async start(options: SimulatedOptions): Promise<SimulatedPanels> {
    const all = new SimulatedPanels();
    const { count, fate = () => 'good' } = options;
    for (let from = 0; from < count; from += AT_A_TIME) {
      const panels = Array.from(
        { length: Math.min(AT_A_TIME, count - from) },
        (_, at) => new SimulatedPanel(options, from + at, fate(from + at)),
      );
      all.#panels.push(...panels);
      await Promise.all(panels.map((panel) => panel.start()));
    }
    return all;
  }

  get ids(): string[] {
    return this.#panels.map(({ id }) => id);
  }

  /** Ids of the panels that were told something, in that order, as often as they were. */
  get told(): string[] {
    return this.#panels
      .flatMap(({ id, told }) => told.map((at) => ({ id, at })))
      .sort((one, other) => one.at - other.at)
      .map(({ id }) => id);
  }

  /** The most panels that were at it at the same time. */
  get mostAtOnce(): number {
    const steps = this.#panels
      .flatMap(({ told, done }) => [
        ...told.map((at) => [at, 1] as const),
        ...done.map((at) => [at, -1] as const),
      ])
      .sort(([one, up], [other, down]) => one - other || up - down);
    let now = 0;
    let most = 0;
    for (const [, step] of steps) {
      now += step;
      most = Math.max(most, now);
    }
    return most;
  }

  /** All leave the broker, as at an orderly stop. */
  async stop(): Promise<void> {
    await Promise.all(this.#panels.map((panel) => panel.stop()));
  }
}

class SimulatedPanel {
  readonly id: string;
  readonly told: number[] = [];
  readonly done: number[] = [];
  readonly #options: SimulatedOptions;
  readonly #at: number;
  #fate: Fate;
  #client: MqttClient | undefined;
  #project = { id: 'lobby', name: 'Lobby', version: '000000000000' };

  constructor(options: SimulatedOptions, at: number, fate: Fate) {
    this.#options = options;
    this.#at = at;
    this.#fate = fate;
    this.id = `sim-${String(at).padStart(4, '0')}`;
  }

  async start(): Promise<void> {
    const client = await connectAsync(this.#options.url, {
      ...this.#options.client,
      protocolVersion: 5,
      clientId: `simulated-${this.id}`,
      will: { topic: this.#topic('availability'), payload: Buffer.from('offline'), retain: true, qos: 1 },
    });
    this.#client = client;
    client.on('message', (_, payload, { properties }) => {
      void this.#carryOut(JSON.parse(payload.toString()) as { name?: string; sha256?: string }, {
        topic: properties?.responseTopic ?? '',
        correlationData: properties?.correlationData ?? Buffer.alloc(0),
      });
    });
    await client.subscribeAsync(this.#topic('command/+'), { qos: 1 });
    const { groups = ['all'] } = this.#options;
    await this.#say('state/info', {
      id: this.#at.toString(16).padStart(12, '0'),
      name: `Simulated ${this.#at}`,
      version: '1.0.0',
      board: 'simulated',
      address: `127.0.0.1:${20_000 + this.#at}`,
      mqtt: { state: 'connected', reason: null, id: this.id, groups },
    });
    await this.#page('shown');
    await this.#projects();
    await this.#say('availability', this.#fate === 'away' ? 'offline' : 'online');
  }

  async stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    if (client === undefined) return;
    await client
      .publishAsync(this.#topic('availability'), 'offline', { retain: true, qos: 1 })
      .catch(() => {});
    await client.endAsync();
  }

  async #carryOut(
    { name = '', sha256 = '' }: { name?: string; sha256?: string },
    reply: { topic: string; correlationData: Buffer },
  ): Promise<void> {
    this.told.push(performance.now());
    const answer = (body: unknown) =>
      this.#client?.publishAsync(reply.topic, JSON.stringify(body), {
        qos: 1,
        properties: { correlationData: reply.correlationData, userProperties: { panel: this.id } },
      });
    await this.#project_(name, 'fetching');
    await sleep(20);
    if (this.#fate === 'returns') {
      this.#fate = 'good';
      this.done.push(performance.now());
      // As without power: the broker says that it is gone.
      await new Promise<void>((resolve) => this.#client?.end(true, {}, () => resolve()));
      this.#client = undefined;
      await sleep(500);
      await this.start();
      return;
    }
    if (/^[A-Z]/.test(this.#fate)) {
      await this.#project_(name, 'failed');
      await answer({ error: 'It does not work here.', code: this.#fate });
      this.done.push(performance.now());
      return;
    }
    await this.#project_(name, 'unpacking');
    this.#project = { id: 'lobby', name, version: sha256.slice(0, 12) };
    await this.#projects();
    await this.#page('loading');
    await this.#project_(name, 'installed');
    await answer({ id: 'lobby', name, active: true });
    await sleep(LOAD_MS);
    await this.#page(this.#fate === 'good' ? 'shown' : this.#fate);
    this.done.push(performance.now());
  }

  async #project_(name: string, state: string): Promise<void> {
    await this.#say('event/project', { name, state, received: 1, total: null }, false);
  }

  #projects(): Promise<void> {
    const entry = { ...this.#project, installedAt: new Date().toISOString(), size: 1, active: true };
    return this.#say('state/projects', { projects: [entry] });
  }

  #page(state: string): Promise<void> {
    const since = new Date().toISOString();
    return this.#say('state/page', {
      ...{ url: 'http://lobby.localhost/', title: 'Lobby', state, since, errors: 0, home: true, until: null },
    });
  }

  async #say(topic: string, what: unknown, retain = true): Promise<void> {
    const payload = typeof what === 'string' ? what : JSON.stringify(what);
    await this.#client?.publishAsync(this.#topic(topic), payload, { qos: 1, retain });
  }

  #topic(name: string): string {
    return `${this.#options.prefix ?? 'faceplate'}/${this.id}/${name}`;
  }
}

/** `node e2e/peers/simulatedPanels.ts mqtt://127.0.0.1:1883 50` */
if (import.meta.main) {
  const [url = 'mqtt://127.0.0.1:1883', count = '10'] = process.argv.slice(2);
  const panels = await SimulatedPanels.start({ url, count: Number(count) });
  process.stdout.write(`${count} simulated panels at ${url}; Ctrl+C ends them\n`);
  process.once('SIGINT', () => void panels.stop());
}

/** Empties what these panels said of their availability, so that no fleet lists them any more; the owner stays. */
export async function forgetPanels({ url }: { url: string }, ids: readonly string[]): Promise<void> {
  const client = await connectAsync(url, { protocolVersion: 5 });
  for (const id of ids)
    if (id !== 'owner')
      await client.publishAsync(`faceplate/${id}/availability`, '', { qos: 1, retain: true });
  await client.endAsync();
}
