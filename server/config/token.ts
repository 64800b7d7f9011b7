import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The panel's bearer token. The text itself leaves this object only into the token file. */
export class Token {
  readonly #digest: Buffer;

  constructor(text: string) {
    this.#digest = sha256(text);
  }

  /** Compares in constant time: digests of equal length, whatever the length of the candidate. */
  matches(candidate: string): boolean {
    return timingSafeEqual(this.#digest, sha256(candidate));
  }
}

/**
 * The token given by the settings, else the one in `<dataDir>/token`, else a new one (32 random bytes, base64url) written
 * there with mode 0600.
 */
export function loadToken(dataDir: string, given: string): Token {
  if (given !== '') return new Token(given);
  const path = join(dataDir, 'token');
  try {
    const stored = readFileSync(path, 'utf8').trim();
    if (stored !== '') {
      chmodSync(path, 0o600);
      return new Token(stored);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = randomBytes(32).toString('base64url');
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeFileSync(`${path}.new`, `${made}\n`, { mode: 0o600 });
  renameSync(`${path}.new`, path);
  return new Token(made);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
