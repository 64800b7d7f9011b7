import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';

const numbers: Readonly<Record<string, number>> = constants.errno;

/** Name of the system error behind an exception (`ENOENT`), or undefined for another kind of exception. */
export function errnoOf(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && code in numbers ? code : undefined;
}

/** A system error in words: `ENOENT (no such file or directory)`. */
export function errnoWords(name: string): string {
  const known = getSystemErrorMap().get(-(numbers[name] ?? 0));
  return known === undefined ? name : `${name} (${known[1]})`;
}

/** An exception that `errnoOf` understands, for drivers whose library reports errors in another form. */
export function errnoError(name: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code: name });
}
