// Runs after the npm packages are installed, but before anything is bundled: Node's own modules only.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { withProgress } from '../machine/progress.mjs';
import { SetupError } from '../machine/setupError.mjs';

/**
 * Electron's program, if present: below ELECTRON_OVERRIDE_DIST_PATH, or fetched by the npm package.
 * @param {string} root folder of node_modules
 * @param {NodeJS.ProcessEnv} env
 * @returns {string | undefined}
 */
export function findElectron(root, env = process.env) {
  const folder = join(root, 'node_modules/electron');
  if (env.ELECTRON_OVERRIDE_DIST_PATH) {
    const program = join(env.ELECTRON_OVERRIDE_DIST_PATH, 'electron');
    return existsSync(program) ? program : undefined;
  }
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const program = join(folder, 'dist/electron');
    return electronVersion(program) === version && existsSync(program) ? program : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The version that the file beside a program tells.
 * @param {string} program
 * @returns {string | undefined} such as 33.2.1
 */
export function electronVersion(program) {
  try {
    const text = readFileSync(join(dirname(program), 'version'), 'utf8');
    return /^v?(\d+\.\d+\.\d+\S*)\s*$/.exec(text)?.[1];
  } catch {
    return undefined;
  }
}

/**
 * Electron's program; where it is missing it is fetched by the npm package's own installer, which compares the archive
 * with the SHA-256 of the package's list. Only reached when Electron was requested by name.
 * @param {{ root: string, node: string, say: (line: string) => void, env?: NodeJS.ProcessEnv, everyMs?: number }} options
 * `node`: a Node 24; `everyMs`: how often the progress is printed
 * @returns {Promise<string>}
 */
export async function fetchElectron({ root, node, say, env = process.env, everyMs }) {
  const present = findElectron(root, env);
  if (present !== undefined) return present;
  if (env.ELECTRON_OVERRIDE_DIST_PATH)
    throw new SetupError(`There is no program "electron" in ${env.ELECTRON_OVERRIDE_DIST_PATH}.`);
  say('Fetching the Electron binary (about 110 MB) ...');
  const words = { doing: 'fetching the Electron binary', done: 'Electron binary fetched', say, everyMs };
  return withProgress(words, async () => {
    const { code, errors } = await install(root, node, env);
    const program = findElectron(root, env);
    if (code === 0 && program !== undefined) return program;
    const line = errors.split('\n').find((text) => /error/i.test(text)) ?? 'no reason was given';
    throw new SetupError(
      `The Electron binary could not be fetched (${line.trim().slice(0, 300)}). Nothing was installed. Use --host chromium, set ELECTRON_MIRROR, or give a folder that holds it by ELECTRON_OVERRIDE_DIST_PATH.`,
    );
  });
}

async function install(root, node, env) {
  const child = spawn(node, [join(root, 'node_modules/electron/install.js')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: withOwnChecksums(env),
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, errors };
}

/** No environment variable may make the installer trust the download server's own list. */
function withOwnChecksums(env) {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(npm_config_)?electron_use_remote_checksums$/i.test(name)),
  );
}
