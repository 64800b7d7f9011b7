import { randomBytes, timingSafeEqual } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { FaceplateError } from '../contract/errors.ts';

const utf8 = new TextEncoder();

/** The panel's bearer token. Its text leaves this object only for the token file and the settings page. */
export class Token {
  #text: string;
  #bytes: Buffer;
  #candidate: Buffer;
  /** The token file; undefined when a setting holds the token. */
  readonly #path: string | undefined;
  #madeAt: number;

  constructor(text: string, path?: string, madeAt = Date.now()) {
    this.#madeAt = madeAt;
    this.#text = text;
    this.#bytes = Buffer.from(text);
    this.#candidate = Buffer.alloc(this.#bytes.length);
    this.#path = path;
  }

  /**
   * Compares in constant time. Only the length can leak, which is no secret: 43 when the panel made the token.
   * The bytes go to one place that is used again, since every request comes here; what does not fit is not read.
   */
  matches(candidate: string): boolean {
    const { read, written } = utf8.encodeInto(candidate, this.#candidate);
    const isAsLong = read === candidate.length && written === this.#bytes.length;
    return isAsLong && timingSafeEqual(this.#candidate, this.#bytes);
  }

  /** When it was made, in milliseconds since 1970; of one that a setting holds, when the service started. */
  get madeAt(): number {
    return this.#madeAt;
  }

  /** The token itself, for the settings page only. */
  show(): { token: string; held: boolean } {
    return { token: this.#text, held: this.#path === undefined };
  }

  /**
   * Takes a new token, which is valid as soon as it is on disk.
   * @throws FaceplateError CONFLICT (a setting holds the token), STORAGE_FULL
   */
  rotate(): { token: string } {
    if (this.#path === undefined)
      throw new FaceplateError('CONFLICT', 'The setting "token" holds the token. Change it there.');
    const made = makeToken();
    try {
      writeToken(this.#path, made);
    } catch (error) {
      throw new FaceplateError(
        'STORAGE_FULL',
        'The token could not be written to disk. Nothing was changed.',
        {
          cause: error,
        },
      );
    }
    this.#madeAt = Date.now();
    this.#text = made;
    this.#bytes = Buffer.from(made);
    this.#candidate = Buffer.alloc(this.#bytes.length);
    return { token: made };
  }
}

/**
 * The token from the settings, else the one in `<dataDir>/token`, else a new one (32 random bytes, base64url) that is
 * written there with mode 0600.
 */
export function loadToken(dataDir: string, given: string): Token {
  if (given !== '') return new Token(given);
  const path = join(dataDir, 'token');
  try {
    const stored = readFileSync(path, 'utf8').trim();
    if (stored !== '') {
      const { mode, mtimeMs } = statSync(path);
      // A disk that takes no writes would refuse it.
      if ((mode & 0o777) !== 0o600) chmodSync(path, 0o600);
      return new Token(stored, path, mtimeMs);
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  const made = makeToken();
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  writeToken(path, made);
  return new Token(made, path);
}

function makeToken(): string {
  return randomBytes(32).toString('base64url');
}

/** The name always holds a complete token (rename(2)). */
function writeToken(path: string, token: string): void {
  const file = openSync(`${path}.new`, 'w', 0o600);
  try {
    writeFileSync(file, `${token}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(`${path}.new`, path);
}
