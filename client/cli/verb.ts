import type { Logins } from './logins.ts';
import type { Target, Targets } from './targets.ts';
import type { Terminal } from './terminal.ts';

/** Options of all verbs, as they were given. */
export interface Options {
  readonly panel?: readonly string[];
  readonly token?: string;
  readonly json?: boolean;
  readonly help?: boolean;
  readonly name?: string;
  readonly template?: string;
  readonly watch?: boolean;
  readonly level?: string;
  readonly groups?: string;
  readonly ids?: string;
  readonly canary?: string;
  readonly parallel?: string;
  readonly 'healthy-for'?: string;
}

/** One run of the command line. */
export interface Run {
  /** The words after the verb. */
  readonly words: readonly string[];
  readonly options: Options;
  readonly terminal: Terminal;
  readonly logins: Logins;
  /** @throws UsageError */
  targets(): Promise<Targets>;
  /** Runs `work` for all panels at once and says what failed. @returns the exit code */
  forEach(targets: Targets, work: (target: Target) => Promise<void>): Promise<number>;
  /** Gives the answer of a panel: with --json in one line, else as `words`. */
  answer(targets: Targets, target: Target, answer: unknown, words?: string): void;
}

export interface Verb {
  readonly name: string;
  /** The words after it, for the help. */
  readonly usage: string;
  readonly summary: string;
  /** Its own options, besides --panel, --token, --json and --help. */
  readonly options: readonly (keyof Options)[];
  readonly help?: (words: readonly string[]) => string;
  /** @returns the exit code @throws UsageError */
  run(run: Run): Promise<number>;
}
