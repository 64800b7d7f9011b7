/** What is reported: a way out that was refused, or an address for a new window that the page itself shows instead. */
type Refusal = 'scheme' | 'window' | 'dialog' | 'pointer-lock' | 'security-key';

/** The parts of a link or form that the guard reads. */
interface Target {
  readonly nodeType: number;
  readonly localName: string;
  readonly href: string | { readonly baseVal: string };
  readonly isConnected: boolean;
  addEventListener(type: string, listener: (event: ClickEvent) => void, options: ListenOptions): void;
}

interface ListenOptions {
  readonly capture: boolean;
  readonly once?: boolean;
}

interface ClickEvent {
  readonly type: string;
  readonly button: number;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly target: Target;
  readonly submitter?: Target | null;
  composedPath(): Target[];
  preventDefault(): void;
}

interface NavigateEvent {
  readonly destination?: { readonly url: string };
  preventDefault(): void;
}

interface GuardedDocument {
  readonly baseURI: string;
  querySelector(selector: string): Target | null;
  createElement(name: string): Target;
  dispatchEvent(event: unknown): boolean;
}

interface NamedFrames {
  readonly name: string;
  readonly length: number;
  readonly [index: number]: NamedFrames;
}

interface GuardedWindow extends NamedFrames {
  readonly top: NamedFrames & { location: string };
  readonly document: GuardedDocument;
  readonly navigator: { readonly userActivation?: { readonly isActive: boolean } };
  readonly navigation?: {
    addEventListener(type: 'navigate', listener: (event: NavigateEvent) => void): void;
  };
  readonly Event: new (type: string) => unknown;
  readonly FocusEvent: new (type: string, init: { relatedTarget: Target }) => unknown;
  readonly DOMException: new (message: string, name: string) => unknown;
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
  readonly HTMLElement: { prototype: { click: () => void } };
  readonly HTMLFormElement: { prototype: { submit: () => void } };
  readonly Element: {
    prototype: {
      requestPointerLock: () => Promise<void>;
      attachShadow: (options: { mode: string }) => Target;
      getAttribute(name: string): string | null;
      setAttribute(name: string, value: string): void;
      removeAttribute(name: string): void;
    };
  };
  /** Missing when the page is not a secure context. */
  readonly CredentialsContainer?: {
    prototype: Record<'create' | 'get', (options?: { publicKey?: unknown }) => Promise<unknown>>;
  };
  addEventListener(type: string, listener: (event: ClickEvent) => void, options: ListenOptions): void;
  setTimeout(act: () => void): void;
  open: (url?: string, name?: string, features?: string) => unknown;
  alert: (...message: unknown[]) => void;
  confirm: (message?: unknown) => boolean;
  prompt: (message?: unknown, suggestion?: unknown) => string | null;
}

/**
 * Keeps the page in its own window, before the browser opens another one or asks about another program. What would open
 * a window opens in the page itself (the host judges whether its origin may be shown there), and other schemes lead
 * nowhere. Runs in every frame, before any script of the page. The second defence is the host: it closes windows, and
 * Chromium blocks the schemes. Copied into the page as text, so it must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param told type of the event that reports a refusal to the isolated world, followed by `-` and the refusal
 */
export function installWindowGuard(window: GuardedWindow | null, told: string): void {
  const page = window ?? (globalThis as unknown as GuardedWindow);
  const { document, Event, FocusEvent, DOMException, setTimeout, top } = page;
  const { dispatchEvent } = document;
  const tell = (what: Refusal) => dispatchEvent.call(document, new Event(`${told}-${what}`));
  /** Puts our function in the place of the browser's own, which it is to look like. */
  const replace = <K extends string, F extends (...values: never[]) => unknown>(
    owner: Record<K, F>,
    name: K,
    own: F,
  ) => {
    const { length } = owner[name];
    Object.defineProperties(own, { name: { value: name }, length: { value: length } });
    owner[name] = own;
  };
  const protocolOf = (url: string) => /^[a-z][a-z0-9+.-]*:/i.exec(url.trim())?.[0].toLowerCase();

  page.navigation?.addEventListener('navigate', (event) => {
    // A page can dispatch a plain Event of this type, which goes nowhere.
    const protocol = protocolOf(event.destination?.url ?? '');
    if (/^(https?|blob|data|about|javascript):$/.test(protocol ?? 'about:')) return;
    event.preventDefault();
    tell('scheme');
  });

  /** Whether a name belongs to an existing frame. */
  const isHere = (name: string, tree: NamedFrames = top): boolean => {
    if (/^_(self|parent|top)$/i.test(name)) return true;
    try {
      if (tree.name === name) return true;
    } catch {
      // A frame of another origin hides its name.
    }
    return Array.from({ length: tree.length }, (_, index) => tree[index]!).some((frame) =>
      isHere(name, frame),
    );
  };
  const opensWindow = (name: string | null) => name !== null && name !== '' && !isHere(name);
  // A field of a form hides a property of the same name (`<input name="getAttribute">`), a prototype's function not.
  const { getAttribute, setAttribute, removeAttribute } = page.Element.prototype;
  const { querySelector } = document;
  /** Events that a page dispatches have any target: the document, the window. */
  const isElement = (target: Partial<Target> | null | undefined): target is Target => target?.nodeType === 1;
  const targetOf = (element: Target, attribute: string) => {
    const own = getAttribute.call(element, attribute);
    if (own !== null) return own;
    const base = querySelector.call(document, 'base[target]');
    return (base && getAttribute.call(base, 'target')) || null;
  };

  /** Sends the present action into the page itself until that action is over. */
  const turnHere = (element: Target, attribute: string) => {
    const before = getAttribute.call(element, attribute);
    setAttribute.call(element, attribute, '_top');
    tell('window');
    return () => {
      if (before === null) removeAttribute.call(element, attribute);
      else setAttribute.call(element, attribute, before);
    };
  };
  const goHere = (url: string) => {
    tell('window');
    if (!/^https?:$/.test(protocolOf(url) ?? '')) return;
    try {
      top.location = url;
    } catch {
      // A frame that may not navigate its page stays where it is.
    }
  };

  /**
   * A click that opens a window whatever the link says; the page can still prevent it, and sees nothing of this guard.
   */
  const takeOver = (event: ClickEvent, url: string) => {
    event.preventDefault();
    let isPrevented = false;
    const prevent = () => {
      isPrevented = true;
    };
    Object.defineProperties(event, {
      preventDefault: { value: prevent, configurable: true },
      defaultPrevented: { get: () => isPrevented, configurable: true },
      returnValue: { get: () => !isPrevented, set: (value) => value || prevent(), configurable: true },
    });
    setTimeout.call(page, () => !isPrevented && goHere(url));
  };
  /** @returns the address as written when it is none; the browser does not follow it either */
  const addressOf = (href: string) => {
    try {
      return new URL(href, document.baseURI).href;
    } catch {
      return href;
    }
  };
  const onClick = (event: ClickEvent) => {
    const link = event
      .composedPath()
      .find((node) => isElement(node) && /^(a|area)$/.test(node.localName) && node.href);
    if (link === undefined) return;
    const url = typeof link.href === 'string' ? link.href : addressOf(link.href.baseVal);
    const { button, ctrlKey, metaKey, shiftKey } = event;
    if (button === 1 || ctrlKey || metaKey || shiftKey) takeOver(event, url);
    else if (button === 0 && opensWindow(targetOf(link, 'target')))
      setTimeout.call(page, turnHere(link, 'target'));
  };
  const onSubmit = ({ target, submitter }: ClickEvent) => {
    if (!isElement(target)) return;
    const own = isElement(submitter) && getAttribute.call(submitter, 'formtarget');
    if (submitter && own) {
      if (opensWindow(own)) setTimeout.call(page, turnHere(submitter, 'formtarget'));
    } else if (opensWindow(targetOf(target, 'target'))) setTimeout.call(page, turnHere(target, 'target'));
  };

  const add = page.addEventListener;
  const listen = () => {
    for (const type of ['click', 'auxclick']) add.call(page, type, onClick, { capture: true });
    add.call(page, 'submit', onSubmit, { capture: true });
  };
  listen();
  // document.open() removes all listeners, but no observer.
  new page.MutationObserver(listen).observe(document, { childList: true });

  // Events from outside the document, or from a closed shadow tree, do not arrive here.
  const { click } = page.HTMLElement.prototype;
  replace(page.HTMLElement.prototype, 'click', function (this: Target) {
    if (!this.isConnected) add.call(this, 'click', onClick as never, { capture: true, once: true });
    click.call(this);
  });
  const { attachShadow } = page.Element.prototype;
  replace(page.Element.prototype, 'attachShadow', function (this: Target, options: { mode: string }) {
    const root = attachShadow.call(this, options);
    if (options.mode === 'closed')
      for (const type of ['click', 'auxclick']) add.call(root, type, onClick as never, { capture: true });
    return root;
  });
  const { submit } = page.HTMLFormElement.prototype;
  replace(page.HTMLFormElement.prototype, 'submit', function (this: Target) {
    const turnBack = opensWindow(targetOf(this, 'target')) ? turnHere(this, 'target') : undefined;
    submit.call(this);
    turnBack?.();
  });

  const absolute = (url: string) => {
    try {
      return new URL(url, document.baseURI).href;
    } catch {
      const sentence = `Failed to execute 'open' on 'Window': Unable to open a window with invalid URL '${url}'.`;
      throw new DOMException(sentence, 'SyntaxError');
    }
  };
  const { open } = page;
  replace(page, 'open', (url = '', name = '', features) => {
    if (isHere(`${name}`) && `${name}` !== '') return open.call(page, url, name, features);
    const address = absolute(`${url}` === '' ? 'about:blank' : `${url}`);
    // Without a touch the browser would open nothing either.
    if (page.navigator.userActivation?.isActive) goHere(address);
    return null;
  });
  // The browser would show a dialog of its own. The isolated world asks the host instead, and this blocks until
  // it has put the answer on the element; without one it is as if a person had cancelled.
  const { stringify, parse } = JSON;
  const { createElement } = document;
  const cut = (text: unknown, limit: number) => `${text}`.slice(0, limit);
  const ask = (kind: string, text: unknown, value: unknown): { accepted: boolean; value: string } => {
    const note = createElement.call(document, 'p');
    const question = stringify({ kind, text: cut(text, 2_100), value: cut(value, 10_100) });
    setAttribute.call(note, 'question', question);
    dispatchEvent.call(document, new FocusEvent(`${told}-ask`, { relatedTarget: note }));
    const answer = getAttribute.call(note, 'answer');
    if (answer !== null) return parse(answer);
    tell('dialog');
    return { accepted: false, value: '' };
  };
  replace(page, 'alert', (...said: unknown[]) => void ask('alert', said.length === 0 ? '' : said[0], ''));
  replace(page, 'confirm', (text = '') => ask('confirm', text, '').accepted);
  replace(page, 'prompt', (text = '', suggestion = '') => {
    const { accepted, value } = ask('prompt', text, suggestion);
    return accepted ? value : null;
  });
  // The browser would ask for a key over the page.
  const credentials = page.CredentialsContainer?.prototype;
  if (credentials)
    for (const name of ['create', 'get'] as const) {
      const ask = credentials[name];
      replace(credentials, name, function (this: unknown, options) {
        if (options?.publicKey === undefined) return ask.call(this as typeof credentials, options);
        tell('security-key');
        return Promise.reject(new DOMException('Security keys are not read here.', 'NotAllowedError'));
      });
    }
  // The browser would show a notice over the page that says how to show the pointer again.
  replace(page.Element.prototype, 'requestPointerLock', () => {
    tell('pointer-lock');
    dispatchEvent.call(document, new Event('pointerlockerror'));
    return Promise.reject(new DOMException('The pointer cannot be locked here.', 'NotAllowedError'));
  });
}
