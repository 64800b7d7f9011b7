import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Archive, ByteBudget, type UnpackLimits } from '../../platform/archive/archive.ts';
import { isJunk, refused } from '../../platform/archive/archiveNames.ts';
import type { DiskSpace } from '../../platform/archive/diskSpace.ts';

const MAX_MANIFEST_BYTES = 64 * 1024;

export interface UnpackOptions {
  readonly limits: UnpackLimits;
  readonly signal: AbortSignal;
  /** Where room for the files is claimed. */
  readonly space: DiskSpace;
}

/**
 * Unpacks a project, a `.zip` or a `.ch5z`, recognised by its content.
 * @param archive path of the file
 * @param scratch empty folder for temporary files
 * @param target folder to unpack into; it exists and is empty
 * @returns bytes of the unpacked files
 * @throws FaceplateError INVALID_REQUEST; a system error when writing fails
 */
export async function unpackProject(
  archive: string,
  scratch: string,
  target: string,
  options: UnpackOptions,
): Promise<number> {
  const outer = await Archive.open(archive, options.limits);
  try {
    const packed = outer.files.find(({ path }) => /^[^/]+\.ch5$/i.test(path) && !isJunk(path));
    if (outer.find('index.html') !== undefined || packed === undefined)
      return await unpackPages(outer, target, options);
    const inner = join(scratch, 'inner.zip');
    await extractInner(outer, packed, inner, options);
    const pages = await Archive.open(inner, options.limits);
    try {
      return await unpackPages(pages, target, options);
    } finally {
      pages.close();
      await rm(inner, { force: true });
    }
  } finally {
    outer.close();
  }
}

async function unpackPages(pages: Archive, target: string, options: UnpackOptions): Promise<number> {
  mustHavePage(pages.files.map(({ path }) => path));
  const { limits, space, signal } = options;
  const claim = await space.claim(Math.min(pages.promisedBytes, limits.bytes));
  try {
    const budget = new ByteBudget(limits.bytes, claim);
    await pages.unpack(target, budget, signal);
    return budget.used;
  } finally {
    claim.release();
  }
}

/** @throws FaceplateError INVALID_REQUEST without an index.html at the root */
export function mustHavePage(paths: readonly string[]): void {
  if (paths.includes('index.html')) return;
  const found = paths
    .filter((path) => /(?:^|\/)(?:index\.html?|[^/]+\.ch5)$/i.test(path) && !isJunk(path))
    .sort((one, other) => one.split('/').length - other.split('/').length)[0];
  const lead = 'The archive has no index.html at its root';
  if (found === undefined) throw refused(`${lead}.`);
  const isDeeper = found.includes('/');
  throw refused(
    `${lead}, only ${found.slice(0, 120)}: ${isDeeper ? 'pack what is in that folder' : 'rename that file'}.`,
  );
}

/** The `.ch5` file of a `.ch5z`, compared with the digest in the manifest. */
async function extractInner(
  outer: Archive,
  packed: Archive['files'][number],
  to: string,
  options: UnpackOptions,
): Promise<void> {
  const manifest = outer.find(packed.path.replace(/\.ch5$/i, '_manifest.json'));
  if (manifest === undefined) throw refused(`The archive holds ${packed.path} but not its manifest.`);
  const wanted = digestIn((await outer.read(manifest, MAX_MANIFEST_BYTES)).toString('utf8'));
  const { limits, space, signal } = options;
  const digest = createHash('sha256');
  const claim = await space.claim(Math.min(packed.entry.uncompressedSize, limits.bytes));
  try {
    await outer.extract(packed, to, new ByteBudget(limits.bytes, claim), signal, digest);
  } finally {
    claim.release();
  }
  if (digest.digest('hex') !== wanted)
    throw refused(`The digest of ${packed.path} is not the one in its manifest.`);
}

function digestIn(text: string): string {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw refused('The manifest of the archive is not readable JSON.', error);
  }
  const digest = (manifest as Record<string, unknown> | null)?.['sha-256'];
  if (typeof digest !== 'string' || !/^[0-9a-f]{64}$/i.test(digest))
    throw refused('The manifest of the archive has no sha-256 of 64 hex digits.');
  return digest.toLowerCase();
}
