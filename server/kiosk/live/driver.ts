import type { LiveWatch, LiveWatcher } from '../host.ts';

/** The window as the live screen needs it. */
export interface LiveWindow {
  /** One watch at a time. @throws FaceplateError UNSUPPORTED_HARDWARE without a window */
  watch(watcher: LiveWatcher): LiveWatch;
}
