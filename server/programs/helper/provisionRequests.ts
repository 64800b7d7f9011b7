import { constants } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { reasonOf, runTool } from '../../parts/apps/desktop/runTool.ts';
import { errnoOf } from '../../platform/errno.ts';
import { writeWhole } from '../../platform/files/wholeFile.ts';

export interface ProvisionFolders {
  /** The boot partition. */
  readonly boot: string;
  /** The name that was chosen for the machine; the unit faceplate-identity reads it. */
  readonly chosenName: string;
  /** Lets the machine take its name; tests replace it. */
  readonly takeName?: () => Promise<void>;
}

const FILE = 'faceplate.json';
const APPLIED = 'faceplate.applied.json';
const ERRORS = 'faceplate.errors.txt';
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Leaves what was taken without its secrets, then overwrites the file and removes it. May be done again after a cut. */
export async function noteTaken(text: string, { boot }: ProvisionFolders): Promise<void> {
  await writeWhole(join(boot, APPLIED), text);
  await overwrite(join(boot, FILE));
  await rm(join(boot, ERRORS), { force: true });
}

/** Leaves the mistakes beside the file. */
export async function noteRefused(text: string, { boot }: ProvisionFolders): Promise<void> {
  await writeWhole(join(boot, ERRORS), text);
}

/** @throws FaceplateError INVALID_REQUEST, HARDWARE_ERROR */
export async function setName(name: string, { chosenName, takeName = restartIdentity }: ProvisionFolders) {
  if (!NAME.test(name)) throw new FaceplateError('INVALID_REQUEST', 'This is no name of a machine.');
  await writeWhole(chosenName, `${name}\n`);
  await takeName();
}

/** Nothing of its bytes is left in its place: a deleted file of FAT is still on the disk. */
async function overwrite(path: string): Promise<void> {
  try {
    const file = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
    try {
      const { size } = await file.stat();
      await file.write(Buffer.alloc(size, ' '), 0, size, 0);
      await file.sync();
    } finally {
      await file.close();
    }
    await rm(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

async function restartIdentity(): Promise<void> {
  const outcome = await runTool('systemctl', ['restart', 'faceplate-identity.service'], {
    timeoutMs: 20_000,
  });
  if (outcome.exitCode !== 0)
    throw new FaceplateError('HARDWARE_ERROR', `The machine did not take its name: ${reasonOf(outcome)}.`);
}
