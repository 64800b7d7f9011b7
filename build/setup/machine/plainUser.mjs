// Electron does not run as root: root's tests of it run as a plain user, who may not even read root's checkout. Node's own
// modules only, and nothing newer than Node 20.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from './setupError.mjs';

/** The user without any rights of Debian, and of other systems. */
const NAME = 'nobody';

/**
 * @typedef {object} PlainUser
 * @property {number} uid
 * @property {number} gid
 * @property {string} name
 */

/** @returns {PlainUser} */
export function plainUser() {
  const id = (what) => Number(execFileSync('id', [what, NAME], { encoding: 'utf8' }));
  return { name: NAME, uid: id('-u'), gid: id('-g') };
}

/**
 * The environment without what belongs to the session or to the npm of the caller.
 * @param {NodeJS.ProcessEnv} env
 * @returns {NodeJS.ProcessEnv}
 */
export function withoutSession(env) {
  const others = /^(npm_|XDG_|DBUS_|SUDO_|SSH_|WAYLAND_|XAUTHORITY$|INIT_CWD$|MAIL$|NODE_COMPILE_CACHE$)/i;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !others.test(name)));
}

/**
 * Copies a checkout for another user: what git knows or would take, and the installed packages as hard links, which cost
 * no space. The files of the packages still belong to the caller: no other user may change them.
 * @param {string} root
 * @param {string} to does not exist yet
 * @param {Pick<PlainUser, 'uid' | 'gid'>} user
 */
export function copyCheckout(root, to, { uid, gid }) {
  mkdirSync(to);
  chownSync(to, uid, gid);
  for (const file of filesOf(root)) {
    const [from, place] = [join(root, file), join(to, file)];
    const stat = lstatSync(from, { throwIfNoEntry: false });
    // Deleted, but git still knows it; or a checkout of its own inside.
    if (stat === undefined || stat.isDirectory()) continue;
    for (const folder of newFolders(dirname(place))) {
      mkdirSync(folder);
      chownSync(folder, uid, gid);
    }
    if (stat.isSymbolicLink()) symlinkSync(readlinkSync(from), place);
    else {
      copyFileSync(from, place);
      chownSync(place, uid, gid);
    }
  }
  const modules = join(to, 'node_modules');
  linkAll(realpathSync(join(root, 'node_modules')), modules);
  // Tools keep their caches there.
  chownSync(modules, uid, gid);
}

function filesOf(root) {
  try {
    // The checkout may be another user's.
    const args = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: 'pipe' })
      .split('\0')
      .filter((name) => name !== '');
  } catch (error) {
    throw new SetupError(
      `As root the tests of Electron run on a copy of the checkout, and git cannot list its files (${error.message.split('\n').slice(0, 2).join(' ')}): run them as another user.`,
    );
  }
}

/** Folders that have to be made, the outermost first. */
function newFolders(folder) {
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? [...newFolders(dirname(folder)), folder]
    : [];
}

/** Hard links; copies where there can be none, or where others may not read the file. */
function linkAll(from, to) {
  mkdirSync(to);
  chmodSync(to, 0o755);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    // Made anew by tools; partly readable only by who ran them.
    if (entry.name === '.cache') continue;
    if (entry.isDirectory()) linkAll(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.isFile()) linkOrCopy(source, target);
  }
}

function linkOrCopy(source, target) {
  const { mode } = lstatSync(source);
  const forAll = mode | ((mode & 0o700) >> 6) | ((mode & 0o500) >> 3);
  const isForAll = (mode & 0o005) === (mode & 0o500) >> 6;
  if (isForAll) {
    try {
      linkSync(source, target);
      return;
    } catch (error) {
      // Another file system, one without links, or a file with too many.
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(error.code)) throw error;
    }
  }
  copyFileSync(source, target);
  chmodSync(target, forAll & 0o755);
}
