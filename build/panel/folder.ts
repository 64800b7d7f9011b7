import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../image/architectures.ts';
import { step } from '../image/progress.ts';
import { PanelError } from './arguments.ts';
import { DISK_GIB, FILES } from './qemu.ts';
import { qemuMachines } from './qemuMachines.ts';

const execute = promisify(execFile);

/**
 * The newest image in a folder.
 * @throws PanelError where there is none
 */
export function newestImage(folder: string, arch: Architecture): string {
  const image = newestOf(folder, 'faceplate-', `-${arch}.img.zst`);
  if (image === undefined)
    throw new PanelError(
      `There is no image for ${arch} yet. Make one first, as root:\n\n  sudo npm run image -- ${arch}`,
    );
  return image;
}

/**
 * The newest Debian package of ours in a folder.
 * @throws PanelError where there is none
 */
export function newestPackage(folder: string, arch: Architecture): string {
  const found = newestOf(folder, 'faceplate_', `_${arch}.deb`);
  if (found === undefined)
    throw new PanelError('There is no Debian package yet. Make one first:\n\n  npm run dist');
  return found;
}

function newestOf(folder: string, begin: string, end: string): string | undefined {
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const files = names
    .filter((name) => name.startsWith(begin) && name.endsWith(end))
    .map((name) => ({ file: join(folder, name), made: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made);
  return files[0]?.file;
}

/** Whether a panel is there: its disk is the last of its files to be made. */
export function hasPanel(folder: string): boolean {
  return existsSync(join(folder, FILES.disk));
}

/**
 * Makes the files of a new panel from an image, compressed or not; one that is there keeps its disk.
 * @param image undefined: the panel must be there
 * @returns whether the panel is new
 */
export async function preparePanel(
  folder: string,
  arch: Architecture,
  image: () => string,
): Promise<boolean> {
  mkdirSync(folder, { recursive: true });
  const inFolder = (name: string) => join(folder, name);
  // What is cut off here is made again.
  if (hasPanel(folder)) return false;
  const from = image();
  const { code, variables } = qemuMachines[arch].firmware;
  if (!existsSync(from)) throw new PanelError(`There is no ${from}.`);
  await step('Disk of the panel', async () => {
    const made = inFolder(`${FILES.base}.new`);
    rmSync(made, { force: true });
    if (from.endsWith('.zst')) await run('zstd', '-q', '-d', '--sparse', from, '-o', made);
    else await run('cp', '--sparse=always', from, made);
    renameSync(made, inFolder(FILES.base));
    for (const [name, source] of [
      [FILES.firmware, code],
      [FILES.variables, variables],
    ] as const)
      copyFileSync(source, inFolder(name));
    const disk = `${inFolder(FILES.disk)}.new`;
    const backing = ['-b', FILES.base, '-F', 'raw'];
    await run('qemu-img', 'create', '-q', '-f', 'qcow2', ...backing, disk, `${DISK_GIB}G`);
    renameSync(disk, inFolder(FILES.disk));
  });
  writeFileSync(inFolder(FILES.console), '');
  return true;
}

async function run(program: string, ...args: readonly string[]): Promise<void> {
  try {
    await execute(program, [...args]);
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string };
    throw new PanelError(`${program} failed: ${stderr.trim() || message}`);
  }
}
