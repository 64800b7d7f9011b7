import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, realpath, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { type ClosedPorts, fetchBounded } from '../../platform/net/checkedRequest.ts';

/** Bytes of a sound that is fetched. */
const MAX_BYTES = 10 * 2 ** 20;
/** Milliseconds for fetching it. */
const FETCH_MS = 10_000;

/** Where the files of the active project are, and which ports of this machine are never asked. */
export interface SoundPlaces {
  /** Origin of the active project. */
  origin(): string;
  /** Its folder; undefined while none is installed. */
  folder(): string | undefined;
  closedPorts(): ClosedPorts;
}

/**
 * The whole address that a caller means.
 * @throws FaceplateError INVALID_REQUEST
 */
export function soundAddress(url: string, places: SoundPlaces): URL {
  const origin = `${places.origin()}/`;
  if (URL.canParse(url, origin)) {
    const address = new URL(url, origin);
    if (address.protocol === 'http:' || address.protocol === 'https:') return address;
  }
  throw new FaceplateError(
    'INVALID_REQUEST',
    'The url must be an http or https address, or a file of the active project.',
    { field: 'url' },
  );
}

/**
 * Opens a sound for reading: a project's file in its place, anything else as a fetched copy that has no name.
 * @throws FaceplateError MEDIA_UNREACHABLE
 */
export async function openSound(address: URL, places: SoundPlaces, signal: AbortSignal): Promise<FileHandle> {
  if (address.origin === places.origin()) return openProjectFile(address, places.folder());
  const limits = { maxBytes: MAX_BYTES, timeoutMs: FETCH_MS, closedPorts: places.closedPorts(), signal };
  const { bytes } = await fetchBounded(address.href, limits);
  return unnamedFile(bytes);
}

/** A file that no one else can open and that is gone with its handle, also when the service is killed. */
async function unnamedFile(bytes: Uint8Array): Promise<FileHandle> {
  const path = join(tmpdir(), `faceplate-sound-${randomUUID()}`);
  const file = await open(path, 'wx+', 0o600);
  try {
    await unlink(path);
    await file.writeFile(bytes);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function openProjectFile(address: URL, folder: string | undefined): Promise<FileHandle> {
  const missing = () =>
    new FaceplateError('MEDIA_UNREACHABLE', `The active project has no file ${address.pathname}.`);
  if (folder === undefined) throw missing();
  let file: FileHandle;
  try {
    const root = await realpath(folder);
    const path = await realpath(resolve(root, `.${decodeURIComponent(address.pathname)}`));
    if (!path.startsWith(root + sep)) throw missing();
    // Without O_NONBLOCK, opening a pipe waits for ever.
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    throw missing();
  }
  const stat = await file.stat();
  if (stat.isFile()) return file;
  await file.close();
  throw missing();
}
