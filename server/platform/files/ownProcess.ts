import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import module from 'node:module';
import { join } from 'node:path';
import type { Clock } from '../clock.ts';
import type { Logger } from '../log.ts';
import { AFTER_START_MS } from './compiledCode.ts';

/**
 * Keeps what V8 has compiled for the next start, in the folder that NODE_COMPILE_CACHE names: a third of the CPU of a start
 * (docs/benchmarks.md). Node itself would write it only at a regular end, and a panel loses its power. Without
 * that folder nothing is cached.
 */
export function keepCompiledCode(clock: Clock): void {
  // Programs that we start have no part in it.
  delete process.env.NODE_COMPILE_CACHE;
  // Node 20, as in Electron 33 and 34, keeps nothing.
  const { getCompileCacheDir, flushCompileCache } = module as Partial<typeof module>;
  if (getCompileCacheDir?.() !== undefined) clock.after(AFTER_START_MS, () => flushCompileCache?.());
}

/** The most crash files; the oldest are removed. */
const KEPT = 10;
const NAME = /^crash-[0-9TZ-]+\.json$/;
const MESSAGE_LIMIT = 300;
const FRAMES = 30;

interface CrashOptions {
  /** The files go to `crashes` below it. */
  readonly dataDir: string;
  readonly version: string;
  readonly log: Logger;
  /** Ends the process. */
  readonly exit: (status: number) => void;
}

/** From now on, an uncaught error is logged, stored in a crash file, and ends the process with status 1. */
export function endOnCrash(options: CrashOptions): void {
  process.on('uncaughtException', (error) => crash('uncaughtException', error, options));
  process.on('unhandledRejection', (reason) => crash('unhandledRejection', reason, options));
}

/** We do not know what is broken: nothing is cleaned up or waited for, and systemd starts the service again. */
function crash(kind: string, error: unknown, { dataDir, version, log, exit }: CrashOptions): void {
  try {
    const facts = { kind, ...factsOf(error) };
    log.fatal(facts, 'service: exiting after an uncaught error');
    const file = writeCrashFile(join(dataDir, 'crashes'), { version, node: process.version, ...facts });
    log.fatal({ file }, 'service: crash file written');
  } catch (failure) {
    log.fatal({ code: (failure as NodeJS.ErrnoException).code }, 'service: could not write a crash file');
  } finally {
    exit(1);
  }
}

/** Writes the newest and removes the oldest. Everything here is synchronous: the process ends after it. */
function writeCrashFile(folder: string, facts: object): string {
  const time = new Date().toISOString();
  const path = join(folder, `crash-${time.replaceAll(/[:.]/g, '-')}.json`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const kept = readdirSync(folder)
    .filter((name) => NAME.test(name))
    .sort();
  for (const name of kept.slice(0, Math.max(0, kept.length - KEPT + 1))) rmSync(join(folder, name));
  writeFileSync(path, `${JSON.stringify({ time, ...facts }, null, 2)}\n`, { mode: 0o600 });
  return path;
}

/** What may be reported of an error: its kind, its place, and its message up to the first quote. */
function factsOf(error: unknown): object {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, message, stack = '', cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    error: name,
    ...(typeof code === 'string' && { code }),
    message: withoutQuotes(message),
    // Without the message, which the stack begins with.
    frames: stack
      .slice(Math.max(0, stack.indexOf(message)) + message.length)
      .split('\n')
      .filter((line) => /^ {4}at /.test(line))
      .slice(0, FRAMES)
      .map((line) => line.trim()),
    ...(cause instanceof Error && { cause: { error: cause.name, message: withoutQuotes(cause.message) } }),
  };
}

/**
 * The message up to the first quote, which may quote a caller; addresses and possible secrets are removed too.
 */
function withoutQuotes(message: string): string {
  const [words = ''] = message.split(/["'`]/, 1);
  return words
    .slice(0, 10 * MESSAGE_LIMIT)
    .replaceAll(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(address)')
    .replaceAll(/[^\s/(),;:]{16,}/g, (word) => (/[0-9]/.test(word) ? '(word)' : word))
    .slice(0, MESSAGE_LIMIT);
}
