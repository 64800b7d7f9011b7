import type { SeenPanel } from './panels.ts';

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

type Verdict =
  | { readonly state: 'proving' }
  | { readonly state: 'healthy' }
  | { readonly state: 'failed'; readonly reason: string };

/** Whether a panel that did what it was told is well: online with its page shown, for some time on end. */
export class Proof {
  readonly #options: ProofOptions;
  #wellSince: number | undefined;
  #page: string | undefined;

  constructor(options: ProofOptions) {
    this.#options = options;
  }

  /** To be asked whenever something of the panel changed, and at least once a second. */
  judge(panel: SeenPanel | undefined, now: number): Verdict {
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
    // It may still be the page of before: what was told just now has not reached it.
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
