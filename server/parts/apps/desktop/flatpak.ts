import { open } from 'node:fs/promises';
import { FaceplateError } from '../../../contract/errors.ts';
import { maySwitchUser } from '../../../platform/privileges.ts';
import { invalid } from '../packageFile.ts';
import { type KioskUser, SYSTEM_PATH } from './environment.ts';
import { reasonOf, runTool, type ToolOutcome } from './runTool.ts';

/** The two places where flatpaks are installed. */
type FlatpakInstallation = 'system' | 'user';

const HEAD_BYTES = 64 * 1024;
/** The session's own path may name folders that its user can write: nothing from there is run with other rights. */
const TOOL_ENVIRONMENT = { PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8' };

/** Runs the flatpak command, with the environment of the session (its FLATPAK_ and XDG_ folders). */
export class Flatpak {
  readonly #session: NodeJS.ProcessEnv;
  readonly #user: KioskUser | undefined;

  constructor(session: NodeJS.ProcessEnv, user: KioskUser | undefined) {
    this.#session = session;
    this.#user = user;
  }

  /** Installs or updates a bundle: for all users when the service is root, else for the session's user. */
  async install(path: string): Promise<void> {
    const installation = process.getuid?.() === 0 ? 'system' : 'user';
    const outcome = await this.#run(installation, ['install', '--bundle'], path);
    if (outcome.exitCode !== 0 && !/already installed\s*$/.test(outcome.output)) {
      throw new FaceplateError('HARDWARE_ERROR', `flatpak refused: ${reasonOf(outcome)}.`);
    }
  }

  async uninstall(id: string, installation: FlatpakInstallation): Promise<void> {
    const outcome = await this.#run(installation, ['uninstall', '--app'], id);
    if (outcome.exitCode !== 0) {
      throw new FaceplateError('HARDWARE_ERROR', `flatpak refused: ${reasonOf(outcome)}.`);
    }
  }

  #run(installation: FlatpakInstallation, verb: readonly string[], what: string): Promise<ToolOutcome> {
    const isRoot = process.getuid?.() === 0;
    const asUser = maySwitchUser() && installation === 'user' ? this.#user : undefined;
    return runTool('flatpak', [...verb, `--${installation}`, '--noninteractive', '-y', '--', what], {
      env: isRoot && !asUser ? this.#rootEnvironment() : { ...this.#session, ...TOOL_ENVIRONMENT },
      ...(asUser && { user: asUser }),
    });
  }

  /** Root leaves no files in the home of the kiosk's user. */
  #rootEnvironment(): NodeJS.ProcessEnv {
    const folders = Object.entries(this.#session).filter(([name]) => name.startsWith('FLATPAK_'));
    return { ...Object.fromEntries(folders), ...TOOL_ENVIRONMENT, HOME: '/root' };
  }
}

/**
 * The application in a bundle file. A bundle is an OSTree static delta whose header holds the ref
 * `app/<id>/<architecture>/<branch>` (flatpak-build-bundle(1)).
 * @throws FaceplateError INVALID_REQUEST
 */
export async function bundledApplication(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    const head = buffer.toString('latin1', 0, bytesRead);
    const id = head.startsWith('flatpak\0')
      ? /\0app\/([A-Za-z_][\w.-]{0,254})\/\w+\/[\w.-]+\0/.exec(head)?.[1]
      : undefined;
    if (id === undefined) throw invalid('The file is not a Flatpak bundle of an application.');
    return id;
  } finally {
    await file.close();
  }
}
