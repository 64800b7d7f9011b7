import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FaceplateError } from '../../../contract/errors.ts';
import { maySwitchUser } from '../../../platform/privileges.ts';
import type { KioskUser } from './environment.ts';
import { reasonOf, runTool } from './runTool.ts';

/**
 * Changes files in the home of the session's user, with the rights of that user. Where the service may switch users, a link
 * that a launched program planted there leads only to places that program could write anyway.
 */
export class UserFiles {
  readonly #user: KioskUser | undefined;

  constructor(user: KioskUser | undefined) {
    this.#user = user;
  }

  /** Copies a file that only the service may be able to read; the name appears when the copy is complete. */
  async copy(source: string, target: string, mode: string): Promise<void> {
    const file = await open(source, 'r');
    try {
      await this.#write(file.fd, target, mode);
    } finally {
      await file.close();
    }
  }

  /**
   * Writes the content of an open file, such as a connection, until its end.
   * @param size how many bytes that must be
   */
  async receive(source: number, target: string, mode: string, size: number): Promise<void> {
    await this.#write(source, target, mode, size);
  }

  async writeText(text: string, target: string): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-file-'));
    try {
      await writeFile(join(folder, 'text'), text);
      await this.copy(join(folder, 'text'), target, '0644');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Removes one name; for a link, the link itself. A missing name is no error. */
  async remove(path: string): Promise<void> {
    await this.#run('rm', ['-f', '--', path]);
  }

  async #write(source: number, target: string, mode: string, size?: number): Promise<void> {
    const temporary = `${target}.part`;
    await this.#run('mkdir', ['-p', '--', dirname(target)]);
    await this.#run('rm', ['-f', '--', temporary]);
    try {
      // dd takes an open file: the user need not be able to read the source by its name.
      await this.#run('dd', [`of=${temporary}`, 'bs=1M', 'conv=excl,fsync', 'status=none'], source);
      if (size !== undefined && (await stat(temporary)).size !== size)
        throw new FaceplateError('HARDWARE_ERROR', 'Part of the file is missing.');
      await this.#run('chmod', [mode, '--', temporary]);
      await this.#run('mv', ['-fT', '--', temporary, target]);
    } catch (error) {
      await this.#run('rm', ['-f', '--', temporary]).catch(() => undefined);
      throw error;
    }
  }

  async #run(command: string, args: readonly string[], stdin?: number): Promise<void> {
    const outcome = await runTool(command, args, {
      ...(this.#user && maySwitchUser() && { user: this.#user }),
      ...(stdin !== undefined && { stdin }),
    });
    if (outcome.exitCode === 0) return;
    const reason = reasonOf(outcome);
    if (/No space left|Disk quota/.test(reason)) {
      throw new FaceplateError('STORAGE_FULL', `The package does not fit on the disk: ${reason}.`);
    }
    throw new FaceplateError('HARDWARE_ERROR', `The home of the kiosk's user cannot be changed: ${reason}.`);
  }
}
