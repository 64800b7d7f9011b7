import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The oldest Python that a Home Assistant of this year runs on, and the one that the next Debian has. */
const PYTHON = 'python3.14';
/** The Debian that has it. */
const DEBIAN = 'forky';

/** A Home Assistant that can be started. */
export interface Installed {
  readonly version: string;
  /** A folder as the program sees it below `root`. */
  readonly root: string;
  /** Program and arguments that start a command line inside. */
  readonly inside: readonly string[];
  /** Its Python environment, as the program sees it. */
  readonly venv: string;
}

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'faceplate/home-assistant');

/** Why Home Assistant cannot be had on this machine, or false. */
export function noHomeAssistant(): string | false {
  if (hasOwnPython()) return false;
  if (process.getuid?.() !== 0) return `needs ${PYTHON}, or root to make a Debian in a folder that has it`;
  const missing = ['debootstrap', 'unshare', 'chroot'].filter((program) => !has(program));
  return missing.length > 0 && `needs ${PYTHON}, or ${missing.join(' and ')} to make a Debian that has it`;
}

/**
 * Installs the newest Home Assistant into a cache folder, unless it is there: into an environment of this machine's
 * Python, or into a Debian in a folder. It takes some minutes and a gigabyte.
 * @throws Error with what the installer printed
 */
export async function installHomeAssistant(say: (line: string) => void): Promise<Installed> {
  const marker = join(cache, 'installed.json');
  if (existsSync(marker)) return JSON.parse(readFileSync(marker, 'utf8')) as Installed;
  say(`installing Home Assistant into ${cache}, once`);
  rmSync(cache, { recursive: true, force: true });
  mkdirSync(cache, { recursive: true });
  const place = hasOwnPython() ? ownPython() : await debianInFolder(say);
  const { inside, venv } = place;
  say('its packages ...');
  await run([...inside, PYTHON, '-m', 'venv', venv]);
  await run([...inside, `${venv}/bin/pip`, 'install', '--quiet', 'uv']);
  await run([
    ...inside,
    `${venv}/bin/uv`,
    'pip',
    'install',
    '--python',
    `${venv}/bin/python`,
    'homeassistant',
  ]);
  const print = 'from homeassistant.const import __version__; print(__version__)';
  const version = (await run([...inside, `${venv}/bin/python`, '-c', print])).trim();
  const installed: Installed = { ...place, version };
  writeFileSync(marker, JSON.stringify(installed));
  say(`Home Assistant ${version} is installed`);
  return installed;
}

function ownPython(): Omit<Installed, 'version'> {
  return { root: '', inside: [], venv: join(cache, 'venv') };
}

async function debianInFolder(say: (line: string) => void): Promise<Omit<Installed, 'version'>> {
  const root = join(cache, 'root');
  say(`a Debian with ${PYTHON} ...`);
  // Its first start compiles packages for speech, without which its pages do not open.
  const include = `--include=${PYTHON},${PYTHON}-venv,${PYTHON}-dev,g++,ca-certificates`;
  // This machine's debootstrap may be older than that Debian: the script of all newer ones is the same.
  const script = '/usr/share/debootstrap/scripts/sid';
  await run(['debootstrap', '--variant=minbase', include, DEBIAN, root, '', script]);
  // The names of this machine's network, and whom it trusts.
  copyFileSync('/etc/resolv.conf', join(root, 'etc/resolv.conf'));
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  if (existsSync(join('/', certificates))) copyFileSync(join('/', certificates), join(root, certificates));
  const enter = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"';
  return { root, inside: ['unshare', '--mount', 'sh', '-c', enter, root], venv: '/home-assistant' };
}

/** @returns what it printed */
function run([program, ...args]: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-20_000);
      });
    child.once('error', reject);
    child.once('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${program} ${args.join(' ')} failed:\n${output}`)),
    );
  });
}

const hasOwnPython = () =>
  has(PYTHON) && has('g++') && spawnSync(PYTHON, ['-c', 'import venv, ensurepip']).status === 0;

const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
