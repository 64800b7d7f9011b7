/** The parts of a keyboard, mouse or wheel event that the guard reads. */
interface InputEvent {
  readonly type: string;
  readonly isTrusted: boolean;
  readonly key?: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  getModifierState(name: string): boolean;
  preventDefault(): void;
}

interface GuardedWindow {
  addEventListener(
    type: string,
    listener: (event: InputEvent) => unknown,
    options: { capture: boolean; passive?: boolean },
  ): void;
  print: () => void;
  readonly document: unknown;
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
}

/**
 * Disables the browser's own shortcuts (developer tools, task manager, zoom, print, file dialogs, history) in every
 * frame, before any script of the page. Typing and editing keys work, and the page still gets all events. Events that
 * the page makes itself reach no shortcut and stay as they are. Copied into the page as text, so it must not use
 * anything outside itself.
 * @param window the global object; null means the one the function runs in.
 */
export function installKeyGuard(window: GuardedWindow | null): void {
  const page = window ?? (globalThis as unknown as GuardedWindow);
  const editing = [
    'a',
    'c',
    'v',
    'x',
    'y',
    'z',
    'Backspace',
    'Delete',
    'Home',
    'End',
    'ArrowLeft',
    'ArrowRight',
  ];
  const selecting = ['z', 'Home', 'End', 'ArrowLeft', 'ArrowRight'];

  const isEditing = (key: string, { ctrlKey, altKey, metaKey, shiftKey }: InputEvent) => {
    if (!ctrlKey || altKey || metaKey) return false;
    return (shiftKey ? selecting : editing).includes(key.length === 1 ? key.toLowerCase() : key);
  };
  const isShortcut = (event: InputEvent) => {
    const { key } = event;
    // A choice from a list of suggestions arrives as a trusted keydown that is a plain Event.
    if (typeof key !== 'string') return false;
    if (/^F\d+$/.test(key) || /^(Alt$|Browser|Launch)/.test(key)) return true;
    if (key === 'Escape' && event.shiftKey) return true;
    const isAltGraph = event.getModifierState('AltGraph');
    return (event.ctrlKey || event.metaKey || event.altKey) && !isAltGraph && !isEditing(key, event);
  };

  const listeners: Record<string, (event: InputEvent) => boolean> = {
    keydown: isShortcut,
    keyup: (event) => event.key === 'Alt',
    wheel: (event) => event.ctrlKey,
    contextmenu: () => true,
  };
  const guard = (event: InputEvent) => {
    if (event.isTrusted && listeners[event.type]!(event)) event.preventDefault();
  };
  const add = page.addEventListener;
  const listen = () => {
    for (const type in listeners) add.call(page, type, guard, { capture: true, passive: false });
  };
  listen();
  // document.open() removes all listeners, but no observer.
  new page.MutationObserver(listen).observe(page.document, { childList: true });
  // The print preview blocks the page, and a kiosk has no person to close it.
  page.print = () => {};
}
