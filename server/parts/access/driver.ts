import type { Scope } from '../../contract/access.ts';

/** A caller as a token names it. Each token has one object for as long as it is valid: the object stands for it. */
export interface Holder {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Whether the token was made by the code that the first set-up shows: it may set the first PIN. */
  readonly isFromSetup?: true;
}

/** The owner's token, which has its own file or setting. */
export interface OwnerToken {
  /** In constant time. */
  matches(candidate: string): boolean;
  /** When it was made, in milliseconds since 1970. */
  readonly madeAt: number;
}
