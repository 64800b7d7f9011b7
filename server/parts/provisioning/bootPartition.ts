import { constants, existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf } from '../../platform/errno.ts';
import { askHelper, HELPER_SOCKET } from '../apps/desktop/rootHelper.ts';
import { PROVISIONING_BYTES, PROVISIONING_FILE } from './contract.ts';
import type { BootPartition } from './service.ts';

/** Where our images mount it. */
export const BOOT_PARTITION = '/boot/efi';

/** The boot partition of a disk image. The service reads it; the root helper writes. */
export class ImageBootPartition implements BootPartition {
  readonly #folder: string;
  readonly #socket: string;

  constructor({ folder = BOOT_PARTITION, socket = HELPER_SOCKET } = {}) {
    this.#folder = folder;
    this.#socket = socket;
  }

  async read(): Promise<string | null> {
    try {
      const file = await open(this.pathOf(PROVISIONING_FILE), constants.O_RDONLY | constants.O_NOFOLLOW);
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(PROVISIONING_BYTES + 1), 0, null, 0);
        if (bytesRead <= PROVISIONING_BYTES) return buffer.subarray(0, bytesRead).toString('utf8');
      } finally {
        await file.close();
      }
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT') return null;
      if (errno === undefined) throw error;
      throw new FaceplateError('HARDWARE_ERROR', `faceplate.json cannot be read (${errno}).`, {
        cause: error,
      });
    }
    throw new FaceplateError('TOO_LARGE', `faceplate.json is longer than ${PROVISIONING_BYTES} bytes.`);
  }

  has(name: string): boolean {
    return existsSync(this.pathOf(name));
  }

  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  taken(applied: string): Promise<void> {
    return askHelper(this.#socket, { verb: 'provision-taken', text: applied });
  }

  refused(mistakes: string): Promise<void> {
    return askHelper(this.#socket, { verb: 'provision-refused', text: mistakes });
  }
}

/** Gives the machine its name, for this boot and all later ones. @throws FaceplateError HARDWARE_ERROR */
export function setMachineName(name: string, socket: string = HELPER_SOCKET): Promise<void> {
  return askHelper(socket, { verb: 'hostname', text: name });
}
