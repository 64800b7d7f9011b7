import type { ApprovalOnGlass, GlassEvent } from '../../kiosk/glass/contract.ts';

/** Where a person at the panel is asked: the layer above the kiosk page. */
export interface ApprovalScreen {
  /** Whether a person can see it and touch it now. */
  isThere(): boolean;
  /**
   * Shows this question in place of the one before, or none. Resolves when it is on the screen.
   * @throws FaceplateError UNSUPPORTED_HARDWARE (no window)
   */
  show(question: ApprovalOnGlass | null): Promise<void>;
  /** Calls back for what a person does there. @returns the function that ends it */
  onEvent(listener: (event: GlassEvent) => void): () => void;
  /** Wakes the panel as a touch does, and keeps it awake. @returns the function that ends it; safe to call twice */
  hold(): () => void;
}

/** Who asked for what, and what was said to it. */
export interface AnsweredCall {
  readonly command: string;
  readonly surface: string;
  readonly caller: { readonly id: string; readonly name: string; readonly address: string | null };
  /** `none`: nobody said anything. `gone`: the caller left first, or its token ended. */
  readonly answer: 'yes' | 'no' | 'none' | 'gone';
  /** How long the question was on the glass, in milliseconds. */
  readonly ms: number;
}

/** Where it is written down. */
export interface ApprovalJournal {
  /** The params of a command without secrets. */
  readable(command: string, params: unknown): unknown;
  note(answered: AnsweredCall): void;
}
