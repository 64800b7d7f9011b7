import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** An npm package on disk. */
interface NpmPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly folder: string;
}

/**
 * The packages that some packages need at run time, themselves included, in the order of their folders.
 * Optional ones that are not installed are left out.
 * @param root folder that holds node_modules
 */
export function dependencyClosure(root: string, names: readonly string[]): NpmPackage[] {
  const found = new Map<string, NpmPackage>();
  const visit = (name: string, from: string, isOptional: boolean): void => {
    const folder = resolvePackage(root, name, from);
    if (folder === undefined) {
      if (isOptional) return;
      throw new Error(`The npm package ${name} is not installed: run npm ci.`);
    }
    if (found.has(folder)) return;
    const manifest = readManifest(folder);
    const { version, license = 'not said' } = manifest;
    found.set(folder, { name: manifest.name, version, license, folder });
    for (const needed of Object.keys(manifest.dependencies ?? {})) visit(needed, folder, false);
    for (const needed of Object.keys(manifest.optionalDependencies ?? {})) visit(needed, folder, true);
  };
  for (const name of names) visit(name, root, false);
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** As Node resolves it: the nearest node_modules above `from`. */
function resolvePackage(root: string, name: string, from: string): string | undefined {
  for (let folder = from; folder.startsWith(root); folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
  }
  return undefined;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Files of a package that are not needed at run time: documents, types, native sources, builds for other machines. */
const UNNEEDED =
  /(^|\/)(README|CHANGELOG|CODE_OF_CONDUCT)[^/]*$|\.(d\.[cm]?ts|map|gyp|cc|cpp|hh?|inc|S|asm)$|musl/i;
/** Folders that hold only such files. */
const UNNEEDED_FOLDERS: Readonly<Record<string, RegExp>> = {
  koffi: /^(doc|vendor|lib|cnoke\.cjs|src\/koffi\/(examples|test|tools|benchmark))(\/|$)/,
  '@serialport/bindings-cpp': /^src(\/|$)/,
};

/** Copies what a package needs at run time on one kind of machine. */
export function copyPackage(from: string, to: string, arch: string): void {
  const { name } = readManifest(from);
  cpSync(from, to, {
    recursive: true,
    dereference: true,
    filter: (path) => {
      const inside = relative(from, path);
      if (inside === '') return true;
      if (inside === 'node_modules' || UNNEEDED.test(inside)) return false;
      if (UNNEEDED_FOLDERS[name]?.test(inside)) return false;
      const prebuild = /^prebuilds\/([^/]+)/.exec(inside)?.[1];
      return prebuild === undefined || prebuild === `linux-${arch}`;
    },
  });
}

/**
 * The folder of a package of package-lock.json, which may be for another kind of machine: the installed one, or one that
 * npm fetches into `cache`, compared with the digest of the lock file.
 * @throws Error if it cannot be fetched, or differs from the lock file
 */
export async function packageFolder(root: string, name: string, cache: string): Promise<string> {
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'package.json'))) return installed;
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity?: string }>;
  };
  const entry = lock.packages[`node_modules/${name}`];
  if (entry?.integrity === undefined) throw new Error(`package-lock.json has no digest of ${name}.`);
  await mkdir(cache, { recursive: true });
  const { stdout } = await run(
    'npm',
    ['pack', '--silent', '--pack-destination', cache, `${name}@${entry.version}`],
    { cwd: root },
  );
  const archive = join(cache, stdout.trim().split('\n').at(-1)!);
  await checkDigest(archive, entry.integrity);
  const folder = join(cache, name.replaceAll('/', '+'));
  await mkdir(folder, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner']);
  return folder;
}

/** @param integrity as in a lock file: `sha512-<base64>` @throws Error when the file has another digest */
export async function checkDigest(file: string, integrity: string): Promise<void> {
  const algorithm = integrity.split('-')[0]!;
  const digest = createHash(algorithm)
    .update(await readFile(file))
    .digest('base64');
  if (`${algorithm}-${digest}` !== integrity)
    throw new Error(`${file} is not what package-lock.json promises: its digest is another one.`);
}

/** The licence text in a package's folder, or undefined. */
export function licenceText(folder: string): string | undefined {
  const names = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'LICENCE', 'license', 'License.md', 'LICENSE-MIT'];
  const file = names.map((name) => join(folder, name)).find((path) => existsSync(path));
  return file === undefined || !statSync(file).isFile() ? undefined : readFileSync(file, 'utf8');
}
