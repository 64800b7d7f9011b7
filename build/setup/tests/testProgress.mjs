// How far a run of tests is. Node's own modules only: it runs on the machine's own Node.
import { readFileSync } from 'node:fs';

/** Environment variable with the file into which reporters write a line for each file or test that has ended. */
export const PROGRESS_VARIABLE = 'FACEPLATE_TEST_PROGRESS';
/** How often a run says how far it is, in milliseconds. */
const EVERY_MS = 30_000;
/** From this share on, the speed of this machine tells more than what the stage took elsewhere. */
const ENOUGH = 0.1;

/**
 * @typedef {object} Part a stage, or what is known of it
 * @property {number} [seconds] what it took on two cores
 * @property {number} [step] stages of one step run at the same time
 */

/** @param {Part[]} stages @returns {number} seconds, about; 0 where nothing is known */
export function expectedSeconds(stages) {
  const bySteps = new Map();
  for (const { step, seconds = 0 } of stages) bySteps.set(step, Math.max(bySteps.get(step) ?? 0, seconds));
  return [...bySteps.values()].reduce((sum, seconds) => sum + seconds, 0);
}

/** @param {string} text of the file @returns {{ done: number, total?: number }} */
export function readProgress(text) {
  const total = /^total (\d+)$/m.exec(text)?.[1];
  return { done: text.match(/^\.$/gm)?.length ?? 0, ...(total && { total: Number(total) }) };
}

/**
 * @param {{ seconds?: number }} stage
 * @param {{ done: number, total: number, elapsed: number }} now `elapsed` in seconds
 * @returns {number} seconds that the stage still takes, about
 */
export function secondsLeft({ seconds = 0 }, { done, total, elapsed }) {
  const share = total > 0 ? Math.min(1, done / total) : 0;
  if (share >= ENOUGH) return (elapsed / share) * (1 - share);
  return Math.max(0, seconds - elapsed);
}

/**
 * Says now and then how far a stage is.
 * @param {import('./testStages.mjs').Stage} stage
 * @param {{ file: string, total: number, later: number, say: (line: string) => void }} about `later`: seconds of the
 *   stages that follow
 * @returns {() => void} ends it
 */
export function followProgress(stage, { file, total, later, say }) {
  const started = Date.now();
  const ticker = setInterval(() => {
    const now = readProgress(read(file));
    const all = now.total ?? total;
    if (all === 0) return;
    const left = secondsLeft(stage, { done: now.done, total: all, elapsed: (Date.now() - started) / 1000 });
    say(`[${stage.name}: ${now.done} of ${all}, ${minutes(left + later)} left]`);
  }, EVERY_MS);
  return () => clearInterval(ticker);
}

/** @param {number} seconds @returns {string} `about 3 minutes` */
export function minutes(seconds) {
  const count = Math.max(1, Math.round(seconds / 60));
  return `about ${count} ${count === 1 ? 'minute' : 'minutes'}`;
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Nothing has ended yet.
    return '';
  }
}
