import module from 'node:module';
import type { Clock } from './clock.ts';

/** By then all that a start runs is compiled, and the page is on the screen; in milliseconds. */
const AFTER_START_MS = 15_000;

/**
 * Keeps what V8 has compiled for the next start, in the folder that NODE_COMPILE_CACHE names: a third of the CPU of a start
 * (docs/benchmarks.md). Node itself would write it only at an end that it is told of, and a panel loses its power. Without
 * that folder nothing is kept.
 */
export function keepCompiledCode(clock: Clock): void {
  // Programs that we start have no part in it.
  delete process.env.NODE_COMPILE_CACHE;
  // Node 20, as in Electron 33 and 34, keeps nothing.
  const { getCompileCacheDir, flushCompileCache } = module as Partial<typeof module>;
  if (getCompileCacheDir?.() !== undefined) clock.after(AFTER_START_MS, () => flushCompileCache?.());
}
