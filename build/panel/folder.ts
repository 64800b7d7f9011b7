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
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const images = names
    .filter((name) => name.startsWith('faceplate-') && name.endsWith(`-${arch}.img.zst`))
    .map((name) => ({ file: join(folder, name), made: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.made - a.made);
  if (images[0] === undefined)
    throw new PanelError(
      `There is no image for ${arch} yet. Make one first, as root:\n\n  sudo npm run image -- ${arch}`,
    );
  return images[0].file;
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
  // What is cut off here is made again: the disk is the last of the files.
  if (existsSync(inFolder(FILES.disk))) return false;
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
