import {
  chmodSync,
  copyFileSync,
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
import { type Mirrors, sourcesList } from './aptSources.ts';
import { ImageError } from './arguments.ts';
import {
  aptPins,
  goneVersions,
  type InstalledPackage,
  packageNames,
  QUERY_FORMAT,
  readInstalled,
} from './packages.ts';
import { UNNEEDED, UNREAD } from './pruning.ts';
import { runInside, type Toolbox } from './toolbox.ts';

const OVERLAY = join(import.meta.dirname, 'overlay');

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

interface RootOptions {
  readonly toolbox: Toolbox;
  readonly mirrors: Mirrors;
  /** Folder for this build alone; the tree is its `root`. */
  readonly work: string;
  /** Folder in which downloaded packages are kept. */
  readonly downloads: string;
  /** Our Debian package. */
  readonly deb: string;
  /** Versions to take again; undefined: the newest. */
  readonly pinned: readonly { name: string; version: string }[] | undefined;
  /** Seconds since 1970 that everything made now gets as its time. */
  readonly epoch: number;
}

/**
 * Installs Debian 13 with our package into `<work>/root`, with the newest versions or those that are pinned.
 * @throws ImageError naming the pinned versions that the mirrors do not have any more
 */
export async function installRoot(options: RootOptions): Promise<void> {
  const { toolbox, mirrors, work, downloads, deb, pinned, epoch } = options;
  copyFileSync(deb, join(work, 'faceplate.deb'));
  writeFileSync(join(work, 'pins'), pinned === undefined ? '' : aptPins(pinned));
  const folders = { '/build': work, '/downloads': downloads };
  const env = { SOURCE_DATE_EPOCH: String(epoch), INITRD: 'No' };
  if (pinned !== undefined) await checkPinned(pinned, options);
  const args = ['--mode=root', '--variant=minbase', '--format=directory'];
  args.push('--aptopt=APT::Install-Recommends "false"', '--aptopt=Acquire::Languages "none"');
  args.push(...UNREAD.map((path) => `--dpkgopt=path-exclude=${path}`));
  // Every work of others keeps its licence.
  args.push('--dpkgopt=path-include=/usr/share/doc/*/copyright');
  args.push('--setup-hook=copy-in /build/pins /etc/apt/preferences.d');
  // Packages are fetched once: see mmdebstrap(1).
  args.push('--skip=download/empty', '--skip=essential/unlink');
  args.push('--setup-hook=mkdir -p "$1"/var/cache/apt/archives');
  args.push('--setup-hook=sync-in /downloads /var/cache/apt/archives');
  args.push('--customize-hook=sync-out /var/cache/apt/archives /downloads');
  args.push(
    '--customize-hook=copy-in /build/faceplate.deb /tmp',
    '--customize-hook=chroot "$1" apt-get install -q -y --no-install-recommends /tmp/faceplate.deb',
    '--customize-hook=rm "$1"/tmp/faceplate.deb',
    `--include=${packageNames.join(',')}`,
    'trixie',
    '/build/root',
    '-',
  );
  await toolbox.run('mmdebstrap', args, { folders, env, input: sourcesList(mirrors) });
}

async function checkPinned(
  pinned: readonly { name: string; version: string }[],
  { toolbox, mirrors, work }: RootOptions,
): Promise<void> {
  const lists = join(work, 'lists');
  mkdirSync(join(lists, 'partial'), { recursive: true });
  writeFileSync(join(work, 'sources.list'), sourcesList(mirrors));
  const apart = [
    'Dir::Etc::sourcelist=/build/sources.list',
    'Dir::Etc::sourceparts=-',
    'Dir::State::lists=/build/lists',
  ];
  const args = apart.flatMap((option) => ['-o', option]);
  const folders = { '/build': work };
  await toolbox.run('apt-get', [...args, 'update', '-q'], { folders });
  const names = pinned.map(({ name }) => name);
  const gone = goneVersions(
    pinned,
    await toolbox.run('apt-cache', [...args, 'madison', ...names], { folders }),
  );
  rmSync(lists, { recursive: true });
  if (gone.length > 0)
    throw new ImageError(`The mirrors do not have these versions any more:\n  ${gone.join('\n  ')}`);
}

/** Lists the packages of a tree that still has dpkg's database in its place. */
export async function installedPackages(work: string): Promise<InstalledPackage[]> {
  return readInstalled(
    await runInside(join(work, 'root'), 'dpkg-query', ['--show', '--showformat', QUERY_FORMAT]),
  );
}

/**
 * Makes a panel of the installed tree: our files, its units, its initramfs.
 * @param certificate PEM of the one key whose updates it takes
 */
export async function makePanel(work: string, certificate: string, epoch: number): Promise<void> {
  const root = join(work, 'root');
  for (const path of UNNEEDED) removeMatching(root, path);
  removeLooseLinks(join(root, 'usr/lib/firmware'));
  for (const entry of readdirSync(OVERLAY, { recursive: true, withFileTypes: true })) {
    const from = join(entry.parentPath, entry.name);
    const to = join(root, from.slice(OVERLAY.length + 1));
    if (entry.isDirectory()) {
      mkdirSync(to, { recursive: true, mode: 0o755 });
      continue;
    }
    cpSync(from, to);
    // As the package does: whoever checked the sources out had a umask of their own.
    chmodSync(to, /^#!/.test(readFileSync(to, 'latin1').slice(0, 2)) ? 0o755 : 0o644);
  }
  writeFileSync(join(root, 'etc/faceplate/update-keys.pem'), certificate, { mode: 0o644 });
  for (const folder of ['data', 'boot/efi']) mkdirSync(join(root, folder), { recursive: true });
  const inside = (program: string, ...args: string[]) =>
    runInside(root, program, args, { env: { SOURCE_DATE_EPOCH: String(epoch) } });
  await inside('systemctl', 'enable', ...ENABLED);
  await inside('systemctl', 'disable', ...DISABLED);
  await inside('systemctl', 'mask', ...MASKED);
  const [kernel] = readdirSync(join(root, 'usr/lib/modules'));
  await inside('depmod', kernel!);
  await inside('update-initramfs', '-c', '-k', kernel!);
  // The names that GRUB knows.
  rmSync(join(root, 'vmlinuz.old'), { force: true });
  symlinkSync(`boot/initrd.img-${kernel}`, join(root, 'initrd.img'));
  settle(root);
  // Nothing is newer than the caches that were made here, so the first boot does not make them again.
  writeFileSync(join(root, 'etc/.updated'), `TIMESTAMP_NSEC=${epoch}000000000\n`);
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
