import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The path of a file as it is spelled on disk, for pages made on Windows, where `Logo.PNG` and `logo.png` are one file.
 * Archives with two names that differ only in case are not installed, so there is at most one answer.
 * @param path below `folder`, with `/` between names
 * @returns the path itself when it exists or nothing fits better
 */
export async function spelledOnDisk(folder: string, path: string): Promise<string> {
  const parts = path.split('/');
  // The file server refuses names that do not point to a file below the folder.
  if (parts.some((part) => part === '' || part === '.' || part === '..' || part.includes('\0'))) return path;
  if (await exists(join(folder, path))) return path;
  const found: string[] = [];
  for (const part of parts) {
    const names = await readdir(join(folder, ...found)).catch((): string[] => []);
    const name = names.includes(part) ? part : names.find((other) => keyOf(other) === keyOf(part));
    if (name === undefined) return path;
    found.push(name);
  }
  return found.join('/');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function keyOf(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
