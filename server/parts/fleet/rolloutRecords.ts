import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RunningWork } from '../../platform/async.ts';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type RolloutProgress, type StoredRollout, storedRollout } from './contract.ts';

/** The most roll-outs that are stored. */
export const MAX_STORED_ROLLOUTS = 20;

/** Milliseconds until a write that failed is tried again. */
const WRITE_AGAIN_MS = 30_000;

const FILE = /^([0-9a-f]{12})\.json$/;

/** The file of a roll-out: one each, because a change writes it as a whole. */
export type RolloutFile = StateFile<StoredRollout>;

/** The roll-outs of this panel on its disk, the newest first. */
export class RolloutRecords {
  readonly #folder: string;
  readonly #log: Logger;
  #files: RolloutFile[] = [];

  constructor(dataDir: string, log: Logger) {
    this.#folder = join(dataDir, 'rollouts');
    this.#log = log;
  }

  /** Reads what is there; a file that cannot be used is set aside. Never fails. */
  async load(): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const files: RolloutFile[] = [];
    for (const name of names) {
      const id = FILE.exec(name)?.[1];
      if (id === undefined) continue;
      const file = this.#file(id);
      await file.load();
      if (file.isUsable && file.value.id === id) files.push(file);
    }
    this.#files = files.sort((one, other) => (one.value.startedAt < other.value.startedAt ? 1 : -1));
  }

  get all(): readonly RolloutFile[] {
    return this.#files;
  }

  find(id: string): RolloutFile | undefined {
    return this.#files.find(({ value }) => value.id === id);
  }

  /**
   * Stores a new one; removes the oldest beyond 20.
   * @throws FaceplateError STORAGE_FULL
   */
  async add(rollout: StoredRollout): Promise<RolloutFile> {
    const file = this.#file(rollout.id);
    await file.save(rollout);
    const dropped = this.#files.slice(MAX_STORED_ROLLOUTS - 1);
    this.#files = [file, ...this.#files.slice(0, MAX_STORED_ROLLOUTS - 1)];
    for (const { value } of dropped) await rm(join(this.#folder, `${value.id}.json`), { force: true });
    return file;
  }

  #file(id: string): RolloutFile {
    return new StateFile({
      path: join(this.#folder, `${id}.json`),
      schema: storedRollout,
      defaults: {
        id: 'none',
        state: 'stopped',
        reason: null,
        command: 'projects.fetch',
        startedAt: new Date(0).toISOString(),
        endedAt: null,
        panels: [],
        params: {},
        canary: 0,
        parallel: 1,
        healthyFor: 0,
      },
      log: this.#log,
    });
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
}: StoredRollout): RolloutProgress {
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

interface RolloutWriterOptions {
  /** @throws FaceplateError STORAGE_FULL */
  save(rollout: StoredRollout): Promise<void>;
  now(): number;
  readonly log: Logger;
}

/**
 * Writes the changes of a running roll-out. Many share one write, because a write holds the whole. A later write makes
 * up for one that failed.
 */
export class RolloutWriter {
  readonly #rollout: StoredRollout;
  readonly #options: RolloutWriterOptions;
  /** Whether the disk lacks a change. */
  #isDirty = false;
  readonly #writing = new RunningWork();
  /** Until when a write that failed is not tried again. */
  #writesAt = Number.NEGATIVE_INFINITY;

  /** @param rollout the object that changes */
  constructor(rollout: StoredRollout, options: RolloutWriterOptions) {
    this.#rollout = rollout;
    this.#options = options;
  }

  /** Whether the disk knows all of it. */
  get isWritten(): boolean {
    return !this.#isDirty && this.#writing.size === 0;
  }

  changed(): void {
    this.#isDirty = true;
  }

  /** Starts a write if there is a change and the last failure is long enough ago. Never throws. */
  flush(): void {
    const { now, log } = this.#options;
    if (!this.#isDirty || now() < this.#writesAt) return;
    this.write().catch((error: unknown) => {
      this.#writesAt = now() + WRITE_AGAIN_MS;
      log.error(
        { rollout: this.#rollout.id, err: error },
        'fleet: could not write the state of the roll-out',
      );
    });
  }

  /** @throws FaceplateError STORAGE_FULL */
  write(): Promise<void> {
    this.#isDirty = false;
    const write = this.#options.save(this.#rollout);
    const done = write.then(
      () => {},
      () => {
        this.#isDirty = true;
      },
    );
    void this.#writing.add(done);
    return write;
  }

  /** Resolves when no write is running. */
  async settled(): Promise<void> {
    await this.#writing.done();
  }
}
