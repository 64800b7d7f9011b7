import { readFile, stat } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { errnoOf, errnoWords } from '../../platform/errno.ts';

/** Largest file, in bytes; authorities are a few KiB each. */
const MOST_BYTES = 1024 * 1024;

/** Certificates of the house for the connection to the broker, as PEM. */
export interface TlsFiles {
  /** Authorities beside the system's. */
  readonly authorities: readonly string[];
  readonly certificate: string | undefined;
  readonly key: string | undefined;
}

/** The settings that name them; empty: none. */
export interface TlsPaths {
  readonly authorities: string | readonly string[];
  readonly certificate: string;
  readonly key: string;
}

/** A file that cannot be used. Its message is a path and why, never what stands in it. */
export class UnreadableFile extends Error {
  constructor(path: string, words: string) {
    super(`${path}: ${words}`);
    this.name = 'UnreadableFile';
  }
}

/** Reads them again, so that a renewed certificate is taken with the next connection. @throws UnreadableFile */
export async function readTlsFiles({ authorities, certificate, key }: TlsPaths): Promise<TlsFiles> {
  const paths = [authorities].flat().filter((path) => path !== '');
  const files = {
    authorities: await Promise.all(paths.map((path) => read(path, (pem) => ({ ca: pem })))),
    certificate: certificate === '' ? undefined : await read(certificate, (pem) => ({ cert: pem })),
    key: key === '' ? undefined : await read(key, (pem) => ({ key: pem })),
  };
  if ((certificate === '') !== (key === ''))
    throw new UnreadableFile(certificate || key, 'mqtt.certificate and mqtt.key belong together');
  if (files.certificate !== undefined && files.key !== undefined)
    check(certificate, { cert: files.certificate, key: files.key }, 'does not fit the key');
  return files;
}

async function read(path: string, use: (pem: string) => Parameters<typeof createSecureContext>[0]) {
  try {
    const { size } = await stat(path);
    if (size > MOST_BYTES) throw new UnreadableFile(path, `is larger than ${MOST_BYTES} bytes`);
    const pem = await readFile(path, 'utf8');
    if (!pem.includes('-----BEGIN ')) throw new UnreadableFile(path, 'is no PEM file');
    check(path, use(pem), 'is no PEM file of this kind');
    return pem;
  } catch (error) {
    if (error instanceof UnreadableFile) throw error;
    const errno = errnoOf(error);
    throw new UnreadableFile(path, errno === undefined ? 'cannot be read' : errnoWords(errno));
  }
}

/** OpenSSL's words are left out: they may quote what stands in the file. */
function check(path: string, use: Parameters<typeof createSecureContext>[0], words: string): void {
  try {
    createSecureContext(use);
  } catch {
    throw new UnreadableFile(path, words);
  }
}
