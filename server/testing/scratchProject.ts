import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { applyHunk, type Step } from './addingGuide.ts';

const root = join(import.meta.dirname, '../..');

/** What a program printed, both streams, and how it ended. */
interface Outcome {
  readonly output: string;
  readonly code: number | null;
}

/** A copy of this project in a temporary folder, to change. It shares the packages with the project. */
export class ScratchProject implements AsyncDisposable {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Copies all that .gitignore does not name. */
  static async create(): Promise<ScratchProject> {
    const folder = await mkdtemp(join(tmpdir(), 'faceplate-scratch-'));
    const ignored = (await readFile(join(root, '.gitignore'), 'utf8')).split('\n');
    const left = new Set(['.git', ...ignored].filter((name) => name !== '').map((name) => join(root, name)));
    await cp(root, folder, { recursive: true, filter: (path) => !left.has(path) });
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    return new ScratchProject(folder);
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  read(file: string): Promise<string> {
    return readFile(this.path(file), 'utf8');
  }

  async write(file: string, text: string): Promise<void> {
    await mkdir(dirname(this.path(file)), { recursive: true });
    await writeFile(this.path(file), text);
  }

  /** Writes the new files of a guide and changes the others. */
  async follow(steps: readonly Step[]): Promise<void> {
    for (const { kind, path, text, hunks } of steps) {
      if (kind === 'new') await this.write(path, text);
      if (kind !== 'edited') continue;
      const before = await this.read(path);
      await this.write(
        path,
        hunks.reduce((changed, hunk) => applyHunk(path, changed, hunk), before),
      );
    }
  }

  /** Sets the files of a guide back to those of the project. */
  async restore(steps: readonly Step[]): Promise<void> {
    for (const { path, kind } of steps) {
      if (kind === 'new') await rm(this.path(path), { force: true });
      else await cp(join(root, path), this.path(path));
    }
  }

  /** Runs a script of the copy with this very Node. */
  async node(...args: readonly string[]): Promise<Outcome> {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    const child = spawn(process.execPath, args, { cwd: this.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { output, code };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
