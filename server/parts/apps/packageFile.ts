import { realpath, stat } from 'node:fs/promises';
import { basename, extname, resolve, sep } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { packageName as packageNameSchema } from './contract.ts';

type PackageKind = 'deb' | 'flatpak' | 'appimage';

/** A package file that may be installed. */
export interface PackageFile {
  /** The path without links. */
  readonly path: string;
  readonly kind: PackageKind;
}

/**
 * Checks a path from a caller: its real place must be below the install folder. Relative paths start there. Nothing
 * outside the folder is looked at, so that an answer does not reveal what exists.
 * @throws FaceplateError FORBIDDEN, NOT_FOUND, INVALID_REQUEST
 */
export async function checkPackageFile(installDir: string, path: string): Promise<PackageFile> {
  if (path.includes('\0')) throw invalid('A path cannot hold a NUL character.');
  const named = resolve(installDir, path);
  const folder = await realpath(installDir).catch(() => resolve(installDir));
  if (!isBelow(named, resolve(installDir)) && !isBelow(named, folder)) throw outside();
  const real = await realpath(named).catch((error: unknown) => {
    throw unreadable(error);
  });
  if (!isBelow(real, folder)) throw outside();
  const stats = await stat(real).catch((error: unknown) => {
    throw unreadable(error);
  });
  if (!stats.isFile()) throw invalid('The path names no regular file.');
  const kind = extname(real).slice(1).toLowerCase();
  if (kind !== 'deb' && kind !== 'flatpak' && kind !== 'appimage') {
    throw invalid('Only .deb, .flatpak and .AppImage files can be installed.');
  }
  return { path: real, kind };
}

/** Whether a path without `..` is below a folder, and is not the folder itself. */
export function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Processor, system and version at the end of a file name. */
const NOT_THE_NAME =
  /([._-](x86[_-]64|x64|amd64|aarch64|arm64|armhf|armv7l|i[36]86|all|linux|v?\d+(\.\d+)*([+~][\w.]+)?|(alpha|beta|rc)\d*))+$/i;

/**
 * A package name made from the name of a file: without ending, processor and version (`Some App-1.5.3-x86_64.AppImage`
 * is `Some-App`), so that the next version replaces this one.
 * @throws FaceplateError INVALID_REQUEST when nothing usable is left
 */
export function nameFromFile(path: string): string {
  const name = basename(path, extname(path))
    .replace(NOT_THE_NAME, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9_]+|[^A-Za-z0-9_]+$/g, '');
  if (!isPackageName(name)) throw invalid('The file name holds no usable package name.');
  return name;
}

/** Whether the contract allows a caller to use a name. */
export function isPackageName(name: string): boolean {
  return packageNameSchema.safeParse(name).success;
}

/** UNSUPPORTED_HARDWARE: on a disk image, packages are part of the version. */
export function noPackages(): FaceplateError {
  return new FaceplateError(
    'UNSUPPORTED_HARDWARE',
    'This panel runs from a disk image: its Debian packages change with its version alone.',
  );
}

/** INVALID_REQUEST about the path of the package file. */
export function invalid(sentence: string): FaceplateError {
  return new FaceplateError('INVALID_REQUEST', sentence, { field: 'path' });
}

function outside(): FaceplateError {
  return new FaceplateError('FORBIDDEN', 'Only files below the folder of apps.installDir can be installed.');
}

function unreadable(error: unknown): unknown {
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  if (errno === 'ENOENT' || errno === 'ENOTDIR') {
    return new FaceplateError('NOT_FOUND', 'There is no such file in the folder of apps.installDir.');
  }
  if (errno === 'ENAMETOOLONG') return invalid('The path is too long.');
  if (errno === 'ELOOP') return outside();
  return new FaceplateError('FORBIDDEN', `The package file cannot be read: ${errnoWords(errno)}.`);
}
