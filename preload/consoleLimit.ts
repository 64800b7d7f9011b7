type Method = 'log' | 'info' | 'warn' | 'error' | 'debug' | 'trace' | 'dir' | 'dirxml' | 'table';
type Write = (...values: unknown[]) => void;

interface WritingWindow {
  readonly console: Record<Method, Write>;
  readonly performance: { now(): number };
  setTimeout(act: () => void, ms: number): unknown;
}

/** The style of the line that says how many lines were left out: it tells the host that the next value is their number. */
export const LEFT_OUT = '--faceplate: left-out';

/**
 * Spares a page that writes to its console without end most of what a line costs while the host listens: three times the
 * line itself (measured, Chromium 156). Of each second the host stores the first 100 lines. In every frame the first
 * 1,000 are the browser's own: a method is read from `console` for each, so that its line has the page's own place. The
 * next 100 calls go on, in case that the page reads methods without a call. Then lines are only counted, until the second
 * is over. Copied into the page as text, so it must not use anything outside itself.
 * @param window the global object; null means the one the function runs in
 * @param leftOut style of the line that says how many there were
 */
export function limitConsole(window: WritingWindow | null, leftOut: string): void {
  const { console, performance, setTimeout } = window ?? (globalThis as unknown as WritingWindow);
  const { now } = performance;
  const { warn } = console;
  const { apply, defineProperty } = Reflect;
  const [second, sooner, reads, calls] = [1_000, 900, 1_000, 100];
  let began = Number.NEGATIVE_INFINITY;
  let read = 0;
  let called = 0;
  let left = 0;
  const begin = () => {
    const at = apply(now, performance, []);
    if (at - began < second) return;
    began = at;
    read = called = 0;
  };
  const tell = () => {
    const count = left;
    left = 0;
    apply(warn, console, ['%c%d more entries were not written to the console.', leftOut, count]);
  };
  const leaveOut = () => {
    // Before the second of the host is over, which began a moment later: one entry says how many there were.
    if (left++ === 0) setTimeout(tell, sooner);
  };
  const methods = ['log', 'info', 'warn', 'error', 'debug', 'trace', 'dir', 'dirxml', 'table'] as const;
  for (const name of methods) {
    const write = console[name];
    /** Has the name, the length and the text of the browser's own. */
    const limited = new Proxy(write, {
      apply: (_write, self, values) => {
        begin();
        if (++called > calls) leaveOut();
        else apply(write, self, values);
      },
    });
    defineProperty(console, name, {
      get() {
        begin();
        return ++read > reads ? limited : write;
      },
      // As with the browser's own, of which a page may make what it likes.
      set(value: unknown) {
        defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
      },
      enumerable: true,
      configurable: true,
    });
  }
}
