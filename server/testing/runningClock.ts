/** How often it looks, and the longest pause between two looks that counts whole, in milliseconds. */
const LOOK_MS = 10;
const PAUSE_MS = 30;

/** What `RunningClock` measures by; tests give their own. */
interface Sources {
  readonly wall: () => number;
  /** Time that this thread had a core, in milliseconds. */
  readonly computed: () => number;
}

/**
 * The time in which this process could run, for judging how late something was done. It stands still while the machine gives the
 * process no core, and goes on while the process itself holds the loop.
 */
export class RunningClock {
  readonly #sources: Sources;
  #timer: NodeJS.Timeout | undefined;
  #now = 0;
  #wall: number;
  #computed: number;

  constructor(sources: Sources = { wall: () => performance.now(), computed: threadTime }) {
    this.#sources = sources;
    this.#wall = sources.wall();
    this.#computed = sources.computed();
  }

  start(): void {
    this.#timer = setInterval(() => this.look(), LOOK_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** In milliseconds. */
  now(): number {
    this.look();
    return this.#now;
  }

  /** Takes account of the time since the last look. */
  look(): void {
    const [wall, computed] = [this.#sources.wall(), this.#sources.computed()];
    this.#now += Math.min(wall - this.#wall, Math.max(PAUSE_MS, computed - this.#computed));
    this.#wall = wall;
    this.#computed = computed;
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
