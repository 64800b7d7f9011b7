import { setTimeout as sleep } from 'node:timers/promises';
import { Tally } from './tally.ts';

/** One kind of work, done again and again beside the others. */
export interface Work {
  /** Pause after each time, in milliseconds. */
  readonly pauseMs: number;
  /** What is done one after the other. Steps of one name are counted together. */
  readonly steps: readonly Step[];
}

/** A part of it, with a tally of its own. */
export interface Step {
  readonly name: string;
  /** Without it the steps behind it are not tried. */
  readonly isNeeded?: boolean;
  do(turn: number): Promise<void>;
}

/** Does all kinds of work side by side until the signal. */
export async function doWork(works: readonly Work[], signal: AbortSignal): Promise<Tally[]> {
  const tallies = new Map<string, Tally>();
  for (const { name } of works.flatMap(({ steps }) => steps)) tallies.set(name, new Tally(name));
  const endless = works.map(async ({ steps, pauseMs }) => {
    for (let turn = 0; !signal.aborted; turn++) {
      for (const step of steps) {
        const isDone = await doStep(step, turn, tallies.get(step.name)!, signal);
        if (signal.aborted || (step.isNeeded && !isDone)) break;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  });
  await Promise.all(endless);
  return [...tallies.values()];
}

/** Does everything once. What is opened for the first piece of work may stay for the next: only then a panel rests as it will. */
export async function doOnce(works: readonly Work[]): Promise<void> {
  const never = new AbortController().signal;
  for (const { steps } of works) for (const step of steps) await doStep(step, 0, new Tally(step.name), never);
}

async function doStep(step: Step, turn: number, tally: Tally, signal: AbortSignal): Promise<boolean> {
  const startedAt = performance.now();
  try {
    await step.do(turn);
    tally.hasDone(performance.now() - startedAt);
    return true;
  } catch (error) {
    // What the end itself cut off is no failure.
    if (!signal.aborted) tally.hasMissed(error);
    return false;
  }
}
