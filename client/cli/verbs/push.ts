import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PanelError } from '../../index.ts';
import { EXIT, judge, WrongUse } from '../failures.ts';
import { differenceOf, digestOf, readFolder, type Snapshot, zipOf } from '../folder.ts';
import { followAlways } from '../following.ts';
import type { Target, Targets } from '../targets.ts';
import type { Run, Verb } from '../verb.ts';
import { watchFolder } from '../watch.ts';
import { consoleLine } from './feeds.ts';

/** Longest list of removed files that goes into an address, in characters. */
const MOST_REMOVED = 6_000;
/** Within this time, in milliseconds, the console of the page before the push has come. */
const BEFORE_MS = 300;
/** Most of them. */
const MOST_REMOVED_FILES = 1_000;

export const push: Verb = {
  name: 'push',
  usage: '<folder> [--watch]',
  summary: 'Install a folder as the project of its name and show it; with --watch again after each save',
  options: ['watch'],
  async run(run) {
    const { words, options, terminal, forEach } = run;
    const [folder, more] = words;
    if (folder === undefined || more !== undefined) throw new WrongUse('Give the one folder of the page.');
    const name = basename(resolve(folder));
    let files = await readFolder(folder);
    const targets = await run.targets();
    const consoles = options.watch ? await followConsoles(targets, terminal.signal) : undefined;
    const pushes = new Map<Target, Push>();
    const exit = await forEach(targets, async (target) => {
      const one = new Push(target, folder, name, terminal.signal);
      pushes.set(target, one);
      tell(run, targets, target, await one.send(files));
    });
    if (consoles === undefined || exit !== EXIT.done) return exit;
    if (!options.json) for (const { voice } of targets.list) voice.note(`watching ${folder}; Ctrl+C ends it`);
    await watchFolder(folder, terminal.signal, async () => {
      const now = await readFolder(folder, files).catch((error: unknown) => {
        // A build tool empties its folder before it writes it again.
        if (!(error instanceof WrongUse)) throw error;
        return undefined;
      });
      if (now === undefined) return;
      files = now;
      await Promise.all(
        [...pushes].map(async ([target, one]) => {
          if (one.holds(now)) return;
          await one.send(now).then(
            (done) => tell(run, targets, target, done),
            (error: unknown) => {
              if (terminal.signal.aborted) return;
              const { code, words: reason } = judge(error);
              target.voice.note(`${code}: ${reason}`);
            },
          );
        }),
      );
    });
    await Promise.all(consoles);
    return EXIT.done;
  },
};

interface Done {
  readonly id: string;
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
  readonly ms: number;
}

function tell(run: Run, targets: Targets, target: Target, done: Done | undefined): void {
  if (done === undefined) return;
  const { id, files, bytes, ms } = done;
  const size = bytes < 1024 ** 2 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 ** 2).toFixed(1)} MiB`;
  run.answer(targets, target, done, `${id} shown: ${files} file${files === 1 ? '' : 's'}, ${size}, ${ms} ms`);
}

/** The page's console beside the editor, from now on: what pages before said is not printed. */
async function followConsoles({ list }: Targets, signal: AbortSignal): Promise<Promise<void>[]> {
  let isBefore = true;
  const consoles = list.map((target) =>
    followConsole(target, signal, (line) => {
      if (!isBefore) target.voice.note(line);
    }),
  );
  await sleep(BEFORE_MS, undefined, { signal }).catch(() => {});
  isBefore = false;
  return consoles;
}

/** A panel without a console is no reason to end. */
async function followConsole(
  target: Target,
  signal: AbortSignal,
  print: (line: string) => void,
): Promise<void> {
  await followAlways(target, 'console.read', {}, signal, (entry) => print(consoleLine(entry))).catch(
    (error: unknown) => {
      const { code, words } = judge(error);
      target.voice.note(`${code}: no console of the page: ${words}`);
    },
  );
}

/** One panel and what it has of the project. */
class Push {
  readonly #target: Target;
  readonly #folder: string;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #id = '';
  /** What the panel has; undefined while that is not known. */
  #has: Snapshot | undefined;

  constructor(target: Target, folder: string, name: string, signal: AbortSignal) {
    this.#target = target;
    this.#folder = folder;
    this.#name = name;
    this.#signal = signal;
  }

  holds(files: Snapshot): boolean {
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
    const { id, active } = await voice.during(`sending ${size}`, () =>
      panel.call('projects.install', { name: this.#name, body }, options),
    );
    this.#id = id;
    if (!active) await panel.call('projects.activate', { id }, options);
    return { files: files.size, bytes: body.length };
  }
}
