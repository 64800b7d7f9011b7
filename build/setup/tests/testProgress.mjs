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
 * @property {string} lane stages of one lane run one after the other
 */

/** @template {Part} S @param {S[]} stages @returns {S[][]} those of each lane, in their order */
export function lanesOf(stages) {
  return [...new Set(stages.map(({ lane }) => lane))].map((name) =>
    stages.filter(({ lane }) => lane === name),
  );
}

/** @param {Part[]} stages @returns {number} seconds, about: those of the longest lane; 0 where nothing is known */
export function expectedSeconds(stages) {
  return Math.max(0, ...lanesOf(stages).map(secondsOf));
}

/** @param {Part[]} stages of one lane */
function secondsOf(stages) {
  return stages.reduce((sum, { seconds = 0 }) => sum + seconds, 0);
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
 * How far a run is, said now and then.
 */
export class RunProgress {
  #lanes;
  #say;
  /** The stages of now, with when they began, and all that have ended. */
  #running = new Map();
  #ended = new Set();
  #ticker;

  /** @param {import('./testStages.mjs').Stage[]} stages @param {(line: string) => void} say */
  constructor(stages, say) {
    this.#lanes = lanesOf(stages);
    this.#say = say;
    this.#ticker = setInterval(() => this.#tell(), EVERY_MS);
  }

  /** @param {import('./testStages.mjs').Stage} stage @param {{ file: string, total: number }} about */
  begin(stage, { file, total }) {
    this.#running.set(stage, { file, total, began: Date.now() });
  }

  /** @param {import('./testStages.mjs').Stage} stage */
  end(stage) {
    this.#running.delete(stage);
    this.#ended.add(stage);
  }

  stop() {
    clearInterval(this.#ticker);
  }

  #tell() {
    const now = new Map([...this.#running].map(([stage, about]) => [stage, progressOf(about)]));
    const line = progressLine(this.#lanes, now, this.#ended);
    if (line !== '') this.#say(line);
  }
}

/**
 * @template {Part & { name: string }} S
 * @param {S[][]} lanes
 * @param {Map<S, { done: number, total: number, elapsed: number }>} now stages that run; `elapsed` in seconds
 * @param {Set<S>} ended
 * @returns {string} how far those are that tell how much they do, and how long the run still takes; empty without any
 */
export function progressLine(lanes, now, ended) {
  const told = [...now].filter(([, { total }]) => total > 0);
  if (told.length === 0) return '';
  const left = lanes.map((stages) =>
    stages.reduce((sum, stage) => {
      const at = now.get(stage);
      if (at !== undefined) return sum + secondsLeft(stage, at);
      return sum + (ended.has(stage) ? 0 : (stage.seconds ?? 0));
    }, 0),
  );
  const each = told.map(([{ name }, { done, total }]) => `${name}: ${done} of ${total}`);
  return `[${each.join(', ')}, ${minutes(Math.max(...left))} left]`;
}

function progressOf({ file, total, began }) {
  const { done, total: told } = readProgress(read(file));
  return { done, total: told ?? total, elapsed: (Date.now() - began) / 1000 };
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
