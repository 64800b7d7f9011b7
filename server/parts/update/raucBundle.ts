import { hash } from 'node:crypto';
import { type FileHandle, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool } from '../apps/desktop/runTool.ts';
import type { Bundle } from './driver.ts';

/** Length of the number at the end: how long the signature before it is. */
const NUMBER_BYTES = 8;
const MAX_SIGNATURE = 256 * 1024;
const VERIFY_MS = 60_000;
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The bundles that fit our images on a machine. @param arch as Node names it */
export function imageBoard(arch: string = process.arch): string {
  return `faceplate-${ARCHITECTURES[arch] ?? arch}`;
}

interface Judged {
  /** PEM of the certificates whose keys may sign; undefined: none is known. */
  readonly keys: string | undefined;
  /** Whether each byte is looked at. Without it the signature covers what the bundle says of itself, and no more. */
  readonly content: boolean;
}

/**
 * Looks at a bundle of RAUC, format verity: a squashfs, its hash tree, a CMS signature with the manifest in it, and the
 * length of that (RAUC manual, "Bundle Formats"). The signer must be one of the keys; dates of certificates do not count,
 * because a panel's clock may be wrong.
 * @throws FaceplateError HARDWARE_ERROR (no openssl), or an errno exception
 */
export async function inspectRaucBundle(path: string, { keys, content }: Judged): Promise<Bundle> {
  const file = await open(path, 'r');
  try {
    const signature = await readSignature(file);
    if (signature === undefined) return { signature: 'none' };
    const signed = await contentSignedBy(signature.bytes, keys ?? '');
    if (typeof signed !== 'object') return { signature: signed };
    const of = readManifest(signed.text);
    const treeBytes = Number(of('bundle', 'verity-size'));
    const tree: VerityTree = {
      dataBytes: signature.at - treeBytes,
      treeBytes,
      salt: Buffer.from(of('bundle', 'verity-salt'), 'hex'),
      root: Buffer.from(of('bundle', 'verity-hash'), 'hex'),
    };
    const isOurs = of('bundle', 'format') === 'verity' && treeBytes % VERITY_BLOCK === 0 && treeBytes > 0;
    if (!isOurs || (content && !(await isWhole(file, tree)))) return { signature: 'none' };
    return { signature: 'known', version: of('update', 'version'), board: of('update', 'compatible') };
  } finally {
    await file.close();
  }
}

/** The signature at the end, and where it begins. */
async function readSignature(file: FileHandle): Promise<{ bytes: Buffer; at: number } | undefined> {
  const { size } = await file.stat();
  const end = size - NUMBER_BYTES;
  if (end < VERITY_BLOCK) return undefined;
  const number = await file.read(Buffer.alloc(NUMBER_BYTES), 0, NUMBER_BYTES, end);
  const length = number.buffer.readBigUInt64BE();
  if (length === 0n || length > MAX_SIGNATURE || length > end) return undefined;
  const at = end - Number(length);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(Number(length)), 0, Number(length), at);
  return bytesRead === buffer.length ? { bytes: buffer, at } : undefined;
}

/** What a CMS message holds, where one of these certificates signed it. */
async function contentSignedBy(
  signature: Buffer,
  keys: string,
): Promise<'none' | 'unknown' | { readonly text: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-bundle-'));
  const [message, trusted, text] = ['message', 'keys.pem', 'text'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  try {
    await writeFile(message, signature);
    const env = { OPENSSL_CONF: '/dev/null' };
    const files = ['-in', message, '-inform', 'DER', '-out', text];
    const verify = async (judge: readonly string[]) => {
      const args = ['cms', '-verify', '-binary', ...files, ...judge, '-noverify', '-no_check_time'];
      return (await runTool('openssl', args, { timeoutMs: VERIFY_MS, env })).exitCode === 0;
    };
    if (keys.includes('-----BEGIN CERTIFICATE-----')) {
      await writeFile(trusted, keys);
      // The signer is searched in our file alone (-nointern), and one found there needs no chain (-noverify).
      if (await verify(['-certfile', trusted, '-nointern'])) return { text: await readFile(text, 'utf8') };
    }
    // By the certificate that it brings itself: then it is whole, but a stranger's.
    return (await verify([])) ? 'unknown' : 'none';
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads a manifest (RAUC manual, "Manifest"). What is not there is an empty text. */
function readManifest(text: string): (section: string, key: string) => string {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split('\n')) {
    const head = /^\[([^\]]+)\]$/.exec(line.trim())?.[1];
    if (head !== undefined) section = head;
    const [, key, value] = /^([^=#\s]+)\s*=\s*(.*)$/.exec(line) ?? [];
    if (key !== undefined) values.set(`${section} ${key}`, value!.trim());
  }
  return (of, key) => values.get(`${of} ${key}`) ?? '';
}

/** Block size of data and tree, in bytes, and how many digests one block of the tree holds. */
const VERITY_BLOCK = 4_096;
const DIGEST = 32;
/** How much is read at one time, in bytes. */
const PIECE = 256 * VERITY_BLOCK;

/** A file system with its hash tree behind it. */
interface VerityTree {
  /** Where the tree begins: the length of the file system, whole blocks. */
  readonly dataBytes: number;
  readonly treeBytes: number;
  readonly salt: Buffer;
  /** The one digest that covers all. */
  readonly root: Buffer;
}

/**
 * Whether each byte of a file system, and of its hash tree, is the one that the root covers: dm-verity, format 1,
 * SHA-256, no superblock (Documentation/admin-guide/device-mapper/verity.rst of Linux), as bundles of RAUC have it.
 */
async function isWhole(file: FileHandle, tree: VerityTree): Promise<boolean> {
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
