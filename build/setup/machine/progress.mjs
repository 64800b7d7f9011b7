// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.

/** How often a long step says that it is still running, in milliseconds. */
const EVERY_MS = 5_000;

/**
 * Says every few seconds that a step is still running, and how long it took.
 * @template T
 * @param {{ doing: string, done: string, say: (line: string) => void, everyMs?: number }} words `still <doing>`
 * @param {() => Promise<T>} step
 * @returns {Promise<T>} what the step gives @throws what it throws
 */
export async function withProgress({ doing, done, say, everyMs = EVERY_MS }, step) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const ticker = setInterval(() => say(`  still ${doing}, ${seconds()} so far`), everyMs);
  try {
    const result = await step();
    say(`${done} in ${seconds()}.`);
    return result;
  } finally {
    clearInterval(ticker);
  }
}
