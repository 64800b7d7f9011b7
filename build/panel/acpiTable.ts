import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Architecture } from '../image/architectures.ts';
import { PanelError } from './arguments.ts';
import { FILES } from './qemu.ts';
import { qemuMachines } from './qemuMachines.ts';

const execute = promisify(execFile);
const SOURCE = join(import.meta.dirname, 'backlight.asl');

/**
 * Makes the table by which the kernel of the panel finds a backlight; a machine with a device tree has none.
 * @throws PanelError with the compiler's words
 */
export async function makeAcpiTable(folder: string, arch: Architecture): Promise<void> {
  if (!qemuMachines[arch].hasAcpi) return;
  const name = join(folder, FILES.acpiTable.replace(/\.aml$/, ''));
  // `-p`: the compiler adds the ending.
  await execute('iasl', ['-p', name, SOURCE]).catch((error: Error & { stdout?: string }) => {
    throw new PanelError(`iasl failed: ${error.stdout?.trim() || error.message}`);
  });
}
