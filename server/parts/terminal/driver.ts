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
  /** Bytes kept of each stream. */
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
