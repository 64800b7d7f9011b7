import { store } from '../ui/store.ts';

const KEPT = 'token';

/** Where there is no storage (a private window), the token lives as long as the tab. */
function kept(): string | undefined {
  try {
    return localStorage.getItem(KEPT) ?? undefined;
  } catch {
    return undefined;
  }
}

/** The token of this browser; undefined while it is signed out. */
export const token = store<string | undefined>(kept());
/** Why a person has to sign in again. */
export const signedOutBecause = store<'unknown' | undefined>(undefined);

/** Keeps the token for the next visit. */
export function signIn(given: string): void {
  signedOutBecause.set(undefined);
  try {
    localStorage.setItem(KEPT, given);
  } catch {
    // It is kept in memory.
  }
  token.set(given);
}

/** Forgets the token. @param reason why, where it was not the person's wish */
export function signOut(reason?: 'unknown'): void {
  try {
    localStorage.removeItem(KEPT);
  } catch {
    // It was in memory only.
  }
  signedOutBecause.set(reason);
  token.set(undefined);
}
