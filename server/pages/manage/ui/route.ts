import { store } from './store.ts';

/** The name after `#/`; empty at the beginning. */
function named(): string {
  return /^#\/([\w-]*)/.exec(location.hash)?.[1] ?? '';
}

/** The name of the view that is open. */
export const route = store(named());
addEventListener('hashchange', () => route.set(named()));

/** The address of a view. */
export function addressOf(view: string): string {
  return `#/${view}`;
}

/** Takes a pairing code out of the address bar, and of the history, at once. @returns undefined without one */
export function takePairingCode(): string | undefined {
  const code = /^#pair=(\d{8})$/.exec(location.hash)?.[1];
  if (location.hash.startsWith('#pair=')) history.replaceState(null, '', location.pathname);
  return code;
}
