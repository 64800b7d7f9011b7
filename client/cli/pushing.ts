import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { PanelError } from '../index.ts';
import { differenceOf, digestOf, type Snapshot, zipOf } from './folder.ts';
import type { Target } from './targets.ts';

/** Longest list of removed files in one address, in characters. */
const MOST_REMOVED = 6_000;
/** Most of them. */
const MOST_REMOVED_FILES = 1_000;

/** What was sent. */
export interface Done {
  readonly id: string;
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
}

/** One panel and what it has of the project. */
export class Push {
  readonly #target: Target;
  readonly #folder: string;
  readonly #signal: AbortSignal;
  #name: string;
  #id = '';
  /** What the panel has; undefined while that is not known. */
  #has: Snapshot | undefined;
  /** The files that are being sent. */
  #wanted: Snapshot | undefined;
  /** The digest of what it refused, which is not sent again as it is. */
  #refused = '';

  constructor(target: Target, folder: string, name: string, signal: AbortSignal) {
    this.#target = target;
    this.#folder = folder;
    this.#name = name;
    this.#signal = signal;
  }

  /**
   * Brings the panel to these files, or to newer ones that are wanted meanwhile. Never fails: what goes wrong is said by
   * `fail`, and a panel that was away is tried again with the next call.
   */
  async want(files: Snapshot, done: (done: Done) => void, fail: (error: unknown) => void): Promise<void> {
    const isBusy = this.#wanted !== undefined;
    this.#wanted = files;
    if (isBusy) return;
    try {
      for (let sent: Snapshot | undefined; sent !== this.#wanted; ) {
        sent = this.#wanted;
        if (this.#holds(sent) || digestOf(sent) === this.#refused) continue;
        const result = await this.send(sent);
        if (result !== undefined) done(result);
      }
    } catch (error) {
      if (error instanceof PanelError && error.status < 500) this.#refused = digestOf(this.#wanted);
      if (!this.#signal.aborted) fail(error);
    } finally {
      this.#wanted = undefined;
    }
  }

  #holds(files: Snapshot): boolean {
    return this.#has !== undefined && digestOf(this.#has) === digestOf(files);
  }

  /**
   * Brings the panel to these files, by what changed where it has the ones before.
   * @returns undefined when a file changed meanwhile: the next look sends it
   * @throws PanelError, PanelUnreachable, the reason of the signal
   */
  async send(files: Snapshot): Promise<Done | undefined> {
    const startedAt = performance.now();
    const sent = (await this.#sendChange(files)) ?? (await this.#sendAll(files));
    if (sent === undefined) return undefined;
    this.#has = files;
    return { id: this.#id, name: this.#name, ...sent, ms: Math.round(performance.now() - startedAt) };
  }

  /** @returns undefined when all has to be sent */
  async #sendChange(files: Snapshot) {
    if (this.#has === undefined) return undefined;
    const { changed, removed } = differenceOf(this.#has, files);
    if (removed.length > MOST_REMOVED_FILES || encodeURIComponent(removed.join()).length > MOST_REMOVED)
      return undefined;
    const body = await zipOf(this.#folder, changed, files);
    if (body === undefined) return undefined;
    const params = { id: this.#id, removed: [...removed], sha256: digestOf(files), body };
    try {
      await this.#target.panel.call('projects.patch', params, { signal: this.#signal });
    } catch (error) {
      // The panel has another version by now, is an older one, or went away in the middle.
      this.#has = undefined;
      const isOther =
        error instanceof PanelError && ['CONFLICT', 'PROJECT_NOT_FOUND', 'NOT_FOUND'].includes(error.code);
      if (!isOther) throw error;
      return undefined;
    }
    return { files: changed.length + removed.length, bytes: body.length };
  }

  async #sendAll(files: Snapshot) {
    const { panel, voice } = this.#target;
    const options = { signal: this.#signal };
    const body = await zipOf(this.#folder, [...files.keys()], files);
    if (body === undefined) return undefined;
    const size = `${(body.length / 1024 ** 2).toFixed(1)} MiB`;
    const install = () =>
      voice.during(`sending ${size}`, () =>
        panel.call('projects.install', { name: this.#name, body }, options),
      );
    const { id, active } = await install().catch(async (error: unknown) => {
      const known = await this.#nameOnPanel(error);
      if (known === undefined) throw error;
      this.#name = known;
      return install();
    });
    this.#id = id;
    if (!active) await panel.call('projects.activate', { id }, options);
    return { files: files.size, bytes: body.length };
  }

  /** The name under which the panel has the project, where it differs from ours only in what its id leaves out. */
  async #nameOnPanel(error: unknown): Promise<string | undefined> {
    if (!(error instanceof PanelError) || error.code !== 'CONFLICT') return undefined;
    const { projects } = await this.#target.panel.call('projects.list', {}, { signal: this.#signal });
    return projects.find(({ name }) => name !== this.#name && lettersOf(name) === lettersOf(this.#name))
      ?.name;
  }
}

/** The characters of a name that its id is made from. */
function lettersOf(name: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
}

/** Time without a further change after which a save counts as complete, in milliseconds. */
const QUIET_MS = 40;
/** A tool that writes all the time is not waited for longer, in milliseconds. */
const LONGEST_MS = 1_000;
/** How often the folder is looked at where nothing tells of changes, in milliseconds: network drives, for one. */
const LOOK_EVERY_MS = 5_000;

/** Runs `changed` after each save below a folder, one at a time, until the signal. */
export async function watchFolder(
  folder: string,
  signal: AbortSignal,
  changed: () => Promise<void>,
): Promise<void> {
  let wake = () => {};
  let isDirty = false;
  const dirty = () => {
    isDirty = true;
    wake();
  };
  const watcher = watch(folder, { recursive: true, signal }, dirty);
  // Without it, a folder that is removed or a full table of watches would end the program.
  watcher.on('error', () => {});
  signal.addEventListener('abort', () => wake());
  while (!signal.aborted) {
    if (!isDirty) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, LOOK_EVERY_MS);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    const since = performance.now();
    while (isDirty && !signal.aborted && performance.now() - since < LONGEST_MS) {
      isDirty = false;
      await sleep(QUIET_MS, undefined, { signal }).catch(() => {});
    }
    if (!signal.aborted) await changed();
  }
}
