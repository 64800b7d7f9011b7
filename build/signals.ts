/** A terminal, npm and the set-up command each pass on one Ctrl+C: within this time it counts once, in milliseconds. */
const SAME_MS = 500;

/**
 * Calls `act` once for each Ctrl+C or other signal of a person.
 * @param now a clock in milliseconds
 * @returns stops that
 */
export function onSignal(
  signals: readonly NodeJS.Signals[],
  act: () => void,
  now = () => performance.now(),
): () => void {
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
