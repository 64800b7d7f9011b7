import { type FileHandle, open, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { FaceplateError } from '../../contract/errors.ts';
import { runTool } from './desktop/runTool.ts';
import { invalid } from './packageFile.ts';

/** The member of the archive that holds the signature, always the last one. */
const MEMBER = '_cmsorigin';
/** A .deb is an ar archive: this, then members with a head of 60 bytes each, padded to even lengths (deb(5), ar(5)). */
const MAGIC = '!<arch>\n';
const HEAD_BYTES = 60;
/** A package has three members and the signature; a file with many more is not a package. */
const MAX_MEMBERS = 16;
const MAX_SIGNATURE = 256 * 1024;
const VERIFY_MS = 10 * 60_000;

/** The signature at the end of a package file. */
interface Signature {
  /** CMS, DER. */
  readonly bytes: Buffer;
  /** What was cut off: the whole last member of the archive. */
  readonly member: Buffer;
}

/**
 * Removes the signature from a package file: the rest are the bytes that were signed, an ordinary package.
 * @param path our own copy, which is made shorter
 * @throws FaceplateError INVALID_REQUEST: it is not signed
 */
export async function takeSignature(path: string): Promise<Signature> {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    if ((await read(file, 0, MAGIC.length)).toString('latin1') !== MAGIC) throw notSigned();
    let offset = MAGIC.length;
    for (let count = 0; count < MAX_MEMBERS; count++) {
      const { name, length } = memberOf(await read(file, offset, HEAD_BYTES));
      const end = offset + HEAD_BYTES + length;
      const next = end + (end % 2);
      if (end > size) throw notSigned();
      if (next < size) {
        offset = next;
        continue;
      }
      if (name !== MEMBER || length === 0 || length > MAX_SIGNATURE) throw notSigned();
      const member = await read(file, offset, size - offset);
      await file.truncate(offset);
      return { bytes: member.subarray(HEAD_BYTES, HEAD_BYTES + length), member };
    }
    throw notSigned();
  } finally {
    await file.close();
  }
}

/**
 * Whether one of these certificates signed the file. The signer must be one of them; their dates do not count, because
 * a panel's clock may be wrong, and neither does who issued them.
 * @param path what was signed; its folder is ours alone
 * @param keys PEM
 * @throws FaceplateError INVALID_REQUEST (the signature does not fit the file), HARDWARE_ERROR (no openssl)
 */
export async function isSignedBy(path: string, signature: Buffer, keys: string): Promise<boolean> {
  const [origin, trusted] = [join(dirname(path), 'origin.der'), join(dirname(path), 'keys.pem')];
  await writeFile(origin, signature);
  await writeFile(trusted, keys);
  const files = ['-in', origin, '-inform', 'DER', '-content', path, '-out', '/dev/null'];
  // The signer is searched only in our file (-nointern), and a signer found there needs no chain (-noverify).
  const judge = ['-certfile', trusted, '-nointern', '-noverify', '-no_check_time'];
  const { exitCode, output } = await runTool('openssl', ['cms', '-verify', '-binary', ...files, ...judge], {
    timeoutMs: VERIFY_MS,
    env: { OPENSSL_CONF: '/dev/null' },
  });
  await Promise.all([rm(origin), rm(trusted)]);
  if (exitCode === 0) return true;
  if (output.includes('signer certificate not found')) return false;
  throw notSigned();
}

/** INVALID_REQUEST: none of the valid keys is the signer's. */
export function unknownKey(): FaceplateError {
  return invalid('The package is signed by a key that this panel does not know.');
}

function notSigned(): FaceplateError {
  return invalid('The package is not signed.');
}

/** @throws FaceplateError INVALID_REQUEST when it is not the head of a member */
function memberOf(head: Buffer): { name: string; length: number } {
  const text = head.toString('latin1');
  const size = text.slice(48, 58).trimEnd();
  if (text.length !== HEAD_BYTES || text.slice(58) !== '`\n' || !/^\d{1,10}$/.test(size)) throw notSigned();
  return { name: text.slice(0, 16).trimEnd().replace(/\/$/, ''), length: Number(size) };
}

/** Fewer bytes when the file ends. */
async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
