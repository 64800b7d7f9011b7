import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { promisify } from 'node:util';

interface Packing {
  /** Time of the files, in seconds since 1970. */
  readonly epoch: number;
  /** Packed quickly, for tests: good compression takes a minute. */
  readonly isFast: boolean;
  /** Works on the package before it has its name. */
  readonly finish?: (made: string) => void;
}

/**
 * Packs a tree as the Debian package `file`, whole or not at all: the image takes a package that is newer than its sources.
 * @throws Error with the words of dpkg-deb
 */
export async function packTree(
  tree: string,
  file: string,
  { epoch, isFast, finish }: Packing,
): Promise<void> {
  const made = `${file}.new`;
  const compression = isFast ? ['-Zgzip', '-z1'] : ['-Zxz'];
  await promisify(execFile)('dpkg-deb', ['--root-owner-group', ...compression, '--build', tree, made], {
    env: { ...process.env, SOURCE_DATE_EPOCH: String(epoch) },
  });
  finish?.(made);
  renameSync(made, file);
}
