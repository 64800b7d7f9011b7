import { execFile } from 'node:child_process';
import { access, cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './temporaryFolder.ts';

const BUILD_LIMIT_MS = 10 * 60_000;

const run = promisify(execFile);

/** A program in Go, as the module proxy has it. */
interface GoProgram {
  readonly name: string;
  readonly module: string;
  /** One exact version: not every module proxy has the list of all. */
  readonly version: string;
  /** Its folder in the module; without it the module's own. */
  readonly folder?: string;
  /** Files that its authors make before they build, by path; the module does not hold them. */
  readonly madeFiles?: Readonly<Record<string, string>>;
  /** What is replaced in its files, where it does not build as the proxy has it; `go.sum` follows. */
  readonly edits?: readonly Edit[];
}

interface Edit {
  readonly path: string;
  readonly from: string | RegExp;
  readonly to: string;
}

/**
 * Builds a program once for this machine, outside the repository.
 * @returns its path @throws Error with a sentence that says why it is not available here
 */
export async function buildGoProgram(program: GoProgram): Promise<string> {
  const { name, module, version, folder: part = '.', madeFiles = {}, edits = [] } = program;
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'faceplate-bench');
  const path = join(cache, `${name}-${version}`);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  const { stdout } = await run('go', ['env', 'GOVERSION']).catch(() => ({ stdout: '' }));
  const [, minor = '0'] = /^go1\.(\d+)/.exec(stdout) ?? [];
  if (Number(minor) < 24) throw new Error(`${name} is left out: it is built with Go 1.24 or newer.`);
  const folder = temporaryFolder(`${name}`);
  const source = join(folder, 'source');
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false -mod=mod' };
  try {
    const options = { cwd: folder, env, timeout: BUILD_LIMIT_MS };
    const { stdout: found } = await run('go', ['mod', 'download', '-json', `${module}@${version}`], options);
    // A copy: the modules that Go keeps are not to be written in.
    await cp((JSON.parse(found) as { Dir: string }).Dir, source, { recursive: true });
    await run('chmod', ['-R', 'u+w', source]);
    for (const [file, text] of Object.entries(madeFiles)) {
      await mkdir(dirname(join(source, file)), { recursive: true });
      await writeFile(join(source, file), text);
    }
    for (const { path: file, from, to } of edits) {
      const text = await readFile(join(source, file), 'utf8');
      await writeFile(join(source, file), text.replace(from, to));
    }
    const built = join(folder, name);
    await run('go', ['build', '-o', built, `./${part}`], { ...options, cwd: source });
    await mkdir(cache, { recursive: true });
    await rename(built, path).catch(async () => void (await run('cp', [built, path])));
    return path;
  } catch (error) {
    const said = String((error as { stderr?: string }).stderr ?? error).trim();
    throw new Error(`${name} is left out: its build failed (${said.split('\n').at(-1)}).`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
