import { setTimeout as sleep } from 'node:timers/promises';
import { EXIT, failureOf, UsageError } from '../failures.ts';
import { projectNameOf, readFolder, usualFolder } from '../folder.ts';
import { followAlways } from '../following.ts';
import { type Done, Push, watchFolder } from '../pushing.ts';
import type { Target, Targets } from '../targets.ts';
import type { Run, Verb } from '../verb.ts';
import { consoleLine } from './feeds.ts';

/** Within this time, in milliseconds, the console of the page before the push has come. */
const BEFORE_MS = 300;
/** How often a folder is read again that changes while it is packed, and the pause between, in milliseconds. */
const TRIES = 10;
const AGAIN_MS = 200;

export const push: Verb = {
  name: 'push',
  usage: '[folder] [--name] [--watch]',
  summary: 'Install a folder as the project of its name and show it; with --watch again after each save',
  options: ['name', 'watch'],
  async run(run) {
    const { words, options, terminal, forEach } = run;
    const said = new Map<Target, string>();
    const complain = (target: Target, error: unknown) => {
      const { code, words: reason } = failureOf(error);
      const text = `${code}: ${reason}`;
      // A panel that stays away is said once.
      if (said.get(target) !== text) target.voice.note(text);
      said.set(target, text);
    };
    if (words.length > 1) throw new UsageError('Give the one folder of the page.');
    const folder = words[0] ?? (await usualFolder());
    let files = await readFolder(folder);
    const name = options.name ?? (await projectNameOf(folder));
    const targets = await run.targets();
    const consoles = options.watch ? await followConsoles(targets, terminal.signal) : undefined;
    const pushes = new Map<Target, Push>();
    const exit = await forEach(targets, async (target) => {
      const one = new Push(target, folder, name, terminal.signal);
      pushes.set(target, one);
      let done = await one.send(files);
      for (let tries = 0; done === undefined; tries++) {
        if (tries === TRIES) throw new UsageError(`${folder} is being written all the time.`);
        await sleep(AGAIN_MS, undefined, { signal: terminal.signal }).catch(() => {});
        files = await readFolder(folder, files);
        done = await one.send(files);
      }
      tell(run, targets, target, done);
      await tellIfHidden(target, done.id);
    });
    if (consoles === undefined || exit !== EXIT.done) return exit;
    if (!options.json) for (const { voice } of targets.list) voice.note(`watching ${folder}; Ctrl+C ends it`);
    await watchFolder(folder, terminal.signal, async () => {
      const now = await readFolder(folder, files).catch((error: unknown) => {
        // A build tool empties its folder before it writes it again.
        if (!(error instanceof UsageError)) throw error;
        return undefined;
      });
      if (now === undefined) return;
      files = now;
      // No panel waits for another that is slow or away.
      for (const [target, one] of pushes)
        void one.want(
          now,
          (done) => {
            said.delete(target);
            tell(run, targets, target, done);
          },
          (error) => complain(target, error),
        );
    });
    await Promise.all(consoles);
    return EXIT.done;
  },
};

/** The project is active, but the settings may name another page. */
async function tellIfHidden({ panel, voice }: Target, id: string): Promise<void> {
  const page = await panel.call('page.state').catch(() => undefined);
  if (page === undefined || !URL.canParse(page.url) || new URL(page.url).hostname === `${id}.localhost`)
    return;
  voice.note(`the panel shows ${page.url} now: kiosk.url, or a page that was called, wins over projects`);
}

function tell(run: Run, targets: Targets, target: Target, done: Done): void {
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
      const { code, words } = failureOf(error);
      target.voice.note(`${code}: no console of the page: ${words}`);
    },
  );
}
