// Node's own modules only, and nothing newer than Node 20.

/** A terminal, npm and the set-up command each pass on one Ctrl+C: within this time it counts once, in milliseconds. */
const SAME_MS = 500;

/**
 * Calls `act` once for each Ctrl+C or other signal of a person.
 * @param {readonly NodeJS.Signals[]} signals of which one soon after another counts as the same
 * @param {() => void} act
 * @param {() => number} now a clock in milliseconds
 * @returns {() => void} stops that
 */
export function onSignal(signals, act, now = () => performance.now()) {
  let last = -Infinity;
  const hear = () => {
    const isSame = now() - last < SAME_MS;
    last = now();
    if (!isSame) act();
  };
  for (const signal of signals) process.on(signal, hear);
  return () => {
    for (const signal of signals) process.off(signal, hear);
  };
}
