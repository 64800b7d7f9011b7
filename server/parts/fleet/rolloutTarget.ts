import type { KeptRollout } from './contract.ts';
import type { SeenPanel } from './panels.ts';
import { Proof } from './proof.ts';

/** Milliseconds without an answer and without progress after which a panel has failed. */
export const SILENCE_MS = 600_000;
/** Longest time that a panel may be at it, in milliseconds, whatever progress it tells of. */
export const LONGEST_MS = 4_200_000;
/** Milliseconds until a panel that could not be told now is told again. */
const AGAIN_MS = 10_000;

interface ToldOptions {
  readonly command: KeptRollout['command'];
  readonly params: KeptRollout['params'];
  readonly healthyForMs: number;
  readonly updateBefore: string | null;
  readonly pageBefore: string | null;
  readonly sentAt: number;
  /** It was told the same before: a CONFLICT then means that it is still at it. */
  readonly isAgain: boolean;
}

type Verdict =
  | { readonly state: 'under way' | 'answered' | 'again' | 'healthy' }
  | { readonly state: 'failed'; readonly reason: string };

/** One panel between the command and the end of its proof. */
export class RolloutTarget {
  readonly #options: ToldOptions;
  readonly #ending = new AbortController();
  #beganAt: number;
  #lastSign: number;
  #againAt: number | undefined;
  #wasAway = false;
  #proof: Proof | undefined;

  constructor(options: ToldOptions) {
    this.#options = options;
    this.#beganAt = options.sentAt;
    this.#lastSign = options.sentAt;
  }

  /** Aborts when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isAgain(): boolean {
    return this.#options.isAgain;
  }

  end(): void {
    this.#ending.abort();
  }

  /** Another try of what this one was at: its time goes on. */
  follow(before: RolloutTarget): void {
    this.#beganAt = before.#beganAt;
    this.#lastSign = before.#lastSign;
  }

  /** The panel is at it. */
  sign(now: number): void {
    this.#lastSign = now;
  }

  tryLater(now: number): void {
    this.#againAt = now + AGAIN_MS;
  }

  /** Nothing was known of it for a while: what has to last begins anew. */
  goOn(panel: SeenPanel | undefined, now: number): void {
    this.#lastSign = now;
    if (this.#proof !== undefined) this.answered(now);
    if (panel?.isOnline !== true) this.#wasAway = true;
  }

  /** It did what it was told; from now on it proves itself. */
  answered(now: number): void {
    const { healthyForMs, pageBefore, updateBefore, command, params } = this.#options;
    // An update that waits for the next restart proves nothing yet.
    const hasUpdate = command === 'update.fetch' && params.restart !== false;
    this.#proof = new Proof({
      beganAt: now,
      healthyForMs,
      pageBefore,
      updateBefore: hasUpdate ? updateBefore : undefined,
    });
  }

  judge(panel: SeenPanel | undefined, now: number): Verdict {
    if (this.#proof !== undefined) {
      const verdict = this.#proof.judge(panel, now);
      return verdict.state === 'proving' ? { state: 'under way' } : verdict;
    }
    if (this.#hasUpdated(panel)) return { state: 'answered' };
    if (now - this.#lastSign >= SILENCE_MS || now - this.#beganAt >= LONGEST_MS)
      return {
        state: 'failed',
        reason: this.#againAt === undefined ? 'no answer and no progress for 10 minutes' : 'CONFLICT',
      };
    if (panel?.isOnline !== true) this.#wasAway = true;
    else if (this.#isBack(panel) || (this.#againAt !== undefined && now >= this.#againAt))
      return { state: 'again' };
    return { state: 'under way' };
  }

  /** Whether an update ended whose answer was lost: the restart that belongs to it may have taken it along. */
  #hasUpdated(panel: SeenPanel | undefined): boolean {
    const { command, updateBefore } = this.#options;
    const last = panel?.update?.last;
    return command === 'update.fetch' && last !== undefined && last !== null && last.at !== updateBefore;
  }

  /** Whether it went away without an answer and is here again: what it was told may be lost. */
  #isBack(panel: SeenPanel): boolean {
    if (!this.#wasAway) return false;
    this.#wasAway = false;
    // An update restarts the panel by itself.
    return this.#options.command !== 'update.fetch' || panel.update?.state === 'idle';
  }
}
