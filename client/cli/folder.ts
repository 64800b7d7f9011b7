import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { UsageError } from './failures.ts';

/** One file of a project, as it was when it was read. */
interface ReadFile {
  readonly mark: string;
  /** Hex SHA-256. */
  readonly digest: string;
}

/** The files of a folder by their paths, with `/` between names. */
export type Snapshot = ReadonlyMap<string, ReadFile>;

/** What is between two snapshots. */
export interface Difference {
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Largest project that a panel takes, in bytes; what is larger is said here rather than after the upload. */
const MOST_BYTES = 1024 ** 3;
/** Bytes that are already packed by their own format. */
const PACKED = /\.(?:png|jpe?g|gif|webp|avif|woff2?|mp[34]|m4[av]|webm|ogg|opus|zip|gz|br|wasm\.br)$/i;
/** Mode of a regular file, so that archives of the same files are the same. */
const MODE = 0o100644;

/** Where build tools put the page: such a folder has the name of the project around it. */
const BUILT = ['dist', 'build', 'out', 'www'];

/** The folder to push where none is named: what a build tool made, else the one that one is in. */
export async function usualFolder(): Promise<string> {
  return (await isFile(join('dist', 'index.html'))) ? 'dist' : '.';
}

/**
 * The name of the project in a folder: `name` of `package.json` (without its scope), else of `faceplate.json`, else the
 * name of the folder. A folder that a build tool made has those of the folder above it.
 */
export async function projectNameOf(folder: string): Promise<string> {
  const path = resolve(folder);
  const isBuilt = BUILT.includes(basename(path)) && dirname(path) !== path;
  const places = isBuilt ? [path, dirname(path)] : [path];
  for (const place of places)
    for (const file of ['package.json', 'faceplate.json']) {
      const name = await nameIn(join(place, file));
      if (name !== undefined) return name;
    }
  return basename(places.at(-1)!) || basename(path);
}

async function nameIn(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { name } = JSON.parse(text) as { name?: unknown };
    return typeof name === 'string' ? name.replace(/^@[^/]*\//, '').trim() || undefined : undefined;
  } catch {
    throw new UsageError(`${file} is no JSON.`);
  }
}

/** Names that are no part of a page: hidden files, packages, what editors leave. */
function isLeftOut(name: string): boolean {
  return name.startsWith('.') || name === 'node_modules' || name.endsWith('~') || /^4913$/.test(name);
}

/**
 * Reads a folder. Files that look as before are not read again.
 * @throws UsageError without an index.html, or when it cannot be read
 */
export async function readFolder(folder: string, before: Snapshot = new Map()): Promise<Snapshot> {
  const files = new Map<string, ReadFile>();
  let bytes = 0;
  for (const path of await pathsIn(folder, folder)) {
    const known = before.get(path);
    const file = await readOne(join(folder, path), known);
    // It went between the list and now.
    if (file === undefined) continue;
    bytes += file.size;
    files.set(path, { mark: file.mark, digest: file.digest });
  }
  if (!files.has('index.html')) throw new UsageError(`${folder} has no index.html at its root.`);
  if (bytes > MOST_BYTES) throw new UsageError(`${folder} holds more than 1 GiB.`);
  return files;
}

async function pathsIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    if (folder !== root) return [];
    throw new UsageError(`The folder cannot be read: ${error.message}.`);
  });
  const paths: string[] = [];
  for (const entry of entries) {
    if (isLeftOut(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) paths.push(...(await pathsIn(root, path)));
    // Links to files count as files, links to folders could lead in a circle.
    else if (entry.isFile() || (entry.isSymbolicLink() && (await isFile(path))))
      paths.push(relative(root, path).split(sep).join('/'));
  }
  return paths;
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function readOne(path: string, known: ReadFile | undefined) {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    const mark = `${ino} ${size} ${mtimeMs}`;
    const digest =
      known?.mark === mark
        ? known.digest
        : createHash('sha256')
            .update(await readFile(path))
            .digest('hex');
    return { size, mark, digest };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new UsageError(`A file cannot be read: ${(error as Error).message}.`);
  }
}

export function differenceOf(before: Snapshot, now: Snapshot): Difference {
  return {
    changed: [...now]
      .filter(([path, { digest }]) => before.get(path)?.digest !== digest)
      .map(([path]) => path),
    removed: [...before.keys()].filter((path) => !now.has(path)),
  };
}

/** The digest of the whole, as `projects.patch` wants it: of what `sha256sum` writes, sorted by the bytes of the paths. */
export function digestOf(files: Snapshot): string {
  const paths = [...files.keys()].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
  const list = createHash('sha256');
  for (const path of paths) list.update(`${files.get(path)?.digest}  ${path}\n`);
  return list.digest('hex');
}

/**
 * A zip of some files of a folder.
 * @returns undefined when a file is another one than in the snapshot by now: it is being written
 */
export async function zipOf(
  folder: string,
  paths: readonly string[],
  files: Snapshot,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const zip = new ZipFile();
  for (const path of paths) {
    const bytes = await readFile(join(folder, path)).catch(() => undefined);
    if (bytes === undefined) return undefined;
    if (createHash('sha256').update(bytes).digest('hex') !== files.get(path)?.digest) return undefined;
    zip.addBuffer(bytes, path, { mode: MODE, compress: !PACKED.test(path) });
  }
  zip.end();
  return new Uint8Array(await buffer(zip.outputStream as NodeJS.ReadableStream));
}
