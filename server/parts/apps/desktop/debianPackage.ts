import { spawn } from 'node:child_process';
import { FaceplateError } from '../../../contract/errors.ts';
import { invalid } from '../packageFile.ts';
import { parseDesktopEntry } from './desktopEntry.ts';
import { SYSTEM_PATH } from './environment.ts';
import { idOf, readApplication } from './find.ts';
import { reasonOf, runTool, type ToolOutcome } from './runTool.ts';
import { readTar } from './tar.ts';

/** The facts in a .deb file. */
export interface DebianFile {
  readonly path: string;
  readonly packageName: string;
  /** Desktop entries that can be shown: id, and the file it will be. */
  readonly entries: readonly { readonly id: string; readonly file: string }[];
}

const LOOK_TIMEOUT_MS = 60_000;
const APT_ENVIRONMENT = { DEBIAN_FRONTEND: 'noninteractive', HOME: '/root' };
/** Seconds to wait while another program uses the package manager, and the settings of an unattended run. */
const APT_OPTIONS = [
  '-y',
  '-o',
  'DPkg::Lock::Timeout=60',
  '-o',
  'Dpkg::Options::=--force-confdef',
  '-o',
  'Dpkg::Options::=--force-confold',
];
const INSTALL_OPTIONS = ['--no-install-recommends', '--reinstall'];
/** Where a package puts entries that a session finds (Debian policy 9.6). */
const ENTRY_FILE = /^usr\/(?:local\/)?share\/applications\/(.+\.desktop)$/;

/** The name of the package in a file. @throws FaceplateError INVALID_REQUEST */
export async function packageNameOf(path: string): Promise<string> {
  const packageName = await fieldOf(path, 'Package');
  if (!/^[a-z0-9][a-z0-9+.-]+$/.test(packageName)) throw invalid('The file is not a Debian package.');
  return packageName;
}

/** A field of a package file; empty where it has none. @throws FaceplateError INVALID_REQUEST */
export async function fieldOf(path: string, field: 'Package' | 'Version'): Promise<string> {
  const outcome = await runTool('dpkg-deb', ['--field', path, field], { timeoutMs: LOOK_TIMEOUT_MS });
  if (outcome.exitCode !== 0) throw invalid('The file is not a Debian package.');
  return outcome.output.trim();
}

/** Looks into a package file without installing it. @throws FaceplateError INVALID_REQUEST */
export async function inspectDebianFile(path: string): Promise<DebianFile> {
  const packageName = await packageNameOf(path);
  const entries = (await entryMembers(path)).flatMap(({ name, content, isLink }) => {
    const id = idOf(ENTRY_FILE.exec(name)![1]!.replaceAll('/', '-'));
    if (id === undefined) return [];
    const entry = isLink ? null : parseDesktopEntry(Buffer.from(content).toString('utf8'));
    const file = `/${name}`;
    const folder = { path: '/usr/share/applications', origin: 'system', trees: [] } as const;
    // The target of a link is not known before the package is unpacked.
    const isShown = isLink || (entry && readApplication(entry, { id, file, folder, locale: '' }));
    return isShown ? [{ id, file }] : [];
  });
  if (entries.length === 0) {
    throw invalid('The package has no program that a person could start (no desktop entry that is shown).');
  }
  return { path, packageName, entries };
}

/** @returns whether a package is installed, by Faceplate or not. */
export async function isInstalled(packageName: string): Promise<boolean> {
  const { exitCode, output } = await runTool('dpkg-query', ['--status', packageName], {
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  return exitCode === 0 && /^Status: \S+ \S+ installed$/m.test(output);
}

/** Packages that own a file, as `name` or `name:architecture` (dpkg-query(1), --search). */
export async function ownersOf(path: string): Promise<string[]> {
  const { exitCode, output } = await runTool('dpkg-query', ['--search', path], {
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  if (exitCode !== 0) return [];
  return output
    .split('\n')
    .filter((line) => line.endsWith(`: ${path}`) && !line.startsWith('diversion by '))
    .flatMap((line) => line.slice(0, -`: ${path}`.length).split(', '));
}

/**
 * Installs a package file and its dependencies, after a dry run.
 * @param mayDowngrade also replaces a newer version with an older one
 * @throws FaceplateError CONFLICT (other packages would be removed, or the package manager is in use), HARDWARE_ERROR
 */
export async function aptInstall(path: string, mayDowngrade: boolean): Promise<void> {
  await aptDryRun(path, mayDowngrade);
  await apt(['--no-remove', ...installArguments(path, mayDowngrade)]);
}

/**
 * Whether a package file could be installed, without changing anything; needs no root.
 * @throws FaceplateError CONFLICT (other packages would be removed), HARDWARE_ERROR
 */
export async function aptDryRun(path: string, mayDowngrade: boolean): Promise<void> {
  const goes = removedBy(await dryRun(installArguments(path, mayDowngrade)));
  if (goes.length > 0) throw wouldRemove('Installing this package', goes);
}

function installArguments(path: string, mayDowngrade: boolean): string[] {
  return [...INSTALL_OPTIONS, ...(mayDowngrade ? ['--allow-downgrades'] : []), 'install', path];
}

/**
 * Removes one package, after a dry run that shows that no other package is removed with it.
 * @param packageName as of `ownersOf`
 * @throws FaceplateError CONFLICT, HARDWARE_ERROR
 */
export async function aptRemove(packageName: string): Promise<void> {
  const args = ['remove', packageName];
  const plan = await dryRun(args);
  const bare = withoutArchitecture(packageName);
  const others = removedBy(plan).filter((name) => withoutArchitecture(name) !== bare);
  if (others.length > 0) throw wouldRemove(`Removing ${bare}`, others);
  if (/^Inst /m.test(plan)) {
    throw new FaceplateError('CONFLICT', `Removing ${bare} would install other packages in its place.`);
  }
  await apt(args);
}

export function withoutArchitecture(packageName: string): string {
  return packageName.replace(/:.*$/, '');
}

async function dryRun(args: readonly string[]): Promise<string> {
  const outcome = await runTool('apt-get', ['-s', ...APT_OPTIONS, ...args], {
    env: APT_ENVIRONMENT,
    timeoutMs: LOOK_TIMEOUT_MS,
  });
  if (outcome.exitCode !== 0) throw aptFailed(outcome);
  return outcome.output;
}

async function apt(args: readonly string[]): Promise<void> {
  const outcome = await runTool('apt-get', [...APT_OPTIONS, ...args], { env: APT_ENVIRONMENT });
  if (outcome.exitCode !== 0) throw aptFailed(outcome);
}

function removedBy(plan: string): string[] {
  return [...plan.matchAll(/^(?:Remv|Purg) (\S+)/gm)].map(([, name]) => name!);
}

function wouldRemove(what: string, packages: readonly string[]): FaceplateError {
  const names = packages.slice(0, 5).join(', ') + (packages.length > 5 ? ' and more' : '');
  return new FaceplateError('CONFLICT', `${what} would also remove ${names}. Nothing was changed.`);
}

function aptFailed(outcome: ToolOutcome): FaceplateError {
  if (outcome.output.includes('Could not get lock')) {
    return new FaceplateError('CONFLICT', 'Another program is installing packages. Try again later.');
  }
  const unmet = /^.*\b(?:Pre-)?Depends: .*$/m.exec(outcome.output)?.[0].trim().slice(0, 300);
  return new FaceplateError('HARDWARE_ERROR', `apt-get refused: ${unmet ?? reasonOf(outcome)}.`);
}

/** The desktop entries in a package file, read from its data archive as it streams by. */
async function entryMembers(path: string) {
  const child = spawn('dpkg-deb', ['--fsys-tarfile', path], {
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/',
    env: { PATH: SYSTEM_PATH, LC_ALL: 'C.UTF-8' },
    timeout: LOOK_TIMEOUT_MS,
    killSignal: 'SIGKILL',
  });
  const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  try {
    return await readTar(child.stdout, (name) => ENTRY_FILE.test(name), {
      maxBytes: 1024 * 1024,
      maxMembers: 64,
    });
  } catch (error) {
    throw new FaceplateError('INVALID_REQUEST', 'The Debian package is damaged.', {
      field: 'path',
      cause: error,
    });
  } finally {
    child.stdout.destroy();
    child.kill('SIGKILL');
    await ended;
  }
}
