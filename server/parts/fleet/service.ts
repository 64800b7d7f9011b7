import { randomBytes } from 'node:crypto';
import { commands, type ParamsOf, type ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { mistakeSentence, mistakesOf } from '../../contract/mistakes.ts';
import type { WallClock } from '../../platform/clock.ts';
import type { EventBus } from '../../platform/eventBus.ts';
import type { Logger } from '../../platform/log.ts';
import type { RolloutProgress, StoredRollout } from './contract.ts';
import type { FleetBroker, Heard, Neighbourhood } from './driver.ts';
import { type OwnPanel, Panels } from './panels.ts';
import { LOOK_MS, Rollout } from './rollout.ts';
import { progressOf, type RolloutFile, RolloutRecords } from './rolloutRecords.ts';

/** Milliseconds after a connection until panels that were not heard on it count as gone. */
const FORGET_MS = 60_000;

interface FleetOptions {
  readonly dataDir: string;
  /** `mqtt.fleet` */
  isOn(): boolean;
  /** The name of this panel on the broker. */
  ownId(): string;
  own(): OwnPanel;
  readonly neighbourhood: Neighbourhood;
  /** What is wrong with a change of settings that is meant for several panels; undefined: nothing. */
  settingsMistake(tree: unknown): string | undefined;
  readonly bus: EventBus;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** The other panels, and roll-outs to them. Without `mqtt.fleet` it does nothing at all. */
export class FleetService {
  readonly #options: FleetOptions;
  readonly #panels: Panels;
  readonly #records: RolloutRecords;
  /** Those that have not ended, by id; at most one of them runs. */
  readonly #active = new Map<string, Rollout>();
  #broker: FleetBroker | undefined;
  #hearing: (() => void)[] = [];
  #isListening = false;
  #isNear = false;
  #isStarted = false;
  #isStarting = false;
  #cancelLook: (() => void) | undefined;
  #cancelForget: (() => void) | undefined;

  constructor(options: FleetOptions) {
    this.#options = options;
    const { ownId, own, neighbourhood, clock, log, dataDir } = options;
    this.#panels = new Panels({ ownId, own, neighbours: () => neighbourhood.panels(), clock, log });
    this.#records = new RolloutRecords(dataDir, log);
  }

  /** Reads the roll-outs; what had not ended continues once the broker is there. */
  async start(): Promise<void> {
    await this.#records.load();
    for (const file of this.#records.all) if (file.value.endedAt === null) this.#activate(file);
    this.#isStarted = true;
    this.follow();
  }

  async stop(): Promise<void> {
    this.#isStarted = false;
    this.#unlisten();
    await Promise.all([...this.#active.values()].map((rollout) => rollout.end()));
    this.#active.clear();
    if (this.#isNear) await this.#options.neighbourhood.stop();
    this.#isNear = false;
  }

  /** The surface connects; undefined: there is no broker any more. */
  attach(broker: FleetBroker | undefined): void {
    if (broker === this.#broker) return;
    this.#unlisten();
    this.#panels.clear();
    this.#broker = broker;
    this.follow();
  }

  /** Settings have changed. */
  follow(): void {
    const { neighbourhood, isOn, log } = this.#options;
    const isOnNow = this.#isStarted && isOn();
    if (isOnNow) this.#listen();
    else {
      this.#unlisten();
      this.#panels.clear();
    }
    if (isOnNow === this.#isNear) return;
    this.#isNear = isOnNow;
    const change = isOnNow ? neighbourhood.start() : neighbourhood.stop();
    change.catch((error: unknown) => log.warn({ err: error }, 'fleet: could not change mDNS'));
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  list(): ResultOf<'fleet.list'> {
    this.#mustBeOn();
    return { panels: this.#panels.list() };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE */
  rollouts(): ResultOf<'fleet.rollouts'> {
    this.#mustBeOn();
    const rollouts = this.#records.all.map((file) => {
      const { panels, ...facts } = this.#progressOf(file);
      const counts = { waiting: 0, sent: 0, proving: 0, healthy: 0, failed: 0, offline: 0 };
      for (const { state } of panels) counts[state]++;
      return { ...facts, counts };
    });
    return { rollouts };
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, INVALID_REQUEST, NOT_FOUND, CONFLICT (one is running), STORAGE_FULL */
  async rollout(params: ParamsOf<'fleet.rollout'>): Promise<ResultOf<'fleet.rollout'>> {
    this.#mustBeOn();
    if (this.#broker === undefined)
      throw new FaceplateError('UNSUPPORTED_HARDWARE', 'There is no broker: set mqtt.url.');
    const given = this.#checked(params.command, params.params);
    const ids = this.#idsOf(params);
    if (this.#isStarting || [...this.#active.values()].some(({ isRunning }) => isRunning))
      throw new FaceplateError('CONFLICT', 'A roll-out is running. Wait for its end, or stop it.');
    this.#isStarting = true;
    try {
      return { id: await this.#begin({ ...params, params: given }, ids) };
    } finally {
      this.#isStarting = false;
    }
  }

  /** @throws FaceplateError UNSUPPORTED_HARDWARE, NOT_FOUND */
  progress({ id }: ParamsOf<'fleet.progress'>): RolloutProgress {
    this.#mustBeOn();
    return this.#progressOf(this.#file(id));
  }

  /** Stops a roll-out; of one that has ended nothing changes. @throws as `progress`, and STORAGE_FULL */
  async stopRollout({ id }: ParamsOf<'fleet.stop'>): Promise<RolloutProgress> {
    this.#mustBeOn();
    const file = this.#file(id);
    await this.#active.get(id)?.stop('stopped by hand');
    return this.#progressOf(file);
  }

  async #begin(
    { command, params, canary, parallel, healthyFor }: ParamsOf<'fleet.rollout'>,
    ids: readonly string[],
  ): Promise<string> {
    const { clock, log } = this.#options;
    const stored: StoredRollout = {
      id: randomBytes(6).toString('hex'),
      state: 'running',
      reason: null,
      command,
      startedAt: new Date(clock.wall()).toISOString(),
      endedAt: null,
      panels: ids.map((id) => ({ id, state: 'waiting', reason: null, updateBefore: null })),
      params,
      canary,
      parallel,
      healthyFor,
    };
    const rollout = this.#activate(await this.#records.add(stored));
    log.info({ rollout: stored.id, call: command, panels: ids.length }, 'fleet: roll-out started');
    this.#options.bus.emit('rollout', { id: stored.id, state: 'running', panel: null });
    if (this.#broker?.isConnected && this.#isListening) rollout.begin(this.#broker, true);
    this.#look();
    return stored.id;
  }

  #activate(file: RolloutFile): Rollout {
    const { clock, bus, log } = this.#options;
    const rollout = new Rollout({
      stored: file.value,
      panel: (id) => this.#panels.get(id),
      save: (rollout) => file.save(rollout),
      tell: (event) => bus.emit('rollout', event),
      now: () => clock.now(),
      wall: () => clock.wall(),
      log,
    });
    this.#active.set(rollout.id, rollout);
    return rollout;
  }

  /** The params as the command takes them. @throws FaceplateError INVALID_REQUEST */
  #checked(name: ParamsOf<'fleet.rollout'>['command'], params: Readonly<Record<string, unknown>>) {
    const parsed = commands[name].params.safeParse(params);
    if (!parsed.success) {
      const { field: inside, words } = mistakesOf(commands[name].params, params)[0]!;
      const field = inside === '' ? 'params' : `params.${inside}`;
      throw new FaceplateError('INVALID_REQUEST', mistakeSentence({ field, words }), { field });
    }
    const mistake = name === 'settings.change' ? this.#options.settingsMistake(params) : undefined;
    if (mistake !== undefined) throw new FaceplateError('INVALID_REQUEST', mistake, { field: 'params' });
    return parsed.data as Record<string, unknown>;
  }

  /** @throws FaceplateError NOT_FOUND for a panel that is not known, and for a group without any */
  #idsOf({ ids, groups = [] }: ParamsOf<'fleet.rollout'>): readonly string[] {
    if (ids !== undefined) {
      const unknown = ids.find((id) => this.#panels.get(id) === undefined);
      if (unknown === undefined) return [...new Set(ids)];
      throw new FaceplateError('NOT_FOUND', `No panel ${unknown} was heard on the broker.`, { field: 'ids' });
    }
    const found = new Set<string>();
    for (const group of groups) {
      const members = this.#panels.idsOf(group);
      if (members.length === 0)
        throw new FaceplateError('NOT_FOUND', `No panel is in the group ${group}.`, { field: 'groups' });
      for (const id of members) found.add(id);
    }
    return [...found].sort();
  }

  #file(id: string): RolloutFile {
    const file = this.#records.find(id);
    if (file === undefined) throw new FaceplateError('NOT_FOUND', 'No roll-out has this id.');
    return file;
  }

  #progressOf({ value }: RolloutFile): RolloutProgress {
    return this.#active.get(value.id)?.progress ?? progressOf(value);
  }

  #mustBeOn(): void {
    if (!this.#options.isOn())
      throw new FaceplateError(
        'UNSUPPORTED_HARDWARE',
        'This panel does not listen to others: set mqtt.fleet.',
      );
  }

  #listen(): void {
    const broker = this.#broker;
    if (broker === undefined || this.#isListening) return;
    this.#isListening = true;
    this.#hearing = [
      broker.listen((heard) => this.#heard(heard)),
      broker.onConnection((isConnected) => (isConnected ? this.#connected(broker) : this.#left())),
    ];
    if (broker.isConnected) this.#connected(broker);
    this.#look();
  }

  #unlisten(): void {
    if (this.#isListening) this.#left();
    this.#isListening = false;
    for (const end of this.#hearing) end();
    this.#hearing = [];
    this.#cancelLook?.();
    this.#cancelLook = undefined;
  }

  #connected(broker: FleetBroker): void {
    this.#panels.connected();
    this.#cancelForget?.();
    this.#cancelForget = this.#options.clock.after(FORGET_MS, () =>
      this.#panels.dropUnheard((id) => ![...this.#active.values()].some((rollout) => rollout.waitsFor(id))),
    );
    for (const rollout of this.#active.values()) rollout.begin(broker, false);
  }

  #left(): void {
    this.#cancelForget?.();
    for (const rollout of this.#active.values()) rollout.leave();
  }

  #heard(heard: Heard): void {
    this.#panels.hear(heard);
    for (const rollout of this.#active.values()) rollout.heard(heard);
  }

  /** Looks at the panels under way once a second, while there are any. */
  #look(): void {
    this.#cancelLook?.();
    this.#cancelLook = undefined;
    for (const [id, rollout] of this.#active) {
      rollout.look();
      if (rollout.isOver && rollout.isWritten) this.#active.delete(id);
    }
    if (this.#active.size > 0 && this.#isListening)
      this.#cancelLook = this.#options.clock.after(LOOK_MS, () => this.#look());
  }
}
