import type { Clock } from '../../../platform/clock.ts';
import { askStarter, type BrowserWish, doJob } from '../../../platform/kioskJobs.ts';
import type { Logger } from '../../../platform/log.ts';
import { memoryOfGroup } from '../../recovery/groupMemory.ts';
import type { BrowserLimits } from '../browserLimits.ts';
import { type BrowserRun, NoScreenError } from './browserRun.ts';
import { withTimeLimit, withTimeout } from './withTimeout.ts';

interface StartedBrowserOptions {
  /** The starter's socket. */
  readonly starter: string;
  readonly wish: BrowserWish;
  /** The service's environment, which names the same screen as the starter's. */
  readonly env: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly clock: Clock;
  readonly limits: BrowserLimits;
}

/** How long the starter may take to end the rest of a browser, in milliseconds. After that the next start does it. */
const END_MS = 2_000;

/**
 * Asks the starter to start the browser as the kiosk's user; the connection to the starter becomes the debugging pipe.
 * @throws NoScreenError, Error with one sentence
 */
export async function startBrowserByStarter(options: StartedBrowserOptions): Promise<BrowserRun> {
  const { starter, wish, env, log, clock, limits } = options;
  const late = new AbortController();
  const signal = AbortSignal.any([options.signal, late.signal]);
  const asked = askStarter(starter, { job: 'browser', ...wish }, { signal });
  const begun = await withTimeLimit(clock, limits.starter, asked);
  if (begun === undefined) {
    asked.catch(() => undefined);
    late.abort();
    throw new Error('The starter of the kiosk did not answer.');
  }
  const { answer, socket } = begun;
  const { pid, group } = answer;
  if (pid === undefined) {
    socket.destroy();
    if (answer.noScreen) throw new NoScreenError(env);
    throw new Error(answer.error ?? 'The starter of the kiosk started no browser.');
  }
  let ending: Promise<unknown> | undefined;
  // Once: each job is a program of its own, and a slow panel that brings its page back is busy enough.
  const end = () => {
    ending ??= withTimeout(
      clock,
      END_MS,
      doJob(starter, { job: 'end', pid }).catch((error: Error) =>
        log.warn({ err: error }, 'the starter could not be asked to end the browser'),
      ),
    );
    return ending;
  };
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // Without the other side's end the socket would stay half open.
  socket.once('end', () => socket.destroy());
  socket.on('error', (error) => log.debug({ err: error }, 'the browser is gone'));
  return {
    commands: socket,
    messages: socket,
    // Its helpers end with it; the starter makes sure of that.
    exited: closed.then(end).then(() => undefined),
    lastWords: () => '',
    lacksScreen: () => false,
    // The starter is a program of its own for each job: asked twice a minute, it keeps the panel and its disk busy.
    memory: async () =>
      (group === undefined ? undefined : await memoryOfGroup(group)) ??
      (await doJob(starter, { job: 'memory', pid })).bytes ??
      0,
    // A browser ends when its debugging pipe does.
    terminate: () => socket.end(),
    kill: () => {
      void end().then(() => socket.destroy());
    },
  };
}
