import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import type { Logger } from '../../platform/log.ts';
import type { KeptRollout, RolloutPanel, RolloutProgress } from './contract.ts';
import type { FleetBroker, Heard } from './driver.ts';
import type { SeenPanel } from './panels.ts';
import { RolloutTarget } from './rolloutTarget.ts';

/** Milliseconds between two looks at the panels under way. */
export const LOOK_MS = 1_000;
/** After a connection of this panel to the broker, others may come back for this long before they count as away. */
export const SETTLE_MS = 40_000;
/** Milliseconds until a write that failed is tried again. */
const WRITE_AGAIN_MS = 30_000;
/** How long a broker keeps answers for this panel while it is away, in milliseconds. */
const SESSION_MS = 60_000;

export interface RolloutOptions {
  /** As it is on the disk. */
  readonly kept: KeptRollout;
  panel(id: string): SeenPanel | undefined;
  /** @throws FaceplateError STORAGE_FULL */
  save(kept: KeptRollout): Promise<void>;
  tell(event: EventPayload<'rollout'>): void;
  now(): number;
  /** Milliseconds since 1970. */
  wall(): number;
  readonly log: Logger;
}

type PanelState = RolloutPanel['state'];

/**
 * The course of one roll-out: the canaries first, then wave after wave, and no further panel once one failed. The disk
 * decides: a panel counts as sent before its message leaves. While the broker is away nothing is judged.
 */
export class Rollout {
  readonly #options: RolloutOptions;
  readonly #kept: KeptRollout;
  readonly #panels: ReadonlyMap<string, KeptRollout['panels'][number]>;
  readonly #told = new Map<string, RolloutTarget>();
  #broker: FleetBroker | undefined;
  /** The one of the last connection: only from there answers can still come. */
  #toldOver: FleetBroker | undefined;
  /** Until when a panel that is offline may still come back from a restart of the broker. */
  #settlesAt = Number.NEGATIVE_INFINITY;
  #leftAt: number | undefined;
  #isTaking = false;
  /** Whether the disk lacks a change. */
  #isDirty = false;
  readonly #writing = new Set<Promise<void>>();
  /** Until when a write that failed is not tried again. */
  #writesAt = Number.NEGATIVE_INFINITY;

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#kept = structuredClone(options.kept);
    this.#panels = new Map(this.#kept.panels.map((panel) => [panel.id, panel]));
  }

  get id(): string {
    return this.#kept.id;
  }

  get isRunning(): boolean {
    return this.#kept.state === 'running';
  }

  /** Whether nothing is left to be done: also those under way when it was stopped have ended. */
  get isOver(): boolean {
    return this.#kept.endedAt !== null;
  }

  /** Whether the disk knows all of it. */
  get isWritten(): boolean {
    return !this.#isDirty && this.#writing.size === 0;
  }

  get progress(): RolloutProgress {
    return progressOf(this.#kept);
  }

  /** Whether something is still to be done with a panel. */
  waitsFor(id: string): boolean {
    const state = this.#panels.get(id)?.state;
    return state === 'waiting' || state === 'sent' || state === 'proving';
  }

  /** The broker is there: begins, or continues where the disk says. @param isNew no panel has got a message yet */
  begin(broker: FleetBroker, isNew: boolean): void {
    if (this.#broker !== undefined) return;
    const { now } = this.#options;
    const wasAwayFor = this.#leftAt === undefined ? Number.POSITIVE_INFINITY : now() - this.#leftAt;
    const mayBeAnswered = this.#toldOver === broker && wasAwayFor < SESSION_MS;
    this.#broker = broker;
    this.#toldOver = broker;
    this.#leftAt = undefined;
    this.#settlesAt = isNew ? now() : now() + SETTLE_MS;
    for (const panel of this.#kept.panels) {
      if (panel.state !== 'sent' && panel.state !== 'proving') continue;
      const told = this.#told.get(panel.id);
      if (told !== undefined && mayBeAnswered) told.goOn(this.#seen(panel.id), now());
      else this.#resume(panel);
    }
    this.look();
  }

  /** The broker is away; what was sent may still be answered. */
  leave(): void {
    if (this.#broker === undefined) return;
    this.#broker = undefined;
    this.#leftAt = this.#options.now();
  }

  /** The service ends: the disk keeps where it was. */
  async end(): Promise<void> {
    this.#broker = undefined;
    for (const told of this.#told.values()) told.end();
    this.#told.clear();
    this.#flush();
    await Promise.all(this.#writing);
  }

  /** No further panel begins. @param reason for a person */
  async stop(reason: string): Promise<void> {
    if (!this.isRunning) return;
    this.#stopped(reason);
    await this.#write();
  }

  /** A panel said something. */
  heard({ id, topic, payload }: Heard): void {
    const told = this.#told.get(id);
    if (told === undefined) return;
    if (topic === 'event/project' && isFetchOf(payload, this.#kept.params.name))
      told.sign(this.#options.now());
    if (topic === 'state/update') told.sign(this.#options.now());
    this.#judge(id, told);
  }

  /** To be called once a second. */
  look(): void {
    this.#flush();
    if (this.#broker === undefined || this.isOver) return;
    for (const [id, told] of this.#told) this.#judge(id, told);
    this.#goOn();
  }

  #judge(id: string, told: RolloutTarget): void {
    const broker = this.#broker;
    if (broker === undefined) return;
    const verdict = told.judge(this.#seen(id), this.#options.now());
    if (verdict.state === 'answered') this.#answered(id, told);
    else if (verdict.state === 'again') {
      if (this.isRunning) this.#send(id, broker, true);
      else this.#ended(id, 'failed', 'it came back without an answer, after the roll-out was stopped');
    } else if (verdict.state === 'failed') this.#ended(id, 'failed', verdict.reason);
    else if (verdict.state === 'healthy') this.#ended(id, 'healthy', null);
  }

  /** After a restart of this panel, or a long time without the broker. */
  #resume(panel: KeptRollout['panels'][number]): void {
    const broker = this.#broker!;
    this.#told.get(panel.id)?.end();
    this.#told.delete(panel.id);
    if (panel.state === 'proving') {
      const told = this.#newTold(panel, true);
      this.#told.set(panel.id, told);
      told.answered(this.#options.now());
    } else if (this.isRunning) this.#send(panel.id, broker, true);
    else this.#ended(panel.id, 'failed', 'its answer was lost, after the roll-out was stopped');
  }

  #newTold(panel: KeptRollout['panels'][number], isAgain: boolean): RolloutTarget {
    const { command, params, healthyFor } = this.#kept;
    return new RolloutTarget({
      command,
      params,
      healthyForMs: healthyFor * 1_000,
      updateBefore: panel.updateBefore,
      pageBefore: this.#seen(panel.id)?.page?.since ?? null,
      sentAt: this.#options.now(),
      isAgain,
    });
  }

  #send(id: string, broker: FleetBroker, isAgain: boolean): void {
    const { command, params } = this.#kept;
    const panel = this.#panel(id);
    const before = this.#told.get(id);
    before?.end();
    const told = this.#newTold(panel, isAgain);
    if (before !== undefined) told.follow(before);
    this.#told.set(id, told);
    broker.command(id, command, params, told.signal).then(
      () => this.#answered(id, told),
      (error: unknown) => this.#refused(id, told, error),
    );
  }

  #answered(id: string, told: RolloutTarget): void {
    if (this.#told.get(id) !== told || this.#panel(id).state !== 'sent') return;
    told.answered(this.#options.now());
    this.#set(id, 'proving', null);
    this.#judge(id, told);
    this.#goOn();
  }

  #refused(id: string, told: RolloutTarget, error: unknown): void {
    if (this.#told.get(id) !== told || told.signal.aborted) return;
    const { log, now } = this.#options;
    if (error instanceof FaceplateError) {
      // It got its message before and is still busy with it.
      if (told.isAgain && error.code === 'CONFLICT') told.tryLater(now());
      else this.#ended(id, 'failed', error.code);
    } else {
      log.warn({ rollout: this.id, panel: id, err: error }, 'fleet: could not reach a panel, trying again');
      told.tryLater(now());
    }
  }

  #ended(id: string, state: PanelState, reason: string | null): void {
    this.#told.get(id)?.end();
    this.#told.delete(id);
    this.#set(id, state, reason);
    if (state === 'failed' && this.isRunning) this.#stopped(`${id} failed: ${reason}`);
    this.#goOn();
  }

  #stopped(reason: string): void {
    this.#kept.state = 'stopped';
    this.#kept.reason = reason;
    this.#options.log.warn({ rollout: this.id, reason }, 'fleet: roll-out stopped');
    this.#tellAll();
    this.#endIfOver();
  }

  /** Takes the next panels once those before have ended. */
  #goOn(): void {
    if (this.#endIfOver()) return;
    if (!this.isRunning || this.#isTaking || this.#broker === undefined || this.#underWay() > 0) return;
    const wave = this.#nextWave();
    if (wave.length > 0) void this.#take(wave);
    else this.#endIfOver();
  }

  /** The panels that are sent next; those that are away are passed over, so that canaries are really tried. */
  #nextWave(): string[] {
    const { panels, canary, parallel } = this.#kept;
    const tried = panels.filter(({ state }) => state !== 'waiting' && state !== 'offline').length;
    const room = tried < canary ? canary - tried : parallel;
    const hasSettled = this.#options.now() >= this.#settlesAt;
    const wave: string[] = [];
    for (const { id, state } of panels) {
      if (state !== 'waiting') continue;
      if (wave.length === room) break;
      if (this.#seen(id)?.isOnline) wave.push(id);
      else if (hasSettled) this.#set(id, 'offline', null);
    }
    return wave;
  }

  async #take(wave: readonly string[]): Promise<void> {
    this.#isTaking = true;
    for (const id of wave) {
      this.#panel(id).updateBefore = this.#seen(id)?.update?.last?.at ?? null;
      this.#set(id, 'sent', null);
    }
    const isKept = await this.#write().then(
      () => true,
      () => false,
    );
    this.#isTaking = false;
    const isWanted = isKept && this.isRunning;
    if (isWanted) {
      // Without the broker they are sent once it is back.
      const broker = this.#broker;
      if (broker !== undefined) for (const id of wave) this.#send(id, broker, false);
      return;
    }
    for (const id of wave) this.#set(id, 'waiting', null);
    if (this.isRunning) this.#stopped('the course of the roll-out cannot be written: STORAGE_FULL');
    this.#endIfOver();
  }

  #underWay(): number {
    return this.#kept.panels.filter(({ state }) => state === 'sent' || state === 'proving').length;
  }

  /** @returns whether it is over */
  #endIfOver(): boolean {
    if (this.isOver) return true;
    const isWaiting = this.#kept.panels.some(({ state }) => state === 'waiting');
    if (this.#isTaking || this.#underWay() > 0 || (this.isRunning && isWaiting)) return false;
    if (this.isRunning) {
      this.#kept.state = 'done';
      if (this.#kept.panels.every(({ state }) => state === 'offline'))
        this.#kept.reason = 'no panel was online';
    }
    this.#kept.endedAt = this.#wallTime();
    this.#options.log.info({ rollout: this.id, state: this.#kept.state }, 'fleet: roll-out finished');
    this.#tellAll();
    this.#flush();
    return true;
  }

  #wallTime(): string {
    return new Date(this.#options.wall()).toISOString();
  }

  #seen(id: string): SeenPanel | undefined {
    return this.#options.panel(id);
  }

  #panel(id: string): KeptRollout['panels'][number] {
    return this.#panels.get(id)!;
  }

  #set(id: string, state: PanelState, reason: string | null): void {
    const panel = this.#panel(id);
    if (panel.state === state) return;
    panel.state = state;
    panel.reason = reason;
    this.#isDirty = true;
    this.#options.tell({ id: this.id, state: this.#kept.state, panel: { id, state, reason } });
  }

  #tellAll(): void {
    this.#isDirty = true;
    this.#options.tell({ id: this.id, state: this.#kept.state, panel: null });
  }

  /**
   * Many changes share one write, for it writes the whole. One that fails is made up for by the next; panels get messages
   * only after a write that succeeded.
   */
  #flush(): void {
    const { now } = this.#options;
    if (!this.#isDirty || now() < this.#writesAt) return;
    this.#write().catch((error: unknown) => {
      this.#writesAt = now() + WRITE_AGAIN_MS;
      this.#options.log.error(
        { rollout: this.id, err: error },
        'fleet: could not write the state of the roll-out',
      );
    });
  }

  /** @throws FaceplateError STORAGE_FULL */
  #write(): Promise<void> {
    this.#isDirty = false;
    const write = this.#options.save(this.#kept);
    const done = write.then(
      () => {},
      () => {
        this.#isDirty = true;
      },
    );
    this.#writing.add(done);
    void done.then(() => this.#writing.delete(done));
    return write;
  }
}

/** What callers may see of it: without the params, which only those who may roll out know. */
export function progressOf({
  id,
  state,
  reason,
  command,
  startedAt,
  endedAt,
  panels,
}: KeptRollout): RolloutProgress {
  return {
    id,
    state,
    reason,
    command,
    startedAt,
    endedAt,
    panels: panels.map((panel) => ({ id: panel.id, state: panel.state, reason: panel.reason })),
  };
}

function isFetchOf(payload: unknown, name: unknown): boolean {
  const said = payload as { name?: unknown; state?: unknown } | null | undefined;
  return said?.name === name && (said?.state === 'fetching' || said?.state === 'unpacking');
}
