// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.

/** How often a long step says that it is still running, in milliseconds: a line of its own, or one that is rewritten. */
const EVERY_MS = 5_000;
const REWRITTEN_EVERY_MS = 1_000;
/** Back to the beginning of the line, and nothing in it (ECMA-48, CR and EL). */
const CLEAR_LINE = '\r\x1b[K';

/**
 * Says every few seconds that a step is still running, and how long it took. A terminal gets one line for it, which is
 * rewritten; a file or a pipe gets a line each time.
 * @template T
 * @param {{ doing: string, done: string, say: (line: string) => void, everyMs?: number,
 *   terminal?: { isTTY?: boolean, write: (text: string) => unknown } }} words `still <doing>`
 * @param {() => Promise<T>} step
 * @returns {Promise<T>} what the step gives @throws what it throws
 */
export async function withProgress({ doing, done, say, everyMs, terminal = process.stderr }, step) {
  const started = Date.now();
  const seconds = () => `${Math.round((Date.now() - started) / 1000)} s`;
  const still = () => `  still ${doing}, ${seconds()} so far`;
  const isRewritten = terminal.isTTY === true;
  const clear = () => isRewritten && terminal.write(CLEAR_LINE);
  const ticker = setInterval(
    () => (isRewritten ? terminal.write(`${CLEAR_LINE}${still()}`) : say(still())),
    everyMs ?? (isRewritten ? REWRITTEN_EVERY_MS : EVERY_MS),
  );
  try {
    const result = await step();
    clear();
    say(`${done} in ${seconds()}.`);
    return result;
  } catch (error) {
    clear();
    throw error;
  } finally {
    clearInterval(ticker);
  }
}
