import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const root = join(import.meta.dirname, '../../..');

/** The program as a panel has it, in a folder of its own. */
export interface Bundled extends AsyncDisposable {
  readonly main: string;
  /** The same in Electron's main process. */
  readonly electronMain: string;
  /** What the unit of the package gives to Node. */
  readonly env: Readonly<Record<string, string>>;
}

export async function bundled(): Promise<Bundled> {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-bundled-'));
  // Electron, which refuses root, reads it as another user.
  await chmod(folder, 0o755);
  const args = ['--disable-warning=ExperimentalWarning', join(root, 'build/bundle/bundle.ts'), folder];
  await promisify(execFile)(process.execPath, args, { cwd: root });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    main: join(folder, 'server/main.js'),
    electronMain: join(folder, 'electron/main.js'),
    env: { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_OPTIONS: await flagsOfUnit() },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @returns Node's flags in the unit of the package */
async function flagsOfUnit(): Promise<string> {
  const unit = await readFile(join(root, 'build/linux/systemd/faceplate.service'), 'utf8');
  return /^ExecStart=\S+ (--.*) \S+$/m.exec(unit)![1]!;
}
