/** Share of failures that a kind of work may have: a reload meets a call now and then. */
const MAY_FAIL = 0.05;
/** One failure tells nothing, however few times the work was done. */
const FEWEST_FAILURES = 2;
/** How many different reasons are told apart. */
const MOST_REASONS = 8;
const LONGEST_REASON = 200;

/** How often a kind of work was done, how long it took, and why it failed. */
export class Tally {
  readonly name: string;
  readonly #took: number[] = [];
  readonly #reasons = new Map<string, number>();
  #failed = 0;

  constructor(name: string) {
    this.name = name;
  }

  get done(): number {
    return this.#took.length;
  }

  get failed(): number {
    return this.#failed;
  }

  /** Whether the work was never done, or failed too often. */
  get hasFailed(): boolean {
    if (this.done === 0) return true;
    return this.#failed >= FEWEST_FAILURES && this.#failed / (this.done + this.#failed) > MAY_FAIL;
  }

  /** @param ms how long it took */
  hasDone(ms: number): void {
    this.#took.push(ms);
  }

  hasMissed(error: unknown): void {
    this.#failed++;
    // Numbers of one reason differ from time to time.
    const reason = String((error as Error).message ?? error)
      .replaceAll(/\d+/g, 'N')
      .slice(0, LONGEST_REASON);
    const isKnown = this.#reasons.has(reason) || this.#reasons.size < MOST_REASONS;
    const key = isKnown ? reason : 'other reasons';
    this.#reasons.set(key, (this.#reasons.get(key) ?? 0) + 1);
  }

  /** Lines of the verdict: how often and how long, then each reason with how often it was one. */
  lines(): string[] {
    const sorted = this.#took.toSorted((a, b) => a - b);
    const at = (share: number) =>
      `${((sorted[Math.floor(share * (sorted.length - 1))] ?? 0) / 1000).toFixed(1)} s`;
    const times = sorted.length === 0 ? '' : `, median ${at(0.5)}, longest ${at(1)}`;
    const verdict = this.hasFailed ? ': TOO MANY' : '';
    return [
      `  ${this.name}: ${this.done} done${times}, ${this.#failed} failed${verdict}`,
      ...[...this.#reasons]
        .toSorted((a, b) => b[1] - a[1])
        .map(([reason, count]) => `    ${count} x ${reason}`),
    ];
  }
}
