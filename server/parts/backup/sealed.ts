import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';

/** What begins the file, and is signed with it: another version of the format gets another text. */
const MAGIC = Buffer.from('FACEPLATE SECRETS 1\n');
const SALT_BYTES = 16;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/**
 * scrypt (RFC 7914): 32 MiB and about half a second of work for each guess. Fixed by the format, so that a file cannot
 * ask for more.
 */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 };

/**
 * Encrypts a text with a passphrase: AES-256-GCM (NIST SP 800-38D) with a key by scrypt. The file is magic, salt, iv,
 * tag and cipher text, one after the other; magic and salt are authenticated.
 */
export async function seal(text: string, passphrase: string): Promise<Buffer> {
  const salt = randomBytes(SALT_BYTES);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', await keyOf(Buffer.from(passphrase), salt), iv);
  cipher.setAAD(Buffer.concat([MAGIC, salt]));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([MAGIC, salt, iv, cipher.getAuthTag(), sealed]);
}

/** @returns the text; undefined when the passphrase is wrong or the bytes were changed */
export async function unseal(bytes: Buffer, passphrase: Buffer): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let at = 0;
  for (const count of [MAGIC.length, SALT_BYTES, IV_BYTES, TAG_BYTES]) {
    parts.push(bytes.subarray(at, at + count));
    at += count;
  }
  const [magic, salt, iv, tag] = parts as [Buffer, Buffer, Buffer, Buffer];
  if (!magic.equals(MAGIC) || tag.length < TAG_BYTES) return undefined;
  const cipher = createDecipheriv('aes-256-gcm', await keyOf(passphrase, salt), iv, {
    authTagLength: TAG_BYTES,
  });
  cipher.setAAD(Buffer.concat([magic, salt]));
  cipher.setAuthTag(tag);
  try {
    return Buffer.concat([cipher.update(bytes.subarray(at)), cipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(passphrase: Buffer, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(passphrase, salt, KEY_BYTES, COST, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
