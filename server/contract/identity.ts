import { type Scope, scopes } from './access.ts';

/** A caller as a token names it. */
export interface Identity {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Whether the token was made by the code that the first set-up shows. */
  readonly isFromSetup?: true;
}

/** The holder of the token in `<dataDir>/token`. */
export const OWNER: Identity = { id: 'owner', name: 'owner', scopes };
/** A person at the unlocked glass: acts as the owner. */
export const PANEL: Identity = { id: 'panel', name: 'panel', scopes };
/** A caller of this machine without a token, where the contract lets one in. */
export const LOOPBACK: Identity = { id: 'loopback', name: 'loopback', scopes: ['view', 'control'] };
/** A caller of whom nothing is known, where the contract is open to everyone. */
export const NOBODY: Identity = { id: 'nobody', name: 'nobody', scopes: [] };

/** A journal that is replayed on a desk: it has no scope, the contract says what it may do. */
export const REPLAY: Identity = { id: 'replay', name: 'replay', scopes: [] };

/** Whether a caller is the owner, or stands at the unlocked glass. */
export function isOwner({ id }: Identity): boolean {
  return id === OWNER.id || id === PANEL.id;
}
