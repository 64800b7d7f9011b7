/** A place within the room there is: 0 is left or above, 1 right or below. */
interface Place {
  readonly x: number;
  readonly y: number;
}

/** Minutes from one edge to the other. They have no common divisor, so that the way covers the whole screen. */
const ACROSS = 29;
const DOWN = 17;
/** Kept free at the edges. */
const EDGE = 0.04;

/**
 * Where the clock stands in a minute. It goes back and forth in small steps, and comes by the same place again after 16
 * hours.
 * @param minute since any begin
 */
export function placeAt(minute: number): Place {
  const n = Math.floor(minute);
  return { x: within(backAndForth(n, ACROSS)), y: within(backAndForth(n, DOWN)) };
}

function backAndForth(n: number, steps: number): number {
  const at = ((n % (2 * steps)) + 2 * steps) % (2 * steps);
  return (at <= steps ? at : 2 * steps - at) / steps;
}

function within(part: number): number {
  return EDGE + part * (1 - 2 * EDGE);
}
