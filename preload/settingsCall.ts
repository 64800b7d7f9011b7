/** The parts of a touch or key event that are read. A plain `Event` of the same type has none of them. */
interface CallEvent {
  readonly isTrusted: boolean;
  readonly touches?: { readonly length: number };
  readonly key?: string;
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
  readonly repeat: boolean;
}

interface CallWindow {
  addEventListener(
    type: string,
    listener: (event: CallEvent) => void,
    options: { capture: boolean; passive: boolean },
  ): void;
  readonly document: unknown;
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
}

/**
 * Reports how many fingers rest on this frame, and Ctrl+Alt+S (`'keys'`): the gestures that open the settings page.
 * Runs in an isolated world, before any script of the page, and counts real input only, so that no page can forge or
 * swallow it. Copied as text, so it must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 */
export function watchSettingsCall(window: CallWindow | null, tell: (what: number | 'keys') => void): void {
  const page = window ?? (globalThis as unknown as CallWindow);
  let told = 0;
  const count = (fingers: number) => {
    if (fingers === told) return;
    told = fingers;
    tell(fingers);
  };
  const touch = (event: CallEvent) => {
    if (event.isTrusted) count(event.touches?.length ?? 0);
  };
  const press = (event: CallEvent) => {
    if (!event.isTrusted || !event.ctrlKey || !event.altKey) return;
    const isS = event.code === 'KeyS' || event.key?.toLowerCase() === 's';
    if (isS && !event.shiftKey && !event.metaKey && !event.repeat) tell('keys');
  };
  const listeners: Record<string, (event: CallEvent) => void> = {
    touchstart: touch,
    touchend: touch,
    touchcancel: touch,
    keydown: press,
    // A document that is replaced is not notified when the fingers are lifted.
    pagehide: () => count(0),
  };
  const listen = () => {
    for (const type in listeners)
      page.addEventListener(type, listeners[type]!, { capture: true, passive: true });
  };
  listen();
  // document.open() removes the listeners of every world, but no observer.
  new page.MutationObserver(listen).observe(page.document, { childList: true });
}
