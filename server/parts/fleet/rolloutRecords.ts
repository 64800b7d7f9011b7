import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StateFile } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type KeptRollout, keptRollout } from './contract.ts';

/** The most roll-outs that are stored. */
export const MAX_KEPT_ROLLOUTS = 20;

const FILE = /^([0-9a-f]{12})\.json$/;

/** The file of a roll-out: one each, because a change writes it as a whole. */
export type RolloutFile = StateFile<KeptRollout>;

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
  async add(rollout: KeptRollout): Promise<RolloutFile> {
    const file = this.#file(rollout.id);
    await file.save(rollout);
    const dropped = this.#files.slice(MAX_KEPT_ROLLOUTS - 1);
    this.#files = [file, ...this.#files.slice(0, MAX_KEPT_ROLLOUTS - 1)];
    for (const { value } of dropped) await rm(join(this.#folder, `${value.id}.json`), { force: true });
    return file;
  }

  #file(id: string): RolloutFile {
    return new StateFile({
      path: join(this.#folder, `${id}.json`),
      schema: keptRollout,
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
