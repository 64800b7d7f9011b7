import type { Clock } from '../../platform/clock.ts';

/** A wait for several things with one end. */
export interface Deadline {
  /** Whether the time has passed or the signal aborted. */
  isOver(): boolean;
  /** Resolves when `look` is called, and when it is over. */
  next(): Promise<void>;
  /** Something has come. */
  readonly look: () => void;
  /** Releases timer and signal. */
  end(): void;
}

/** Begins a wait of so many milliseconds at most. */
export function deadline(clock: Clock, milliseconds: number, signal: AbortSignal): Deadline {
  let isOver = milliseconds <= 0 || signal.aborted;
  let news = Promise.withResolvers<void>();
  const look = () => {
    news.resolve();
    news = Promise.withResolvers<void>();
  };
  const finish = () => {
    isOver = true;
    look();
  };
  const cancel = isOver ? () => undefined : clock.after(milliseconds, finish);
  signal.addEventListener('abort', finish, { once: true });
  return {
    isOver: () => isOver,
    next: () => (isOver ? Promise.resolve() : news.promise),
    look,
    end: () => {
      cancel();
      signal.removeEventListener('abort', finish);
    },
  };
}
