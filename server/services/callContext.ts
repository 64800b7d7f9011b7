/** What a service method gets about its call besides the params. */
export interface CallContext {
  /** Aborts when the caller is gone, the time limit has passed or the service stops; its reason says which. */
  readonly signal: AbortSignal;
  /** Whether others were told the same at the same time: what asks a server then spreads it over time. */
  readonly isOneOfMany?: boolean;
}
