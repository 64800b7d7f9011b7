import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import type { Logger } from '../../platform/log.ts';

/** Largest file, in bytes; authorities are a few KiB each. */
const MOST_BYTES = 1024 * 1024;

interface Read {
  /** Of the file when it was read. */
  readonly mark: string;
  readonly pem: readonly string[];
}

/** The certificate authorities of `kiosk.authorities`, read again when a file changes. */
export class AuthorityFiles {
  readonly #paths: () => string | readonly string[];
  readonly #log: Logger;
  readonly #files = new Map<string, Read>();

  /** @param paths PEM files; asked on every use */
  constructor(paths: () => string | readonly string[], log: Logger) {
    this.#paths = paths;
    this.#log = log;
  }

  /** Their certificates as PEM; a file that cannot be read is said in the log and left out. */
  now(): string[] {
    const paths = [this.#paths()].flat().filter((path) => path !== '');
    for (const path of this.#files.keys()) if (!paths.includes(path)) this.#files.delete(path);
    return paths.flatMap((path) => this.#read(path));
  }

  #read(path: string): readonly string[] {
    const known = this.#files.get(path);
    let mark = 'none';
    try {
      const { size, mtimeMs, ino } = statSync(path);
      mark = `${ino} ${size} ${mtimeMs}`;
      if (known?.mark === mark) return known.pem;
      if (size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
      const pem = certificatesOf(readFileSync(path, 'utf8'));
      if (pem.length === 0) throw new Error('it holds no certificate');
      this.#files.set(path, { mark, pem });
      return pem;
    } catch (error) {
      if (known?.mark !== mark)
        this.#log.error(
          { err: error, file: path },
          'certificates: could not read an authority of kiosk.authorities',
        );
      this.#files.set(path, { mark, pem: [] });
      return [];
    }
  }
}

/** @throws Error when one of them cannot be read */
function certificatesOf(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return found.map((pem) => new X509Certificate(pem).toString());
}
