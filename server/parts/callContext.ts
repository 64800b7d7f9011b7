import type { Identity } from '../contract/access.ts';

/** What a service method gets about its call besides the params. */
export interface CallContext {
  /** Aborts when the caller is gone, the time limit has passed or the service stops; its reason says which. */
  readonly signal: AbortSignal;
  /** Many panels got the same call at the same moment: what loads a server of the house waits a little, by chance. */
  readonly isOneOfMany?: boolean;
}

/** A call that makes something which belongs to its caller and ends with it. */
export interface OwnedCall extends CallContext {
  /** The object that represents the caller: for a token as long as it is valid, or for one document of the page. */
  readonly identity: object;
}

/** A call whose caller may matter: what each answer of a part is given. */
export interface AuthorizedCall extends CallContext {
  /** Name of the caller for the log: an address or an origin. */
  readonly origin: string;
  /** Where it comes from; null: from a page of the panel itself. */
  readonly address: string | null;
  readonly identity: Identity;
}
