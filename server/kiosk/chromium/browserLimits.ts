import { GrowingLimit } from '../growingLimit.ts';

/**
 * How long the browser may take for each kind of step. They live as long as the host, so they outlast one browser. Its start
 * has long ones: it hangs rarely, and a try that is cut off is lost on a slow panel, which is busiest then.
 */
export interface BrowserLimits {
  /** Its starter, to answer. Not the same as the next: a quick answer says nothing about the window. */
  readonly starter: GrowingLimit;
  /** To show its first window. */
  readonly start: GrowingLimit;
  /** To let that window be set up. */
  readonly firstWindow: GrowingLimit;
  /** To open a bare window, which our own pages get. */
  readonly bareWindow: GrowingLimit;
  /** To begin a navigation. */
  readonly navigation: GrowingLimit;
  /** To accept a script for a page. A page whose renderer has crashed never does. */
  readonly script: GrowingLimit;
  /** To answer one question of a repeated series. */
  readonly question: GrowingLimit;
  /** To begin a built-in page. */
  readonly builtInPage: GrowingLimit;
  /** To load the page of the blank window. */
  readonly blankPage: GrowingLimit;
}

/** The limits of a host that has just been made. */
export function browserLimits(): BrowserLimits {
  return {
    starter: new GrowingLimit(60_000),
    start: new GrowingLimit(60_000),
    firstWindow: new GrowingLimit(60_000),
    bareWindow: new GrowingLimit(10_000),
    navigation: new GrowingLimit(10_000),
    script: new GrowingLimit(2_000),
    question: new GrowingLimit(2_500),
    builtInPage: new GrowingLimit(10_000),
    blankPage: new GrowingLimit(5_000),
  };
}
