import { type SpawnOptions, spawn } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaceplateError } from '../../../contract/errors.ts';
import { errnoOf, errnoWords } from '../../../platform/errno.ts';
import { asUser, withoutCapabilities } from '../../../platform/privileges.ts';
import { SYSTEM_PATH } from './environment.ts';

/** How a program of the system ended. */
export interface ToolOutcome {
  readonly exitCode: number;
  /** Standard output and standard error together, its last 64 KiB. */
  readonly output: string;
}

interface ToolOptions {
  /** Runs as this user, for a service that may switch users. */
  readonly user?: { readonly uid: number; readonly gid: number };
  /** Added to a minimal environment in plain English. */
  readonly env?: NodeJS.ProcessEnv;
  /** An open file to read as standard input. */
  readonly stdin?: number;
  /** Milliseconds; without a limit the program is never cut off, not even when the service ends. */
  readonly timeoutMs?: number;
}

const KEPT_OUTPUT = 64 * 1024;

/**
 * Runs a program of the system, never through a shell. Its output is written to a file and it has its own session: a package
 * manager that lost its reader or its parent halfway would leave the system half changed.
 * @throws FaceplateError HARDWARE_ERROR when it cannot be started
 */
export async function runTool(
  command: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<ToolOutcome> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-tool-'));
  const file = await open(join(folder, 'output'), 'w+', 0o600);
  try {
    const [program, ...rest] = options.user
      ? asUser(options.user, command, args)
      : withoutCapabilities(command, args);
    const exitCode = await run(program!, rest, options, file.fd);
    // setpriv's answer for a missing program.
    if (program !== command && exitCode === 127) throw cannotBeRun(command, 'it is not installed');
    const { size } = await file.stat();
    const length = Math.min(size, KEPT_OUTPUT);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return { exitCode, output: buffer.toString('utf8') };
  } finally {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function run(
  command: string,
  args: readonly string[],
  { env, stdin, timeoutMs }: ToolOptions,
  output: number,
): Promise<number> {
  const settings: SpawnOptions = {
    detached: true,
    stdio: [stdin ?? 'ignore', output, output],
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8', ...env },
    ...(timeoutMs !== undefined && { timeout: timeoutMs, killSignal: 'SIGKILL' }),
  };
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, settings);
    child.once('error', (error) => {
      const errno = errnoOf(error) ?? 'EIO';
      const reason = errno === 'ENOENT' ? 'it is not installed' : errnoWords(errno);
      reject(cannotBeRun(command, reason, error));
    });
    child.once('exit', (code) => resolve(code ?? 128));
  });
}

function cannotBeRun(command: string, reason: string, cause?: unknown): FaceplateError {
  return new FaceplateError('HARDWARE_ERROR', `${command} cannot be run: ${reason}.`, { cause });
}

/** The line of a tool's output that best says why it failed, short enough for a sentence. */
export function reasonOf({ exitCode, output }: ToolOutcome): string {
  const lines = output.split('\n').map((line) => line.trim());
  const errors = lines.filter((line) => /^(E|error|dpkg(-deb)?: error)\b/i.test(line));
  const line = errors[0] ?? lines.findLast((text) => text !== '') ?? `exit status ${exitCode}`;
  return line
    .replace(/^(E|error):\s*/i, '')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 300)
    .replace(/\.$/, '');
}
