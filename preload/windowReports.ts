/** The parts of an event of the window guard that are read; the element of a question takes its answer. */
interface GuardEvent {
  readonly type: string;
  readonly relatedTarget?: {
    getAttribute(name: string): string | null;
    setAttribute(name: string, value: string): void;
  } | null;
}

interface HearingWindow {
  readonly document: {
    addEventListener(type: string, listener: (event: GuardEvent) => void): void;
  };
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
}

/**
 * Hears in the isolated world what the window guard (windowGuard.ts) refuses, and what the page asks a person. Copied as
 * text, so it must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param told as in `installWindowGuard`
 * @param tell gets the refusal
 * @param ask answers a question as JSON, or null: no person was asked. It blocks the page meanwhile. null: the documents of
 * this frame may not ask
 */
export function hearWindowGuard(
  window: HearingWindow | null,
  told: string,
  tell: (refusal: string) => void,
  ask: ((question: string) => string | null) | null,
): void {
  const page = window ?? (globalThis as unknown as HearingWindow);
  const { document } = page;
  const onRefused = ({ type }: GuardEvent) => tell(type.slice(told.length + 1));
  const onAsk = ({ relatedTarget: note }: GuardEvent) => {
    if (!note) return;
    const answer = ask?.(note.getAttribute('question') ?? '');
    if (typeof answer === 'string') note.setAttribute('answer', answer);
  };
  const listen = () => {
    for (const refusal of ['scheme', 'window', 'dialog', 'pointer-lock', 'security-key'])
      document.addEventListener(`${told}-${refusal}`, onRefused);
    document.addEventListener(`${told}-ask`, onAsk);
  };
  listen();
  // document.open() removes the listeners of every world, but no observer.
  new page.MutationObserver(listen).observe(document, { childList: true });
}

/** The parts of a failed load that are read. */
interface FailedLoad {
  readonly isTrusted: boolean;
  readonly target: { readonly localName?: string; readonly src?: string; readonly type?: string } | null;
}

interface ScriptWindow {
  readonly location: { readonly origin: string; readonly href: string };
  addEventListener(type: 'error', listener: (event: FailedLoad) => void, capture: true): void;
}

/**
 * Hears in the isolated world of a page which scripts of its own origin did not load. Copied as text, so it must not use
 * anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param tell gets the address
 */
export function watchMissingScripts(window: ScriptWindow | null, tell: (url: string) => void): void {
  const page = window ?? (globalThis as unknown as ScriptWindow);
  const onError = ({ isTrusted, target }: FailedLoad) => {
    if (!isTrusted || target?.localName !== 'script') return;
    const { origin, href } = page.location;
    // A module within the document did not get what it imports.
    if (!target.src) target.type === 'module' && tell(href);
    else if (new URL(target.src).origin === origin) tell(target.src);
  };
  page.addEventListener('error', onError, true);
}

interface PaintedWindow {
  readonly PerformanceObserver: new (
    callback: () => void,
  ) => { observe(what: { type: 'paint'; buffered: true }): void; disconnect(): void };
}

/**
 * Hears in the isolated world of a page that it has drawn for the first time. The browser's own report of this comes with
 * a dozen others for each frame, which cost a page of many frames a tenth of its time. Copied as text, so it must not use
 * anything outside itself.
 * @param window the global object; null means the one the function runs in
 */
export function watchFirstPaint(window: PaintedWindow | null, tell: () => void): void {
  const { PerformanceObserver } = window ?? (globalThis as unknown as PaintedWindow);
  const observer = new PerformanceObserver(() => {
    observer.disconnect();
    tell();
  });
  observer.observe({ type: 'paint', buffered: true });
}
