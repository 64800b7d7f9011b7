import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import type { Permission, PowerDriver } from './driver.ts';

const run = promisify(execFile);

const MANAGER = [
  'org.freedesktop.login1',
  '/org/freedesktop/login1',
  'org.freedesktop.login1.Manager',
] as const;
const PERMISSIONS: readonly string[] = ['yes', 'no', 'challenge', 'na'] satisfies Permission[];
/** Longest time for logind's answer, in seconds. Within the time that a stop of the service may take. */
const LIMIT_SECONDS = 3;

/** What busctl prints for an error, and the matching system error. */
const KNOWN_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^Failed to .* bus.*: No such file or directory/, 'ENOENT'],
  [/^Failed to .* bus.*: Connection refused/, 'ECONNREFUSED'],
  [/not provided by any|not found\.?$|not loaded properly/, 'ENODEV'],
  [/access denied|permission denied|interactive authentication required|not authorized/i, 'EACCES'],
  [/timed out|did not receive a reply/i, 'ETIMEDOUT'],
];

/**
 * Restarts and suspends the machine through systemd-logind (org.freedesktop.login1(5)), asked by `busctl`.
 * A service that is not root needs polkit's permission for org.freedesktop.login1.reboot and .suspend.
 */
export class Logind implements PowerDriver {
  readonly name = 'logind';
  readonly path = null;
  readonly simulated = false;
  readonly #limitSeconds: number;
  #stopping = new AbortController();

  constructor(limitSeconds: number = LIMIT_SECONDS) {
    this.#limitSeconds = limitSeconds;
  }

  /**
   * @throws an errno exception: ENOENT (no busctl, no system bus), ENODEV (no logind), or another one that prevents it
   */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    try {
      await this.canReboot();
    } catch (error) {
      throw errnoOf(error) === undefined ? errnoError('EIO', String(error), error) : error;
    }
  }

  /** Ends the calls in flight. */
  async stop(): Promise<void> {
    this.#stopping.abort();
  }

  canReboot(): Promise<Permission> {
    return this.#permission('CanReboot');
  }

  async reboot(): Promise<void> {
    await this.#call('Reboot', 'b', 'false');
  }

  canSuspend(): Promise<Permission> {
    return this.#permission('CanSuspend');
  }

  async suspend(): Promise<void> {
    await this.#call('Suspend', 'b', 'false');
  }

  async #permission(method: string): Promise<Permission> {
    const answer = /^s "([a-z]+)"/.exec(await this.#call(method))?.[1] ?? '';
    return PERMISSIONS.includes(answer) ? (answer as Permission) : 'no';
  }

  /** @returns what busctl prints: the signature and the value */
  async #call(method: string, ...args: readonly string[]): Promise<string> {
    const options = ['--system', `--timeout=${this.#limitSeconds}`, '--allow-interactive-authorization=no'];
    try {
      const { stdout } = await run('busctl', [...options, 'call', ...MANAGER, method, ...args], {
        env: environment(),
        signal: this.#stopping.signal,
        timeout: (this.#limitSeconds + 1) * 1000,
        killSignal: 'SIGKILL',
        maxBuffer: 64 * 1024,
      });
      return stdout;
    } catch (error) {
      throw failure(method, error);
    }
  }
}

/** Only what busctl needs: our own environment may hold secrets. */
function environment(): NodeJS.ProcessEnv {
  const { PATH, DBUS_SYSTEM_BUS_ADDRESS } = process.env;
  return { LC_ALL: 'C', PATH, ...(DBUS_SYSTEM_BUS_ADDRESS && { DBUS_SYSTEM_BUS_ADDRESS }) };
}

function failure(method: string, error: unknown): unknown {
  if (errnoOf(error) !== undefined) return error;
  if (error instanceof Error && error.name === 'AbortError') {
    return new FaceplateError('SHUTTING_DOWN', undefined, { cause: error });
  }
  const { stderr = '', killed = false } = error as { stderr?: string; killed?: boolean };
  const line = (stderr.split('\n')[0] ?? '').replace(/^Call failed: /, '').slice(0, 200);
  const errno = killed ? 'ETIMEDOUT' : KNOWN_ERRORS.find(([pattern]) => pattern.test(line))?.[1];
  if (errno !== undefined) return errnoError(errno, `logind ${method}: ${line || 'no answer'}`, error);
  const sentence = `The system did not carry out ${method}: ${line.replace(/\.$/, '') || 'busctl failed'}.`;
  return new FaceplateError('HARDWARE_ERROR', sentence, { cause: error });
}
