import { hash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Block size of data and tree, in bytes, and how many digests one block of the tree holds. */
export const VERITY_BLOCK = 4_096;
const DIGEST = 32;
/** How much is read at one time, in bytes. */
const PIECE = 256 * VERITY_BLOCK;

/** A file system with its hash tree behind it. */
export interface VerityTree {
  /** Where the tree begins: the length of the file system, whole blocks. */
  readonly dataBytes: number;
  readonly treeBytes: number;
  readonly salt: Buffer;
  /** The one digest that stands for all. */
  readonly root: Buffer;
}

/**
 * Whether each byte of a file system, and of its hash tree, is the one that the root stands for: dm-verity, format 1,
 * SHA-256, no superblock (Documentation/admin-guide/device-mapper/verity.rst of Linux), as bundles of RAUC have it.
 */
export async function isWhole(file: FileHandle, tree: VerityTree): Promise<boolean> {
  const { dataBytes, treeBytes, salt, root } = tree;
  if (dataBytes < 2 * VERITY_BLOCK || dataBytes % VERITY_BLOCK !== 0) return false;
  const levels = [await digestsOf(file, dataBytes, salt)];
  while (levels[0]!.length > VERITY_BLOCK) levels.unshift(digestsIn(levels[0]!, salt));
  // The top comes first.
  const made = Buffer.concat(levels);
  if (made.length !== treeBytes) return false;
  const { buffer, bytesRead } = await file.read(Buffer.alloc(treeBytes), 0, treeBytes, dataBytes);
  return bytesRead === treeBytes && buffer.equals(made) && salted(salt, levels[0]!).equals(root);
}

/** The lowest level of the tree. */
async function digestsOf(file: FileHandle, dataBytes: number, salt: Buffer): Promise<Buffer> {
  const digests = Buffer.alloc(levelBytes(dataBytes));
  const piece = Buffer.alloc(PIECE);
  for (let at = 0; at < dataBytes; at += PIECE) {
    const length = Math.min(PIECE, dataBytes - at);
    const { bytesRead } = await file.read(piece, 0, length, at);
    if (bytesRead !== length) return Buffer.alloc(0);
    digestsIn(piece.subarray(0, length), salt).copy(digests, (at / VERITY_BLOCK) * DIGEST, 0);
  }
  return digests;
}

/** The level above some blocks, filled up with zeros to whole blocks. */
function digestsIn(blocks: Buffer, salt: Buffer): Buffer {
  const digests = Buffer.alloc(levelBytes(blocks.length));
  for (let at = 0; at < blocks.length; at += VERITY_BLOCK)
    salted(salt, blocks.subarray(at, at + VERITY_BLOCK)).copy(digests, (at / VERITY_BLOCK) * DIGEST);
  return digests;
}

function levelBytes(bytes: number): number {
  return Math.ceil(((bytes / VERITY_BLOCK) * DIGEST) / VERITY_BLOCK) * VERITY_BLOCK;
}

function salted(salt: Buffer, block: Buffer): Buffer {
  return hash('sha256', Buffer.concat([salt, block]), 'buffer');
}
