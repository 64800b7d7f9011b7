/** The parts of an event that are read. */
interface FieldEvent {
  readonly type: string;
  readonly isTrusted: boolean;
  readonly pointerType?: string;
  readonly defaultPrevented: boolean;
  composedPath(): unknown[];
}

interface Root {
  readonly activeElement: Element | null;
  addEventListener(type: string, listener: (event: FieldEvent) => void, options: object): void;
}

interface Element {
  readonly localName: string;
  readonly shadowRoot: Root | null;
  readonly isContentEditable?: boolean;
  readonly type?: string;
  readonly disabled?: boolean;
  readonly readOnly?: boolean;
  getAttribute(name: string): string | null;
  closest(selector: string): unknown;
  scrollIntoView(options: object): void;
  animate(frames: object, options: object): { cancel(): void };
  showPicker?(): void;
}

interface FieldWindow {
  addEventListener(type: string, listener: (event: FieldEvent) => void, options: object): void;
  readonly document: Root & { readonly body: unknown; hasFocus(): boolean };
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
  readonly performance: { now(): number };
}

/** What the watch offers to its host, in the world it runs in. */
export interface FieldTools {
  /** The element whose closed shadow tree may hold the focus, which no script can look into. */
  host(): unknown;
  /** Gets that tree from the host; null: there is none. */
  adopt(root: unknown): void;
  /** Brings the field that has the focus into view. */
  reveal(): void;
}

/**
 * Reports which field of this frame has the focus, as JSON: `{"field":{…},"again":…}`, `{}` when none has it any more,
 * `{"by":"touch"}` for what a person does, and `{"closed":true}` when a closed shadow tree may hold the focus. Opens the
 * chooser of a date or time that is touched: Chromium on a desk does so only at its small button. Runs in an isolated world, so no page can forge, see or swallow a report; it reads no text. Copied as text, so it must not use
 * anything outside itself.
 * @param window the global object; null means the one the function runs in
 */
export function watchFields(window: FieldWindow | null, tell: (json: string) => void): FieldTools {
  const page = window ?? (globalThis as unknown as FieldWindow);
  const { document } = page;
  const textTypes = ['text', 'search', 'url', 'tel', 'email', 'password', 'number'];
  const dateTypes = ['date', 'time', 'datetime-local', 'month', 'week'];
  // A page may move the focus as often as it likes; the report comes at most this often, in milliseconds.
  const everyMs = 50;
  // A field that is removed from the page sends no event.
  const lookMs = 250;
  const closed = new WeakMap<Element, Root | 'none'>();
  // Dates whose chooser may not be opened by script, as in a frame of another origin: their parts are typed.
  const typed = new WeakSet<Element>();
  let touched: { event: FieldEvent; path: readonly unknown[] } | undefined;
  let asked: Element | null = null;
  let current: Element | null = null;
  let told = '{}';
  let toldAt = Number.NEGATIVE_INFINITY;
  let gestureAt = Number.NEGATIVE_INFINITY;
  let due = false;
  let again = false;
  let askedAt = Number.NEGATIVE_INFINITY;
  let timer: unknown;

  const focused = (): Element | null => {
    let at = document.activeElement;
    for (;;) {
      const known = at === null ? undefined : closed.get(at);
      const root = at?.shadowRoot ?? (known === 'none' ? undefined : known);
      const inner = root?.activeElement;
      if (!inner) return at;
      at = inner;
    }
  };
  const cut = (text: string | null | undefined) => String(text ?? '').slice(0, 20);
  const fieldOf = (element: Element) => {
    const { localName: tag, disabled, readOnly } = element;
    const isInput = tag === 'input' && textTypes.includes(String(element.type));
    const isDate = typed.has(element);
    const isText = isInput || isDate || tag === 'textarea';
    if (isText ? disabled || readOnly : !element.isContentEditable) return undefined;
    // An element of the page may be named like a property and stand in its place (`<img name="activeElement">`).
    if (typeof element.getAttribute !== 'function') return undefined;
    return {
      type: isInput || isDate ? cut(element.type) : isText ? tag : 'editable',
      inputMode: isDate ? 'numeric' : cut(element.getAttribute('inputmode')),
      enterKeyHint: cut(element.getAttribute('enterkeyhint')),
    };
  };
  /** Elements that can have a shadow tree (DOM standard, valid shadow host name), and show none to scripts. */
  const mayHide = ({ localName, shadowRoot }: Element) =>
    !shadowRoot &&
    (/-/.test(localName) ||
      /^(article|aside|blockquote|div|footer|h[1-6]|header|main|nav|p|section|span)$/.test(localName));

  /** Whether an event fell on the focused element, or on the tree that holds it. */
  const falls = (path: readonly unknown[], element: Element) =>
    path.includes(element) || path[0] === document.activeElement;
  /** Opens the chooser of a date that was just touched, unless the page has one of its own. */
  const choose = (element: Element) => {
    if (touched === undefined || page.performance.now() - gestureAt > 1_000 || !falls(touched.path, element))
      return;
    const { defaultPrevented } = touched.event;
    touched = undefined;
    if (defaultPrevented || element.disabled || element.readOnly) return;
    try {
      element.showPicker?.();
    } catch {
      typed.add(element);
    }
  };

  const look = () => {
    due = false;
    const element = focused();
    if (element?.localName === 'input' && dateTypes.includes(String(element.type))) choose(element);
    const field = element === null ? undefined : fieldOf(element);
    const now = page.performance.now();
    if (element !== null && field === undefined && mayHide(element) && !closed.has(element)) {
      // What a person just touched may be anything; a script that changes the focus is asked about twice a second.
      const wait = askedAt + (now - gestureAt < 1_000 ? 20 : 500) - now;
      if (wait > 0) {
        due = true;
        setTimeout(look, wait);
      } else {
        askedAt = now;
        asked = element;
        tell('{"closed":true}');
      }
    }
    const json = JSON.stringify(field === undefined ? {} : { field });
    const isNew = json !== told || (field !== undefined && element !== current);
    current = field === undefined ? null : element;
    if (isNew || (again && field !== undefined)) {
      told = json;
      toldAt = now;
      tell(again && field !== undefined ? JSON.stringify({ field, again: true }) : json);
    }
    again = false;
    if (current !== null && timer === undefined) timer = setInterval(look, lookMs);
    else if (current === null) {
      clearInterval(timer as number);
      timer = undefined;
    }
  };
  const soon = () => {
    if (due) return;
    due = true;
    setTimeout(look, Math.max(0, toldAt + everyMs - page.performance.now()));
  };
  const onFocus = (event: FieldEvent) => {
    if (event.isTrusted) soon();
  };
  const onGesture = (event: FieldEvent) => {
    if (!event.isTrusted) return;
    const now = page.performance.now();
    if (now - gestureAt < everyMs && event.type === 'keydown') return;
    gestureAt = now;
    const isTouch = event.pointerType === 'touch' || event.pointerType === 'pen';
    tell(isTouch ? '{"by":"touch"}' : '{"by":"other"}');
    if (event.type !== 'click') return;
    const path = event.composedPath();
    touched = isTouch ? { event, path } : undefined;
    // A field that has the focus already gets none by a touch. It has it once the touch has become a click.
    if (current !== null && falls(path, current)) again = true;
    if (again || isTouch) soon();
  };
  const options = { capture: true, passive: true };
  const listen = () => {
    for (const type of ['focusin', 'focusout']) page.addEventListener(type, onFocus, options);
    for (const type of ['pointerdown', 'pointerup', 'click', 'keydown'])
      page.addEventListener(type, onGesture, options);
  };
  listen();
  // document.open() removes the listeners of every world, but no observer.
  new page.MutationObserver(listen).observe(document, { childList: true });
  // A new frame may have the focus already.
  soon();

  return {
    host: () => asked,
    adopt(root) {
      if (asked === null) return;
      closed.set(asked, (root as Root | null) ?? 'none');
      for (const type of ['focusin', 'focusout'])
        (root as Root | null)?.addEventListener(type, onFocus, options);
      asked = null;
      soon();
    },
    reveal() {
      // The air around a field, without a trace in its attributes: an animation that ends before anything is drawn.
      const air = current?.animate({ scrollMargin: ['16px', '16px'] }, { duration: 1_000 });
      current?.scrollIntoView({ block: 'nearest', inline: 'nearest', behavior: 'instant' });
      air?.cancel();
    },
  };
}
