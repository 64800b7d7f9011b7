import type { SizeFactory, StreamSize, StreamSizeValue } from './streamTools.ts';

/** The parts of the page's global object that sizes need. */
interface SizeGlobal {
  readonly innerWidth: number;
  readonly innerHeight: number;
  readonly devicePixelRatio: number;
  setTimeout(callback: () => void, milliseconds: number): unknown;
  clearTimeout(timer: unknown): void;
  faceplateSizes?: SizeFactory | undefined;
}

/**
 * Provides the maker of sizes to offerStreams, which removes it from the page before the page's first script. Copied into
 * the page as text, like installBridge: it must not use anything outside itself.
 * @param page the global object; null means the one the function runs in.
 */
export function offerSizes(page: SizeGlobal | null): void {
  const scope = page ?? (globalThis as unknown as SizeGlobal);
  const { min, max, round } = Math;
  const setTimer = scope.setTimeout.bind(scope);
  const clearTimer = scope.clearTimeout.bind(scope);
  /** How long a picture must have had its size before the panel gets it. */
  const SETTLED_MS = 500;
  const LEAST = 16;
  const MOST = 16_384;

  scope.faceplateSizes = (send): StreamSize => {
    let now: StreamSizeValue | null = null;
    /** What the panel has got; null while it needs none. */
    let told: StreamSizeValue | null = null;
    let timer: unknown;

    const isSame = (one: StreamSizeValue | null, other: StreamSizeValue | null) =>
      one?.width === other?.width && one?.height === other?.height;

    const tell = () => {
      if (now === null || told === null || isSame(now, told)) return;
      told = now;
      send(now);
    };

    return {
      now: () => now,
      look: (width, height) => {
        const side = (css: number) => min(max(round(css * scope.devicePixelRatio), LEAST), MOST);
        const seen = width > 0 && height > 0 ? { width: side(width), height: side(height) } : null;
        if (isSame(seen, now)) return;
        now = seen;
        clearTimer(timer);
        timer = setTimer(tell, SETTLED_MS);
      },
      opened: (size) => {
        told = size ?? { width: 0, height: 0 };
        clearTimer(timer);
        timer = setTimer(tell, SETTLED_MS);
      },
      end: () => {
        told = null;
        clearTimer(timer);
      },
    };
  };
}
