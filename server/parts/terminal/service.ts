import { createHash } from 'node:crypto';
import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { PartInfo } from '../../contract/system.ts';
import { RunningWork } from '../../platform/async.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import type { Logger } from '../../platform/log.ts';
import type { CallContext } from '../callContext.ts';
import { TERMINAL_LIMIT_MS, TERMINAL_STREAM_LIMIT } from './contract.ts';

/** How a shell command ended and what it printed. */
export interface ShellOutcome {
  /** The first bytes of each stream, up to the limit. */
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /** 128 + number for a shell that a signal ended, as shells themselves count; 124 past the time limit. */
  readonly exitCode: number;
  readonly timedOut: boolean;
}

export interface ShellLimits {
  /** Longest run in milliseconds. */
  readonly timeoutMs: number;
  /** Bytes stored of each stream. */
  readonly streamBytes: number;
}

/** Runs shell commands. */
export interface ShellDriver {
  readonly name: string;
  readonly path: string;
  /**
   * Runs `command` in a new process group, without input. Resolves when the shell ends, even when other processes still
   * hold its output; past the time limit, and when `signal` aborts, the whole group is killed.
   * @throws the signal's reason, or the system error when no process could be made
   */
  run(command: string, limits: ShellLimits, signal: AbortSignal): Promise<ShellOutcome>;
}

interface TerminalOptions {
  readonly driver: ShellDriver;
  /** The setting `terminal.enabled`, read for each command. */
  readonly enabled: () => boolean;
  readonly log: Logger;
  /** Shorter in tests. */
  readonly limits?: ShellLimits;
}

const DEFAULT_LIMITS: ShellLimits = { timeoutMs: TERMINAL_LIMIT_MS, streamBytes: TERMINAL_STREAM_LIMIT };

/** Runs shell commands for callers who hold the token, and writes one audit line of each to the log. */
export class TerminalService {
  readonly #driver: ShellDriver;
  readonly #enabled: () => boolean;
  readonly #log: Logger;
  readonly #limits: ShellLimits;
  #stopping = new AbortController();
  readonly #running = new RunningWork();

  constructor(options: TerminalOptions) {
    this.#driver = options.driver;
    this.#enabled = options.enabled;
    this.#log = options.log;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
  }

  async start(): Promise<void> {
    this.#stopping = new AbortController();
  }

  /** Kills the running commands; their callers get SHUTTING_DOWN. */
  async stop(): Promise<void> {
    this.#stopping.abort(new FaceplateError('SHUTTING_DOWN'));
    await this.#running.done();
  }

  part(): PartInfo {
    const { name, path } = this.#driver;
    return this.#enabled()
      ? { driver: name, path, state: 'real', reason: null }
      : { driver: name, path, state: 'absent', reason: 'switched off by terminal.enabled' };
  }

  /** @throws FaceplateError FORBIDDEN (switched off), INVALID_REQUEST, HARDWARE_ERROR (no process could be made) */
  async exec(
    { command }: ParamsOf<'terminal.exec'>,
    context: CallContext & { readonly origin?: string },
  ): Promise<ResultOf<'terminal.exec'>> {
    if (!this.#enabled()) {
      throw new FaceplateError(
        'FORBIDDEN',
        'The terminal is switched off on this panel: set terminal.enabled.',
      );
    }
    if (command.includes('\0')) {
      const sentence = 'The field "command" is not valid: a shell command cannot hold a NUL character.';
      throw new FaceplateError('INVALID_REQUEST', sentence, { field: 'command' });
    }
    const signal = AbortSignal.any([context.signal, this.#stopping.signal]);
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    // The text may hold passwords: with the digest an auditor can check whether a known command was this one.
    const audit = { caller: context.origin, sha256: createHash('sha256').update(command).digest('hex') };
    try {
      const outcome = await this.#running.add(this.#driver.run(command, this.#limits, signal));
      const { exitCode, timedOut } = outcome;
      this.#log.info({ ...audit, exitCode, timedOut, durationMs: elapsed() }, 'terminal: command finished');
      return {
        command,
        stdout: text(outcome.stdout, outcome.stdoutTruncated),
        stderr: text(outcome.stderr, outcome.stderrTruncated),
        exitCode,
        duration: `${elapsed()}ms`,
        timedOut,
        ...(outcome.stdoutTruncated || outcome.stderrTruncated ? { truncated: true as const } : {}),
      };
    } catch (error) {
      this.#log.info(
        { ...audit, exitCode: null, durationMs: elapsed() },
        'terminal: command ended without a result',
      );
      const errno = errnoOf(error);
      if (errno === undefined) throw error;
      throw new FaceplateError('HARDWARE_ERROR', `The shell could not be started: ${errnoWords(errno)}.`, {
        cause: error,
      });
    }
  }
}

/** Drops a character that the cut split; bytes that are not UTF-8 become U+FFFD. */
function text(bytes: Uint8Array, cut: boolean): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: cut });
}
