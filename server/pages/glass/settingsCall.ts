const FINGERS = 5;
const HELD_MS = 5_000;

/**
 * The gestures that open the settings page, here as well: what covers the kiosk page would swallow them. Real input
 * only.
 */
export function watchSettingsCall(onCall: () => void): void {
  let waiting: number | undefined;
  const touched = (event: TouchEvent) => {
    if (!event.isTrusted) return;
    if (event.touches.length >= FINGERS) waiting ??= window.setTimeout(onCall, HELD_MS);
    else {
      window.clearTimeout(waiting);
      waiting = undefined;
    }
  };
  for (const type of ['touchstart', 'touchend', 'touchcancel'] as const)
    addEventListener(type, touched, { capture: true, passive: true });
  addEventListener(
    'keydown',
    (event) => {
      const isOthers = event.shiftKey || event.metaKey || event.repeat;
      if (event.isTrusted && event.code === 'KeyS' && event.ctrlKey && event.altKey && !isOthers) onCall();
    },
    { capture: true },
  );
}
