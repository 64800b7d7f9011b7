import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tree } from './layers.ts';

const run = promisify(execFile);

/** The text of every file that is, or would be, in git: tracked and new ones, without ignored ones. */
export async function readTree(root: string): Promise<Tree> {
  const files = await gitFiles(root).catch(() => folderFiles(root, ''));
  const there = files.filter((file) => existsSync(join(root, file)));
  return new Map(there.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
}

async function gitFiles(root: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = await run('git', args, { cwd: root });
  return stdout.split('\0').filter((file) => file !== '');
}

/** Where there is no git, or this is no checkout of it: everything but what .gitignore names. */
function folderFiles(root: string, folder: string): string[] {
  const ignored = ['.git', ...readFileSync(join(root, '.gitignore'), 'utf8').split('\n')];
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !ignored.includes(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? folderFiles(root, path) : [path];
    });
}
