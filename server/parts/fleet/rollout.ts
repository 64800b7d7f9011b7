import { FaceplateError } from '../../contract/errors.ts';
import type { EventPayload } from '../../contract/events.ts';
import type { Logger } from '../../platform/log.ts';
import type { RolloutPanel, RolloutProgress, StoredRollout } from './contract.ts';
import type { FleetBroker, Heard } from './driver.ts';
import type { SeenPanel } from './panels.ts';
import { progressOf, RolloutWriter } from './rolloutRecords.ts';
import { RolloutTarget } from './rolloutTarget.ts';

/** Milliseconds between two looks at the panels under way. */
export const LOOK_MS = 1_000;
/** After a connection of this panel to the broker, others may come back for this long before they count as away. */
export const SETTLE_MS = 40_000;
/** How long a broker keeps answers for this panel while it is away, in milliseconds. */
const SESSION_MS = 60_000;

export interface RolloutOptions {
  /** As it is on the disk. */
  readonly stored: StoredRollout;
  panel(id: string): SeenPanel | undefined;
  /** @throws FaceplateError STORAGE_FULL */
  save(rollout: StoredRollout): Promise<void>;
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
  readonly #stored: StoredRollout;
  readonly #panels: ReadonlyMap<string, StoredRollout['panels'][number]>;
  readonly #targets = new Map<string, RolloutTarget>();
  #broker: FleetBroker | undefined;
  /** The broker of the last connection: only from there answers can still come. */
  #lastBroker: FleetBroker | undefined;
  /** Until when a panel that is offline may still come back from a restart of the broker. */
  #settlesAt = Number.NEGATIVE_INFINITY;
  #leftAt: number | undefined;
  #isTaking = false;
  readonly #writer: RolloutWriter;

  constructor(options: RolloutOptions) {
    this.#options = options;
    this.#stored = structuredClone(options.stored);
    this.#panels = new Map(this.#stored.panels.map((panel) => [panel.id, panel]));
    this.#writer = new RolloutWriter(this.#stored, options);
  }

  get id(): string {
    return this.#stored.id;
  }

  get isRunning(): boolean {
    return this.#stored.state === 'running';
  }

  /** Whether nothing is left to be done: also those under way when it was stopped have ended. */
  get isOver(): boolean {
    return this.#stored.endedAt !== null;
  }

  /** Whether the disk knows all of it. */
  get isWritten(): boolean {
    return this.#writer.isWritten;
  }

  get progress(): RolloutProgress {
    return progressOf(this.#stored);
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
    const mayBeAnswered = this.#lastBroker === broker && wasAwayFor < SESSION_MS;
    this.#broker = broker;
    this.#lastBroker = broker;
    this.#leftAt = undefined;
    this.#settlesAt = isNew ? now() : now() + SETTLE_MS;
    for (const panel of this.#stored.panels) {
      if (panel.state !== 'sent' && panel.state !== 'proving') continue;
      const target = this.#targets.get(panel.id);
      if (target !== undefined && mayBeAnswered) target.goOn(this.#seen(panel.id), now());
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
    for (const target of this.#targets.values()) target.end();
    this.#targets.clear();
    this.#writer.flush();
    await this.#writer.settled();
  }

  /** No further panel begins. @param reason for a person */
  async stop(reason: string): Promise<void> {
    if (!this.isRunning) return;
    this.#stopped(reason);
    await this.#writer.write();
  }

  /** A panel said something. */
  heard({ id, topic, payload }: Heard): void {
    const target = this.#targets.get(id);
    if (target === undefined) return;
    if (topic === 'event/project' && isFetchOf(payload, this.#stored.params.name))
      target.sign(this.#options.now());
    if (topic === 'state/update') target.sign(this.#options.now());
    this.#judge(id, target);
  }

  /** To be called once a second. */
  look(): void {
    this.#writer.flush();
    if (this.#broker === undefined || this.isOver) return;
    for (const [id, target] of this.#targets) this.#judge(id, target);
    this.#goOn();
  }

  #judge(id: string, target: RolloutTarget): void {
    const broker = this.#broker;
    if (broker === undefined) return;
    const verdict = target.judge(this.#seen(id), this.#options.now());
    if (verdict.state === 'answered') this.#answered(id, target);
    else if (verdict.state === 'again') {
      if (this.isRunning) this.#send(id, broker, true);
      else this.#ended(id, 'failed', 'it came back without an answer, after the roll-out was stopped');
    } else if (verdict.state === 'failed') this.#ended(id, 'failed', verdict.reason);
    else if (verdict.state === 'healthy') this.#ended(id, 'healthy', null);
  }

  /** After a restart of this panel, or a long time without the broker. */
  #resume(panel: StoredRollout['panels'][number]): void {
    const broker = this.#broker!;
    this.#targets.get(panel.id)?.end();
    this.#targets.delete(panel.id);
    if (panel.state === 'proving') {
      const target = this.#newTarget(panel, true);
      this.#targets.set(panel.id, target);
      target.answered(this.#options.now());
    } else if (this.isRunning) this.#send(panel.id, broker, true);
    else this.#ended(panel.id, 'failed', 'its answer was lost, after the roll-out was stopped');
  }

  #newTarget(panel: StoredRollout['panels'][number], isAgain: boolean): RolloutTarget {
    const { command, params, healthyFor } = this.#stored;
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
    const { command, params } = this.#stored;
    const panel = this.#panel(id);
    const before = this.#targets.get(id);
    before?.end();
    const target = this.#newTarget(panel, isAgain);
    if (before !== undefined) target.follow(before);
    this.#targets.set(id, target);
    broker.command(id, command, params, target.signal).then(
      () => this.#answered(id, target),
      (error: unknown) => this.#refused(id, target, error),
    );
  }

  #answered(id: string, target: RolloutTarget): void {
    if (this.#targets.get(id) !== target || this.#panel(id).state !== 'sent') return;
    target.answered(this.#options.now());
    this.#set(id, 'proving', null);
    this.#judge(id, target);
    this.#goOn();
  }

  #refused(id: string, target: RolloutTarget, error: unknown): void {
    if (this.#targets.get(id) !== target || target.signal.aborted) return;
    const { log, now } = this.#options;
    if (error instanceof FaceplateError) {
      // It got its message before and is still busy with it.
      if (target.isAgain && error.code === 'CONFLICT') target.tryLater(now());
      else this.#ended(id, 'failed', error.code);
    } else {
      log.warn({ rollout: this.id, panel: id, err: error }, 'fleet: could not reach a panel, trying again');
      target.tryLater(now());
    }
  }

  #ended(id: string, state: PanelState, reason: string | null): void {
    this.#targets.get(id)?.end();
    this.#targets.delete(id);
    this.#set(id, state, reason);
    if (state === 'failed' && this.isRunning) this.#stopped(`${id} failed: ${reason}`);
    this.#goOn();
  }

  #stopped(reason: string): void {
    this.#stored.state = 'stopped';
    this.#stored.reason = reason;
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
    const { panels, canary, parallel } = this.#stored;
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
    const isStored = await this.#writer.write().then(
      () => true,
      () => false,
    );
    this.#isTaking = false;
    const isWanted = isStored && this.isRunning;
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
    return this.#stored.panels.filter(({ state }) => state === 'sent' || state === 'proving').length;
  }

  /** @returns whether it is over */
  #endIfOver(): boolean {
    if (this.isOver) return true;
    const isWaiting = this.#stored.panels.some(({ state }) => state === 'waiting');
    if (this.#isTaking || this.#underWay() > 0 || (this.isRunning && isWaiting)) return false;
    if (this.isRunning) {
      this.#stored.state = 'done';
      if (this.#stored.panels.every(({ state }) => state === 'offline'))
        this.#stored.reason = 'no panel was online';
    }
    this.#stored.endedAt = this.#wallTime();
    this.#options.log.info({ rollout: this.id, state: this.#stored.state }, 'fleet: roll-out finished');
    this.#tellAll();
    this.#writer.flush();
    return true;
  }

  #wallTime(): string {
    return new Date(this.#options.wall()).toISOString();
  }

  #seen(id: string): SeenPanel | undefined {
    return this.#options.panel(id);
  }

  #panel(id: string): StoredRollout['panels'][number] {
    return this.#panels.get(id)!;
  }

  #set(id: string, state: PanelState, reason: string | null): void {
    const panel = this.#panel(id);
    if (panel.state === state) return;
    panel.state = state;
    panel.reason = reason;
    this.#writer.changed();
    this.#options.tell({ id: this.id, state: this.#stored.state, panel: { id, state, reason } });
  }

  #tellAll(): void {
    this.#writer.changed();
    this.#options.tell({ id: this.id, state: this.#stored.state, panel: null });
  }
}

function isFetchOf(payload: unknown, name: unknown): boolean {
  const said = payload as { name?: unknown; state?: unknown } | null | undefined;
  return said?.name === name && (said?.state === 'fetching' || said?.state === 'unpacking');
}
