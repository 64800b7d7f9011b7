import type { StoredRollout } from './contract.ts';
import type { SeenPanel } from './panels.ts';

/** Milliseconds without an answer and without progress after which a panel has failed. */
export const SILENCE_MS = 600_000;
/** Longest time that a panel may be at it, in milliseconds, whatever progress it tells of. */
export const LONGEST_MS = 4_200_000;
/** Milliseconds until a message that could not be sent is sent again. */
const AGAIN_MS = 10_000;

interface ToldOptions {
  readonly command: StoredRollout['command'];
  readonly params: StoredRollout['params'];
  readonly healthyForMs: number;
  readonly updateBefore: string | null;
  readonly pageBefore: string | null;
  readonly sentAt: number;
  /** It got the same message before: a CONFLICT then means that it is still busy with it. */
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

  /** Aborts when the answer is not needed any more. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  get isAgain(): boolean {
    return this.#options.isAgain;
  }

  end(): void {
    this.#ending.abort();
  }

  /** Another try of the same work: its time continues. */
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

  /** It has done its work; from now on it proves itself. */
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

  /** Whether it left without an answer and is here again: its message may be lost. */
  #isBack(panel: SeenPanel): boolean {
    if (!this.#wasAway) return false;
    this.#wasAway = false;
    // An update restarts the panel by itself.
    return this.#options.command !== 'update.fetch' || panel.update?.state === 'idle';
  }
}

/** Milliseconds beyond `healthyFor` that a panel may need to get well. */
export const PATIENCE_MS = 300_000;
/** Milliseconds after which a page that was failed or blank before the command counts as its result. */
export const STALE_PAGE_MS = 30_000;

interface ProofOptions {
  /** Milliseconds that never jump. */
  readonly beganAt: number;
  readonly healthyForMs: number;
  /** `since` of the page before the command; null: not known. */
  readonly pageBefore: string | null;
  /** With an update that has to prove itself: `last.at` before it. Undefined: there is none. */
  readonly updateBefore: string | null | undefined;
}

type ProofVerdict =
  | { readonly state: 'proving' }
  | { readonly state: 'healthy' }
  | { readonly state: 'failed'; readonly reason: string };

/** Whether a panel that has done its work is well: online with its page shown, for some time on end. */
class Proof {
  readonly #options: ProofOptions;
  #wellSince: number | undefined;
  #page: string | undefined;

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** To be asked whenever something of the panel changed, and at least once a second. */
  judge(panel: SeenPanel | undefined, now: number): ProofVerdict {
    const { beganAt, healthyForMs } = this.#options;
    const failure = this.#failure(panel, now);
    if (failure !== undefined) return { state: 'failed', reason: failure };
    if (!this.#isWell(panel)) this.#wellSince = undefined;
    else if (this.#wellSince === undefined || panel?.page?.since !== this.#page) {
      this.#wellSince = now;
      this.#page = panel?.page?.since;
    }
    if (this.#wellSince !== undefined && now - this.#wellSince >= healthyForMs) return { state: 'healthy' };
    const limit = healthyForMs + PATIENCE_MS;
    if (now - beganAt < limit) return { state: 'proving' };
    return { state: 'failed', reason: `not healthy within ${limit / 1_000} s: ${whyNot(panel)}` };
  }

  #failure(panel: SeenPanel | undefined, now: number): string | undefined {
    if (panel === undefined || !panel.isOnline) return undefined;
    const { beganAt, pageBefore, updateBefore } = this.#options;
    const last = panel.update?.last;
    if (updateBefore !== undefined && last?.result === 'returned' && last.at !== updateBefore)
      return last.reason === null ? 'returned' : `returned: ${clip(last.reason)}`;
    const { page } = panel;
    if (page?.state !== 'failed' && page?.state !== 'blank') return undefined;
    // It may still be the earlier page: the last message has not reached it.
    const isResult = page.since !== pageBefore || now - beganAt >= STALE_PAGE_MS;
    return isResult ? `page ${page.state}` : undefined;
  }

  #isWell(panel: SeenPanel | undefined): boolean {
    if (panel === undefined || !panel.isOnline) return false;
    if (panel.page !== null && panel.page.state !== 'shown') return false;
    const { updateBefore } = this.#options;
    if (updateBefore === undefined) return true;
    const last = panel.update?.last;
    return last?.result === 'good' && last.at !== updateBefore;
  }
}

function whyNot(panel: SeenPanel | undefined): string {
  if (panel === undefined || !panel.isOnline) return 'it is offline';
  if (panel.page !== null && panel.page.state !== 'shown') return `its page is ${panel.page.state}`;
  return 'it did not stay as it was for long enough';
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
