import type { Clock } from './clock.ts';

/** A part that nobody calls. */
interface Part {
  /** null: the board profile leaves it out. */
  readonly driver: object | null;
  readonly present: boolean;
  /** Starts it if it is absent. */
  use(work: () => Promise<void>): Promise<void>;
}

/** How long until a part that nobody calls is looked for again, in milliseconds. */
export const LOOK_AGAIN_MS = 5_000;

/** Looks for a part that is absent until it is there: it may be plugged in later. @returns the function that ends it */
export function lookAgain(part: Part, clock: Clock): () => void {
  if (part.driver === null || part.present) return () => {};
  let isOver = false;
  let cancel = () => {};
  const look = (): void => {
    cancel = clock.after(LOOK_AGAIN_MS, () => {
      void part
        .use(async () => {})
        .catch(() => {
          if (!isOver) look();
        });
    });
  };
  look();
  return () => {
    isOver = true;
    cancel();
  };
}
