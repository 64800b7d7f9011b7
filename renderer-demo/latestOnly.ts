/** A function that runs one call at a time, and only the last of the calls that arrive meanwhile. */
export interface LatestOnly<T> {
  (value: T): void;
  /** True while a call runs or waits. */
  readonly isBusy: boolean;
  /** True while a call waits for the one that runs. */
  readonly isWaiting: boolean;
}

/** A slider moves faster than a panel answers: this sends the newest position and skips those in between. */
export function latestOnly<T>(work: (value: T) => Promise<void>): LatestOnly<T> {
  let isBusy = false;
  let waiting: { value: T } | undefined;

  async function run(value: T): Promise<void> {
    isBusy = true;
    waiting = { value };
    while (waiting) {
      const { value: next } = waiting;
      waiting = undefined;
      await work(next);
    }
  }

  function offer(value: T): void {
    if (isBusy) waiting = { value };
    else
      void run(value).finally(() => {
        isBusy = false;
      });
  }

  return Object.defineProperties(offer, {
    isBusy: { get: () => isBusy },
    isWaiting: { get: () => waiting !== undefined },
  }) as LatestOnly<T>;
}
