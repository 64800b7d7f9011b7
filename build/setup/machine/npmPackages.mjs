// Runs before any package is installed: Node's own modules only, and nothing newer than Node 20.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withProgress } from './progress.mjs';
import { SetupError } from './setupError.mjs';

/** Written after a complete install; holds the hash of the lock file it was made from. */
const STAMP = '.faceplate-lock';

/**
 * Makes `node_modules` match package-lock.json with `npm ci`; does nothing if it already matches.
 * @param {string} root folder of package.json
 * @param {(line: string) => void} say
 * @returns {Promise<string[]>} the files that decide it, from `root`; none where they do not
 */
export async function ensureNpmPackages(root, say) {
  const modules = join(root, 'node_modules');
  // A linked node_modules belongs to another checkout, and npm ci would empty that one.
  if (isLink(modules)) {
    say('node_modules is a link: its packages are left as they are.');
    return [];
  }
  const stamp = join(modules, STAMP);
  const decide = ['package-lock.json', join('node_modules', STAMP)];
  const wanted = lockHash(root);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return decide;
  say('Installing the npm packages of package-lock.json (about 430 MB on disk) ...');
  rmSync(stamp, { force: true });
  const words = { doing: 'installing npm packages', done: 'npm packages installed', say };
  await withProgress(words, () => runNpm(root, ['ci', '--loglevel=error', '--no-progress']));
  writeFileSync(stamp, wanted);
  return decide;
}

/**
 * The Node 24 from the packages, or this one if it is new enough.
 * @param {string} root
 * @returns {string} path of the program
 */
export function findNode24(root) {
  const bundled = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(bundled)) return bundled;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  const offered = process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch);
  throw new SetupError(
    offered
      ? 'node_modules is not complete: it holds no Node 24. Remove the folder and run the command again.'
      : `Node 24 comes as an npm package for Linux on x64 and arm64 only, and this machine is ${process.platform} ${process.arch}. ` +
          'Install Node 24 yourself and run the command again.',
  );
}

/** What `ensureNpmPackages` writes when all is installed: the lock file and the machine, as one hash. */
export function lockHash(root) {
  // The machine counts too: a folder copied to another processor has the wrong binaries.
  const machine = `${process.platform} ${process.arch}\n`;
  return createHash('sha256')
    .update(machine)
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
}

function isLink(path) {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
}

/**
 * npm tells its scripts which npm runs them; without it (node build/setup/start.mjs) the npm in the PATH is used.
 * @returns {[program: string, first: string[]]} the program, and its first arguments
 */
export function npmCommand() {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script]] : ['npm', []];
}

async function runNpm(root, args) {
  const [program, first] = npmCommand();
  const child = spawn(program, [...first, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (exitCode) => resolve(exitCode));
  });
  if (code !== 0) {
    throw new SetupError(
      `npm ${args[0]} failed (see its messages above). The network or the registry may be down: run the command again.`,
    );
  }
}
