/** One poll(2) that can be ended early. @param done gets the descriptors that can be read, have failed or were closed */
type PollOnce = (
  fds: readonly number[],
  limitMs: number,
  done: (ready: ReadonlySet<number>) => void,
) => () => void;

interface Wait {
  readonly fds: readonly number[];
  /** In steady time; the past: it was ended. */
  until: number;
  readonly ready: () => void;
}

/** Waits for the descriptors of all drivers in one thread: Node's pool has four, and files need them. */
export class SharedPoll {
  readonly #pollOnce: PollOnce;
  readonly #waits = new Set<Wait>();
  #wake: (() => void) | undefined;
  #isTelling = false;

  constructor(pollOnce: PollOnce) {
    this.#pollOnce = pollOnce;
  }

  /** As `whenReadable` of EventIo. */
  whenReadable(fds: readonly number[], limitMs: number, ready: () => void): () => void {
    const wait: Wait = { fds, until: performance.now() + limitMs, ready };
    this.#waits.add(wait);
    this.#lookAgain();
    return () => {
      if (!this.#waits.has(wait)) return;
      wait.until = 0;
      this.#lookAgain();
    };
  }

  #lookAgain(): void {
    if (this.#isTelling) return;
    if (this.#wake) this.#wake();
    else this.#poll();
  }

  #poll(): void {
    if (this.#waits.size === 0) return;
    const waits = [...this.#waits];
    const until = Math.min(...waits.map((wait) => wait.until));
    const limitMs = Math.max(0, Math.ceil(until - performance.now()));
    this.#wake = this.#pollOnce([...new Set(waits.flatMap(({ fds }) => fds))], limitMs, (ready) => {
      this.#wake = undefined;
      this.#tell(ready);
    });
  }

  #tell(ready: ReadonlySet<number>): void {
    const now = performance.now();
    const due = [...this.#waits].filter(({ until, fds }) => until <= now || fds.some((fd) => ready.has(fd)));
    for (const wait of due) this.#waits.delete(wait);
    // Whoever is told waits anew: these waits are polled together afterwards.
    this.#isTelling = true;
    try {
      for (const wait of due) wait.ready();
    } finally {
      this.#isTelling = false;
      this.#poll();
    }
  }
}
