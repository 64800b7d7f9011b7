import type { Clock } from '../platform/clock.ts';
import type { TextField } from './host.ts';
import { fieldReport } from './keyboard/contract.ts';

/** A focus that comes later after a touch or key is not the person's, in milliseconds. */
const BY_PERSON_MS = 1_000;
/** The longest report of preload/fieldWatch.ts is far shorter. */
const MAX_REPORT = 1_000;

/** A report of preload/fieldWatch.ts. */
type FieldReport =
  | { readonly kind: 'gesture'; readonly by: 'touch' | 'other' }
  | { readonly kind: 'closed' }
  | { readonly kind: 'focus'; readonly field: TextField | undefined };

/** @returns undefined for what is no report */
export function readReport(json: string): FieldReport | undefined {
  if (json.length > MAX_REPORT) return undefined;
  try {
    const report = fieldReport.parse(JSON.parse(json));
    if (report.by !== undefined) return { kind: 'gesture', by: report.by };
    return report.closed ? { kind: 'closed' } : { kind: 'focus', field: report.field };
  } catch {
    return undefined;
  }
}

/** What a person did last, in any frame. */
export class Gesture {
  readonly #clock: Clock;
  #last: { readonly by: 'touch' | 'other'; readonly at: number } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(by: 'touch' | 'other'): void {
    this.#last = { by, at: this.#clock.now() };
  }

  /** What the person did just now, null for nothing; it counts for one focus: scripts may move it on and on. */
  take(): 'touch' | 'other' | null {
    const last = this.#last;
    this.#last = undefined;
    return last !== undefined && this.#clock.now() - last.at <= BY_PERSON_MS ? last.by : null;
  }
}
