import { type ChildProcess, spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { FaceplateError } from '../../../contract/errors.ts';
import { errnoOf, errnoWords } from '../../../platform/errno.ts';
import type { Logger } from '../../../platform/log.ts';
import { asUser, maySwitchUser } from '../../../platform/privileges.ts';
import { listProcesses } from '../../../platform/processes.ts';
import { findProgram, homeFolders, type KioskUser } from './environment.ts';
import type { Application } from './find.ts';

interface LauncherOptions {
  /** The environment of the programs. */
  readonly session: NodeJS.ProcessEnv;
  readonly user: KioskUser | undefined;
  readonly log: Logger;
}

/**
 * A program that ends with an error within this time, in milliseconds, did not start, and the caller gets the error.
 */
const START_WATCH_MS = 250;
/** How often a process group is checked after its first process has ended, in milliseconds. */
const POLL_MS = 250;
/** How long a program may take to end when the service stops, in milliseconds. */
const STOP_GRACE_MS = 1_500;
/** How long a killed program may take to be gone, in milliseconds. */
const KILL_GRACE_MS = 500;

/** Programs that open a window and run another program in it, with the arguments before that program's own. */
const TERMINALS: readonly (readonly string[])[] = [['xdg-terminal-exec'], ['x-terminal-emulator', '-e']];

/**
 * Starts programs without a shell, each in a new process group. A program has ended when its group is empty: many are
 * started by a script that ends at once.
 */
export class Launcher {
  readonly #session: NodeJS.ProcessEnv;
  readonly #user: KioskUser | undefined;
  readonly #log: Logger;
  /** Process groups that are alive, each with the promise that watches it until its end. */
  readonly #groups = new Map<number, Promise<void>>();
  #stopping = new AbortController();

  constructor({ session, user, log }: LauncherOptions) {
    this.#session = session;
    this.#user = user;
    this.#log = log;
  }

  start(): void {
    this.#stopping = new AbortController();
  }

  /**
   * Resolves when the program runs; `onEnded` is called once when its last process is gone.
   * @throws FaceplateError HARDWARE_ERROR
   */
  async launch(application: Application, onEnded: () => void): Promise<void> {
    const argv = await this.#commandOf(application);
    const cwd = await this.#workingFolder(application);
    if (this.#stopping.signal.aborted) throw new FaceplateError('SHUTTING_DOWN');
    const child = spawn(argv[0]!, argv.slice(1), {
      detached: true,
      stdio: 'ignore',
      cwd,
      env: this.#session,
    });
    const group = child.pid;
    const exited = endingOf(child);
    if (group !== undefined)
      this.#groups.set(
        group,
        exited.then(() => undefined),
      );
    const failure = await Promise.race([exited, pause(START_WATCH_MS, undefined, { ref: false })]);
    if (group === undefined || (failure !== undefined && !groupLives(group))) {
      if (group !== undefined) this.#groups.delete(group);
      throw new FaceplateError('HARDWARE_ERROR', `${application.id} ended at once: ${failure}.`);
    }
    this.#groups.set(group, this.#follow(group, exited, application.id).then(onEnded));
  }

  /** Ends all programs that were started here; kills those that do not react. */
  async stop(): Promise<void> {
    const groups = [...this.#groups.keys()];
    for (const group of groups) signalGroup(group, 'SIGTERM');
    this.#stopping.abort();
    const deadline = performance.now() + STOP_GRACE_MS;
    while (performance.now() < deadline && groups.some(groupLives)) await pause(25);
    for (const group of groups) signalGroup(group, 'SIGKILL');
    // A process that is stuck in the kernel must not keep the service from stopping.
    await Promise.race([Promise.all(this.#groups.values()), pause(KILL_GRACE_MS, undefined, { ref: false })]);
    this.#groups.clear();
  }

  /** Resolves when the group is empty; on stop when its first process has ended. */
  async #follow(group: number, exited: Promise<string | undefined>, id: string): Promise<void> {
    const ending = await exited;
    if (ending !== undefined)
      this.#log.info({ packageName: id, ending }, 'apps: package exited with an error');
    const { signal } = this.#stopping;
    while (!signal.aborted && groupLives(group)) {
      await pause(POLL_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
    this.#groups.delete(group);
  }

  async #commandOf(application: Application): Promise<readonly string[]> {
    const [program, ...args] = application.argv;
    const path = await findProgram(program!, this.#session);
    if (path === undefined) throw cannotStart(application, `the program ${program} is not there`);
    const command = application.terminal
      ? [...(await this.#terminal(application)), path, ...args]
      : [path, ...args];
    if (!maySwitchUser()) return command;
    if (!this.#user || this.#user.uid === 0) {
      throw cannotStart(application, 'packages never run as root; set kiosk.user to an existing user');
    }
    return asUser(this.#user, command[0]!, command.slice(1));
  }

  async #terminal(application: Application): Promise<readonly string[]> {
    for (const [name, ...args] of TERMINALS) {
      const path = await findProgram(name!, this.#session);
      if (path !== undefined) return [path, ...args];
    }
    throw cannotStart(application, 'it needs a terminal window; install a terminal emulator such as xterm');
  }

  async #workingFolder({ workingFolder }: Application): Promise<string> {
    const { home } = homeFolders(this.#session);
    for (const folder of [workingFolder, home]) {
      const stats = folder === undefined ? undefined : await stat(folder).catch(() => undefined);
      if (folder?.startsWith('/') && stats?.isDirectory()) return folder;
    }
    return '/';
  }
}

function cannotStart({ id }: Application, reason: string): FaceplateError {
  return new FaceplateError('HARDWARE_ERROR', `${id} cannot be started: ${reason}.`);
}

/** How the first process ended, in words; undefined for a successful end. */
function endingOf(child: ChildProcess): Promise<string | undefined> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(errnoWords(errnoOf(error) ?? 'EIO')));
    child.once('exit', (code, signal) => {
      const ending = code === null ? `signal ${signal}` : `exit status ${code}`;
      resolve(code === 0 ? undefined : ending);
    });
  });
}

/** @returns whether the group has a process, even one that only waits to be reaped. */
function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-group, signal);
    return true;
  } catch (error) {
    return errnoOf(error) === 'EPERM';
  }
}

/**
 * Whether a process of the group still runs. When the first process of the machine is no real init (a container), ended
 * processes stay as zombies and answer signals: proc_pid_stat(5) tells them apart.
 */
function groupLives(group: number): boolean {
  const lives = (state: string) => state !== 'Z' && state !== 'X';
  return signalGroup(group, 0) && listProcesses().some((one) => one.group === group && lives(one.state));
}
