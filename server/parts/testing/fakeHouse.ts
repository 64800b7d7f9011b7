import type { CommandName, ParamsOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { RolloutProgress, StoredRollout } from '../fleet/contract.ts';
import type { FleetBroker, Heard, Neighbour } from '../fleet/driver.ts';
import { FleetService } from '../fleet/service.ts';

/** A command that waits for its answer. */
export interface Waiting {
  readonly id: string;
  readonly name: string;
  readonly params: unknown;
  readonly signal: AbortSignal;
  answer(): void;
  refuse(error: unknown): void;
}

export const START = '2026-11-22T08:00:00.000Z';

/** A house of panels that say what the test says, on a broker in memory, and the service of the one that owns roll-outs. */
export class FakeHouse implements FleetBroker {
  readonly ownId = 'owner';
  readonly clock = new FakeWallClock(START);
  readonly bus = new EventBus(silentLogger());
  readonly events: EventPayload<'rollout'>[] = [];
  /** Commands without an answer yet, in the order they came. */
  waiting: Waiting[] = [];
  /** Every command ever sent, as `id name`. */
  readonly sent: string[] = [];
  isConnected = true;
  isOn = true;
  neighbours: Neighbour[] = [];
  neighbourhood: string[] = [];
  dataDir = '';
  service!: FleetService;
  readonly #hearing = new Set<(what: Heard) => void>();
  readonly #connections = new Set<(isConnected: boolean) => void>();
  /** What the broker keeps. */
  readonly #retained = new Map<string, Heard>();

  constructor() {
    this.bus.onAny((name, payload) => {
      if (name === 'rollout') this.events.push(payload as EventPayload<'rollout'>);
    });
  }

  /** Starts the service; a second time as after a restart of the panel. */
  async start(): Promise<void> {
    if (this.dataDir === '') this.dataDir = temporaryFolder('fleet');
    this.service = new FleetService({
      dataDir: this.dataDir,
      isOn: () => this.isOn,
      ownId: () => this.ownId,
      own: () => ({
        id: this.ownId,
        infoId: '000000000000',
        name: 'Owner',
        version: '1.0.0',
        board: 'simulated',
        address: '127.0.0.1:8080',
        https: null,
        groups: ['all'],
        page: null,
        project: null,
        update: null,
      }),
      neighbourhood: {
        start: async () => void this.neighbourhood.push('start'),
        stop: async () => void this.neighbourhood.push('stop'),
        panels: () => this.neighbours,
        onChange: () => () => {},
      },
      settingsMistake: (tree) => (JSON.stringify(tree).includes('password') ? 'No secrets.' : undefined),
      bus: this.bus,
      clock: this.clock,
      log: silentLogger(),
    });
    await this.service.start();
    this.service.attach(this);
  }

  /** The service ends as by kill: nothing is said to anybody. */
  async restart(): Promise<void> {
    await this.service.stop();
    this.waiting = [];
    await this.start();
  }

  async close(): Promise<void> {
    await this.service.stop();
  }

  /** A panel with a page, in the group `all` and others. */
  join(id: string, { groups = ['all'], isOnline = true, state = 'shown' } = {}): void {
    this.say(id, 'state/info', {
      id: `0000${id}`,
      name: `Panel ${id}`,
      version: '1.0.0',
      board: 'simulated',
      address: '10.0.0.1:8080',
      https: { port: 8443, fingerprint: 'AB' },
      mqtt: { groups },
    });
    this.page(id, state);
    this.say(id, 'availability', isOnline ? 'online' : 'offline');
  }

  page(id: string, state: string): void {
    const since = new Date(this.clock.wall()).toISOString();
    this.say(id, 'state/page', {
      url: 'http://x/',
      title: '',
      state,
      since,
      errors: 0,
      home: true,
      until: null,
    });
  }

  updated(id: string, result: 'good' | 'returned', reason: string | null = null): void {
    const at = new Date(this.clock.wall()).toISOString();
    const last = { version: '2.0.0', result, reason, at };
    this.say(id, 'state/update', {
      installed: '2.0.0',
      slot: null,
      available: null,
      state: 'idle',
      progress: null,
      last,
    });
  }

  say(id: string, topic: string, payload: unknown): void {
    const what = { id, topic, payload };
    if (!topic.startsWith('event/')) this.#retained.set(`${id}/${topic}`, what);
    if (payload === undefined) this.#retained.delete(`${id}/${topic}`);
    for (const heard of this.#hearing) heard(what);
  }

  /** The connection of the owner comes or goes; what is retained comes again. */
  connect(isConnected: boolean): void {
    this.isConnected = isConnected;
    for (const listener of this.#connections) listener(isConnected);
    if (isConnected)
      for (const what of this.#retained.values()) for (const heard of this.#hearing) heard(what);
  }

  onConnection(listener: (isConnected: boolean) => void): () => void {
    this.#connections.add(listener);
    return () => this.#connections.delete(listener);
  }

  listen(heard: (what: Heard) => void): () => void {
    this.#hearing.add(heard);
    for (const what of this.#retained.values()) heard(what);
    return () => this.#hearing.delete(heard);
  }

  /** The same broker over another connection. */
  another(): FleetBroker {
    return {
      isConnected: true,
      ownId: this.ownId,
      onConnection: (listener) => this.onConnection(listener),
      listen: (heard) => this.listen(heard),
      command: (...asked) => this.command(...asked),
    };
  }

  get listeners(): number {
    return this.#hearing.size + this.#connections.size;
  }

  command(
    id: string,
    name: CommandName | StoredRollout['command'],
    params: unknown,
    signal: AbortSignal,
  ): Promise<unknown> {
    this.sent.push(`${id} ${name}`);
    return new Promise((resolve, reject) => {
      const done = () => {
        this.waiting = this.waiting.filter((one) => one !== waiting);
      };
      const waiting: Waiting = {
        id,
        name,
        params,
        signal,
        answer: () => {
          done();
          resolve({});
        },
        refuse: (error) => {
          done();
          reject(error as Error);
        },
      };
      this.waiting.push(waiting);
      signal.addEventListener('abort', () => {
        done();
        reject(signal.reason as Error);
      });
    });
  }

  /** Ids that wait for an answer, once there are that many. */
  async told(count: number): Promise<string[]> {
    await this.until(() => this.waiting.length === count, `${count} commands`);
    return this.waiting.map(({ id }) => id);
  }

  answer(...ids: string[]): void {
    for (const one of this.waiting.filter(({ id }) => ids.includes(id))) one.answer();
  }

  refuse(id: string, code: ConstructorParameters<typeof FaceplateError>[0]): void {
    this.waiting.find((one) => one.id === id)?.refuse(new FaceplateError(code));
  }

  async begin(params: Partial<ParamsOf<'fleet.rollout'>> = {}): Promise<string> {
    const { id } = await this.service.rollout({
      groups: params.ids === undefined ? ['all'] : undefined,
      command: 'settings.change',
      params: { 'idle.saverAfter': 60 },
      canary: 1,
      parallel: 10,
      healthyFor: 60,
      ...params,
    } as ParamsOf<'fleet.rollout'>);
    return id;
  }

  /** The states of the panels of a roll-out, such as `a healthy`. */
  states(id: string): string[] {
    return this.service.progress({ id }).panels.map(({ id: panel, state }) => `${panel} ${state}`);
  }

  progress(id: string): RolloutProgress {
    return this.service.progress({ id });
  }

  /** Waits for what takes disk and promises, without moving the clock. */
  async until(condition: () => boolean, what: string): Promise<void> {
    await until(async () => {
      await this.clock.advance(0);
      return condition();
    }, what);
  }
}
