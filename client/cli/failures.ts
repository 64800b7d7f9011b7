import { PanelError, PanelUnreachable } from '../index.ts';

/** The command line was not used as its help says. */
export class UsageError extends Error {}

/** What was asked for went wrong on the panel, beyond a refusal of one call. */
export class Stopped extends Error {}

/** Exit codes; the greatest one counts where several panels differ. */
export const EXIT = { done: 0, refused: 1, wrongUse: 2, notReached: 3, interrupted: 130 } as const;

/** What is said of an error, and the exit code. @throws an error that is a fault of ours */
export function failureOf(error: unknown): {
  readonly code: string;
  readonly words: string;
  readonly exit: number;
} {
  if (error instanceof PanelError) return { code: error.code, words: error.message, exit: EXIT.refused };
  if (error instanceof PanelUnreachable)
    return { code: 'UNREACHABLE', words: error.message, exit: EXIT.notReached };
  if (error instanceof UsageError) return { code: 'USAGE', words: error.message, exit: EXIT.wrongUse };
  if (error instanceof Stopped) return { code: 'STOPPED', words: error.message, exit: EXIT.refused };
  throw error;
}
