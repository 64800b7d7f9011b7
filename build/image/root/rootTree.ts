import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Architecture } from '../architectures.ts';
import { type InstalledPackage, QUERY_FORMAT, readInstalled } from '../packages/packages.ts';
import { runInside, type Toolbox } from '../toolbox.ts';
import { UNNEEDED } from './pruning.ts';

const OVERLAY = join(import.meta.dirname, '../overlay');

/** Units that start by themselves, besides those that their packages enable. */
const ENABLED = [
  'faceplate-grow.service',
  'faceplate-proof.service',
  'faceplate-identity.service',
  'faceplate-virtual.service',
  'fstrim.timer',
  'nftables.service',
];
const DISABLED = ['NetworkManager-wait-online.service'];
/** Units that must never run: logins, keys that restart, changes of packages, and what would call a slot good without a proof. */
const MASKED = [
  'apt-daily-upgrade.timer',
  'apt-daily.timer',
  'console-getty.service',
  'ctrl-alt-del.target',
  'dpkg-db-backup.timer',
  'e2scrub_all.timer',
  'e2scrub_reap.service',
  'getty@.service',
  'rauc-mark-good.service',
  'serial-getty@.service',
  'systemd-firstboot.service',
  'systemd-machine-id-commit.service',
];

interface PanelOptions {
  readonly toolbox: Toolbox;
  readonly arch: Architecture;
  /** Folder of this build; the tree is its `root`. */
  readonly work: string;
  /** PEM of the one key whose updates it takes. */
  readonly certificate: string;
  /** Seconds since 1970 that everything made now gets as its time. */
  readonly epoch: number;
}

/** Lists the packages of a tree that still has dpkg's database in its place. */
export async function installedPackages(toolbox: Toolbox, work: string): Promise<InstalledPackage[]> {
  const args = ['--admindir=/build/root/var/lib/dpkg', '--show', '--showformat', QUERY_FORMAT];
  return readInstalled(await toolbox.run('dpkg-query', args, { folders: { '/build': work } }));
}

/**
 * Makes a panel of the installed tree: our files, its units, its initramfs.
 */
export async function makePanel(options: PanelOptions): Promise<void> {
  const { toolbox, arch, work, certificate, epoch } = options;
  const root = join(work, 'root');
  for (const path of UNNEEDED) removeMatching(root, path);
  removeLooseLinks(join(root, 'usr/lib/firmware'));
  layOver(root, OVERLAY);
  // Files of this architecture take the place of those of all.
  const own = `${OVERLAY}-${arch}`;
  if (existsSync(own)) layOver(root, own);
  nameBoard(root, arch);
  writeFileSync(join(root, 'etc/faceplate/update-keys.pem'), certificate, { mode: 0o644 });
  for (const folder of ['data', 'boot/efi']) mkdirSync(join(root, folder), { recursive: true });
  const env = { SOURCE_DATE_EPOCH: String(epoch) };
  // By the programs of the toolbox, where they can: those of the tree may have to be emulated.
  const from = (program: string, ...args: string[]) =>
    toolbox.run(program, args, { folders: { '/build': work }, env });
  await from('systemctl', '--root=/build/root', 'enable', ...ENABLED);
  await from('systemctl', '--root=/build/root', 'disable', ...DISABLED);
  await from('systemctl', '--root=/build/root', 'mask', ...MASKED);
  const [kernel] = readdirSync(join(root, 'usr/lib/modules'));
  await from('depmod', '--basedir=/build/root', kernel!);
  await runInside(root, 'update-initramfs', ['-c', '-k', kernel!], { env, emulator: toolbox.emulator });
  // The names that GRUB knows.
  rmSync(join(root, 'vmlinuz.old'), { force: true });
  symlinkSync(`boot/initrd.img-${kernel}`, join(root, 'initrd.img'));
  settle(root);
  // Nothing is newer than the caches that were made here, so the first boot does not make them again.
  writeFileSync(join(root, 'etc/.updated'), `TIMESTAMP_NSEC=${epoch}000000000\n`);
}

/** Copies the files of an overlay into the tree. */
function layOver(root: string, overlay: string): void {
  for (const entry of readdirSync(overlay, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const to = join(root, from.slice(overlay.length + 1));
    if (entry.isDirectory()) {
      mkdirSync(to, { recursive: true, mode: 0o755 });
      continue;
    }
    cpSync(from, to);
    // As the package does: the umask of the checkout may differ.
    chmodSync(to, /^#!/.test(readFileSync(to, 'latin1').slice(0, 2)) ? 0o755 : 0o644);
  }
}

/** Says to RAUC whose bundles it takes. */
function nameBoard(root: string, arch: Architecture): void {
  const path = join(root, 'etc/rauc/system.conf');
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace(/^compatible=.*$/m, `compatible=faceplate-${arch}`));
}

/** Gives the service in the tree the version of the image: a bundle and what runs from it say the same. */
export function nameVersion(work: string, version: string): void {
  const path = join(work, 'root/usr/lib/faceplate/package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, `${JSON.stringify({ ...manifest, version }, null, 2)}\n`);
}

/** Removes what belongs to one machine or one day, and lets /var start on the data partition. */
function settle(root: string): void {
  const inRoot = (path: string) => join(root, path);
  for (const path of [
    'etc/apt',
    'etc/.pwd.lock',
    'etc/group-',
    'etc/gshadow-',
    'etc/passwd-',
    'etc/shadow-',
    'etc/subgid-',
    'etc/subuid-',
    'etc/machine-id',
    'etc/hostname',
    'etc/resolv.conf',
    'var/backups',
    'var/cache',
    'var/lib/apt',
    'var/lib/dbus/machine-id',
    'var/lib/initramfs-tools',
    'var/lib/systemd/random-seed',
    'var/log',
    'var/tmp',
  ])
    rmSync(inRoot(path), { recursive: true, force: true });
  writeFileSync(inRoot('etc/machine-id'), '');
  writeFileSync(inRoot('etc/hostname'), 'faceplate\n');
  symlinkSync('/run/NetworkManager/resolv.conf', inRoot('etc/resolv.conf'));
  // What is installed belongs to the version, not to the data.
  renameSync(inRoot('var/lib/dpkg'), inRoot('usr/lib/dpkg-database'));
  symlinkSync('/usr/lib/dpkg-database', inRoot('var/lib/dpkg'));
  mkdirSync(inRoot('usr/share/factory'), { recursive: true });
  rmSync(inRoot('usr/share/factory/var'), { recursive: true, force: true });
  cpSync(inRoot('var'), inRoot('usr/share/factory/var'), { recursive: true, verbatimSymlinks: true });
}

/** Removes links that lead to what was removed. */
function removeLooseLinks(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isSymbolicLink() && !existsSync(path)) rmSync(path);
  }
}

/** Removes what a pattern of slashes and single stars names. */
function removeMatching(root: string, pattern: string): void {
  const visit = (folder: string, [first, ...rest]: readonly string[]): void => {
    if (first === undefined) {
      rmSync(folder, { recursive: true, force: true });
      return;
    }
    const fits = new RegExp(`^${first.replace(/[.+]/g, '\\$&').replaceAll('*', '[^/]*')}$`);
    let names: string[];
    try {
      names = readdirSync(folder).filter((name) => fits.test(name));
    } catch {
      return;
    }
    for (const name of names) visit(join(folder, name), rest);
  };
  visit(root, pattern.split('/'));
}
