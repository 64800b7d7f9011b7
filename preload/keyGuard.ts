/** The parts of a keyboard, mouse or wheel event that the guard reads. */
interface InputEvent {
  readonly key: string;
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
 * Takes from the browser's own shortcuts (developer tools, task manager, zoom, print, file dialogs, history) their
 * effect, in every frame, before any script of the page. Typing and editing keys work, and the page still hears all.
 * Copied into the page as text, so it must not touch anything outside itself.
 *
 * @param window the global object; null stands for the one the function runs in.
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

  const isEditing = ({ key, ctrlKey, altKey, metaKey, shiftKey }: InputEvent) => {
    if (!ctrlKey || altKey || metaKey) return false;
    return (shiftKey ? selecting : editing).includes(key.length === 1 ? key.toLowerCase() : key);
  };
  const isShortcut = (event: InputEvent) => {
    const { key } = event;
    if (/^F\d+$/.test(key) || /^(Alt$|Browser|Launch)/.test(key)) return true;
    if (key === 'Escape' && event.shiftKey) return true;
    const isAltGraph = event.getModifierState('AltGraph');
    return (event.ctrlKey || event.metaKey || event.altKey) && !isAltGraph && !isEditing(event);
  };

  const listeners: Record<string, (event: InputEvent) => unknown> = {
    keydown: (event) => isShortcut(event) && event.preventDefault(),
    keyup: (event) => event.key === 'Alt' && event.preventDefault(),
    wheel: (event) => event.ctrlKey && event.preventDefault(),
    contextmenu: (event) => event.preventDefault(),
  };
  const add = page.addEventListener;
  const listen = () => {
    for (const type in listeners) add.call(page, type, listeners[type]!, { capture: true, passive: false });
  };
  listen();
  // document.open() removes all listeners, but no observer.
  new page.MutationObserver(listen).observe(page.document, { childList: true });
  // The print preview blocks the page, and a kiosk has nobody to close it.
  page.print = () => {};
}
