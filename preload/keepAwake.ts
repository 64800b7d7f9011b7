interface Heard {
  readonly isTrusted: boolean;
  readonly target: unknown;
}

interface PlayingVideo {
  readonly localName?: string;
  readonly paused?: boolean;
  hasAttribute?(name: string): boolean;
}

interface Listens {
  addEventListener(type: string, listener: (event: Heard) => void, capture?: boolean): void;
}

interface Callable<A extends unknown[] = unknown[], R = unknown> {
  apply(self: unknown, args: A): R;
}

interface ReportingWindow {
  readonly document: Listens & { dispatchEvent(event: unknown): boolean };
  readonly Event: new (type: string) => unknown;
  readonly EventTarget: { prototype: Listens };
  readonly Element: { prototype: { attachShadow: Callable } };
  /** Missing when the page is not a secure context. */
  readonly WakeLock?: { prototype: { request: Callable } };
}

/**
 * Tells the isolated world of the same frame which wake locks the page holds, and of videos in shadow trees, whose
 * events stay inside. The page gets what the browser gives it, and sees no difference. Runs before any script of the
 * page, and is copied into it as text, so it must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param told type of the events, followed by `-` and `begin`, `end` (wake locks) or `plays` (a video)
 */
export function reportKeepAwake(window: ReportingWindow | null, told: string): void {
  const page = window ?? (globalThis as unknown as ReportingWindow);
  const { document, Event, Element, EventTarget, WakeLock } = page;
  const { dispatchEvent } = document;
  const { addEventListener } = EventTarget.prototype;
  const { then } = Promise.prototype;
  const { apply } = Reflect;
  const tell = (what: 'begin' | 'end' | 'plays') => {
    apply(dispatchEvent, document, [new Event(`${told}-${what}`)]);
  };
  /** Adds to what a function of the browser does, and leaves its name, its length and its text. */
  const extend = <K extends string>(
    owner: Record<K, Callable>,
    name: K,
    act: (result: unknown) => unknown,
  ): void => {
    owner[name] = new Proxy(owner[name] as unknown as () => unknown, {
      apply: (original, self, args) => act(apply(original, self, args)),
    }) as unknown as Callable;
  };
  const on = (target: unknown, type: string, listener: (event: Heard) => void) =>
    apply(addEventListener as never, target, [type, listener, true]);

  if (WakeLock !== undefined)
    extend(WakeLock.prototype, 'request', (asked) =>
      apply(then, asked, [
        (lock: unknown) => {
          tell('begin');
          on(lock, 'release', ({ isTrusted }) => isTrusted && tell('end'));
          return lock;
        },
      ]),
    );
  const onTime = ({ isTrusted, target }: Heard) => {
    const video = target as PlayingVideo | null | undefined;
    if (!isTrusted || video?.localName !== 'video' || video.paused) return;
    if (video.hasAttribute?.('data-keep-awake')) tell('plays');
  };
  extend(Element.prototype, 'attachShadow', (root) => {
    on(root, 'timeupdate', onTime);
    return root;
  });
}

interface WatchedWindow extends Listens {
  readonly document: Listens;
  readonly MutationObserver: new (
    callback: () => void,
  ) => { observe(node: unknown, options: { childList: true }): void };
  setInterval(act: () => void, ms: number): unknown;
  clearInterval(timer: unknown): void;
}

/**
 * Notices in the isolated world that the page plays a video with `data-keep-awake` or holds a wake lock, and says so
 * about once a second while it does: a frame that hangs or is gone says nothing. Copied into the page as text, so it
 * must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param told as in `reportKeepAwake`
 * @param everyMs what a second is here
 */
export function watchKeepAwake(
  window: WatchedWindow | null,
  told: string,
  tell: () => void,
  everyMs = 1_000,
): void {
  const page = window ?? (globalThis as unknown as WatchedWindow);
  const { document } = page;
  let locks = 0;
  let timer: unknown;
  let toldAt = Number.NEGATIVE_INFINITY;
  const keep = () => {
    const now = performance.now();
    // Timers come a little early.
    if (now - toldAt < 0.9 * everyMs) return;
    toldAt = now;
    tell();
  };
  const onBegin = () => {
    locks++;
    timer ??= page.setInterval(keep, everyMs);
    keep();
  };
  const onEnd = () => {
    locks = Math.max(0, locks - 1);
    if (locks > 0) return;
    page.clearInterval(timer);
    timer = undefined;
  };
  const onTime = ({ isTrusted, target }: Heard) => {
    const video = target as PlayingVideo | null | undefined;
    if (!isTrusted || video?.localName !== 'video' || video.paused) return;
    if (video.hasAttribute?.('data-keep-awake')) keep();
  };
  const listen = () => {
    page.addEventListener('timeupdate', onTime, true);
    document.addEventListener(`${told}-begin`, onBegin);
    document.addEventListener(`${told}-end`, onEnd);
    document.addEventListener(`${told}-plays`, keep);
  };
  listen();
  // document.open() takes the listeners away, and not the observer.
  new page.MutationObserver(listen).observe(document, { childList: true });
}
