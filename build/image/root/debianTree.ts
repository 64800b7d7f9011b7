import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, architectureFacts } from '../architectures.ts';
import { ImageError } from '../arguments.ts';
import { type Mirrors, sourcesList } from '../packages/aptSources.ts';
import { aptPins, dependencyNames, goneVersions, packageNames, readSimulated } from '../packages/packages.ts';
import { step } from '../progress.ts';
import { runInside, type Toolbox } from '../toolbox.ts';
import { UNREAD } from './pruning.ts';

/**
 * The time of all that is made while Debian is installed, in seconds since 1970: the day of Debian 13. A cached tree must
 * not tell when it was made.
 */
const TREE_TIME = 1_754_697_600;

interface RootOptions {
  readonly toolbox: Toolbox;
  readonly arch: Architecture;
  readonly mirrors: Mirrors;
  /** Folder for this build alone; the tree is its `root`. */
  readonly work: string;
  /** Cache between builds: downloaded packages, and the Debian without our package. */
  readonly cache: string;
  /** Our Debian package. */
  readonly deb: string;
  /** Versions to take again; undefined: the newest. */
  readonly pinned: readonly { name: string; version: string }[] | undefined;
  /** Seconds since 1970 that everything made with our package gets as its time. */
  readonly epoch: number;
}

/**
 * Installs Debian 13 with our package into `<work>/root`, with the newest versions or those that are pinned. The Debian
 * without our package is cached, and reused as long as the mirrors have no other version of its packages.
 * @throws ImageError naming the pinned versions that the mirrors do not have any more
 */
export async function installRoot(options: RootOptions): Promise<void> {
  const { toolbox, arch, mirrors, work, cache, deb, pinned, epoch } = options;
  copyFileSync(deb, join(work, 'faceplate.deb'));
  writeFileSync(join(work, 'pins'), pinned === undefined ? '' : aptPins(pinned));
  writeFileSync(join(work, 'sources.list'), sourcesList(mirrors));
  const folders = { '/build': work, '/trees': join(cache, 'trees') };
  mkdirSync(folders['/trees'], { recursive: true });
  const depends = await toolbox.run('dpkg-deb', ['--field', '/build/faceplate.deb', 'Depends'], { folders });
  const names = [...new Set([...packageNames(arch), ...dependencyNames(depends)])].sort();
  const orders = debianOrders(arch, names);
  const versions = await step('Versions of the packages', () => chooseVersions(options, names));
  const name = `${arch}-${treeKey(orders, versions)}.tar.zst`;
  if (!existsSync(join(folders['/trees'], name)))
    await step('Debian 13, once for these versions', () => makeTree(options, orders, name));
  await step('Debian 13 with the package', async () => {
    const unpack = `mkdir /build/root && tar ${AS_IT_IS} --extract --file=/trees/${name} --directory=/build/root`;
    await toolbox.run('sh', ['-c', unpack], { folders });
    const root = join(work, 'root');
    copyFileSync(deb, join(root, 'tmp/faceplate.deb'));
    const env = { SOURCE_DATE_EPOCH: String(epoch), INITRD: 'No' };
    const { emulator } = toolbox;
    await runInside(root, 'dpkg', ['--install', '/tmp/faceplate.deb'], { env, emulator });
    rmSync(join(root, 'tmp/faceplate.deb'));
  });
}

/** Options of tar: owners, rights and capabilities as they are. */
const AS_IT_IS = "--numeric-owner --xattrs --xattrs-include='*' --acls --use-compress-program='zstd -T0 -3'";

/** The arguments of mmdebstrap, which reads its sources from standard input. */
function debianOrders(arch: Architecture, names: readonly string[]): string[] {
  const args = ['--mode=root', '--variant=minbase', '--format=directory', `--architectures=${arch}`];
  // It would look for an emulator of this machine; ours is there already.
  if (architectureFacts[arch].isForeign) args.push('--skip=check/qemu');
  args.push('--aptopt=APT::Install-Recommends "false"', '--aptopt=Acquire::Languages "none"');
  // What is cut off is made anew.
  args.push('--dpkgopt=force-unsafe-io');
  args.push(...UNREAD.map((path) => `--dpkgopt=path-exclude=${path}`));
  // Every work of others keeps its licence.
  args.push('--dpkgopt=path-include=/usr/share/doc/*/copyright');
  args.push('--setup-hook=copy-in /build/pins /etc/apt/preferences.d');
  // Packages are fetched once, also where the installation fails: see mmdebstrap(1).
  args.push('--skip=download/empty', '--skip=essential/unlink');
  const archives = '"$1"/var/cache/apt/archives';
  args.push(`--setup-hook=mkdir -p ${archives} && mount --bind /downloads ${archives}`);
  args.push(`--customize-hook=umount ${archives}`);
  return [...args, `--include=${names.join(',')}`, 'trixie', '/build/root', '-'];
}

function treeKey(orders: readonly string[], versions: readonly string[]): string {
  return createHash('sha256')
    .update(JSON.stringify([orders, versions, TREE_TIME]))
    .digest('hex')
    .slice(0, 16);
}

/** Installs Debian without our package, and keeps it under this name in place of the one before. */
async function makeTree(options: RootOptions, orders: readonly string[], name: string): Promise<void> {
  const { toolbox, arch, mirrors, work, cache } = options;
  const trees = join(cache, 'trees');
  const folders = { '/build': work, '/downloads': join(cache, 'downloads'), '/trees': trees };
  mkdirSync(folders['/downloads'], { recursive: true });
  const env = { SOURCE_DATE_EPOCH: String(TREE_TIME), INITRD: 'No' };
  const { emulator } = toolbox;
  writeFileSync(join(work, 'began'), '');
  await toolbox.run('mmdebstrap', orders, { folders, env, input: sourcesList(mirrors), emulator });
  const pack = [
    `find /build/root -xdev -newer /build/began -exec touch --no-dereference --date=@${TREE_TIME} {} +`,
    `tar ${AS_IT_IS} --create --one-file-system --sort=name --file=/trees/${name}.new --directory=/build/root .`,
    'rm -rf --one-file-system /build/root',
  ];
  await toolbox.run('sh', ['-ec', pack.join('\n')], { folders });
  renameSync(join(trees, `${name}.new`), join(trees, name));
  for (const other of readdirSync(trees))
    if (other.startsWith(`${arch}-`) && other !== name) rmSync(join(trees, other));
}

/**
 * Which versions apt takes for these packages, all they need and Debian's smallest set, as sorted lines.
 * @throws ImageError naming the pinned versions that the mirrors do not have any more
 */
async function chooseVersions(options: RootOptions, names: readonly string[]): Promise<string[]> {
  const { toolbox, arch, work, pinned } = options;
  const folders = { '/build': work };
  mkdirSync(join(work, 'lists/partial'), { recursive: true });
  writeFileSync(join(work, 'status'), '');
  // Apart from the sources and packages of the toolbox.
  const apart = [
    `APT::Architecture=${arch}`,
    `APT::Architectures=${arch}`,
    'APT::Install-Recommends=false',
    'Acquire::Languages=none',
    'Dir::Etc::sourcelist=/build/sources.list',
    'Dir::Etc::sourceparts=-',
    'Dir::Etc::preferences=/build/pins',
    'Dir::Etc::preferencesparts=-',
    'Dir::State::lists=/build/lists',
    'Dir::State::status=/build/status',
    'Dir::Cache::pkgcache=/build/pkgcache.bin',
    'Dir::Cache::srcpkgcache=/build/srcpkgcache.bin',
  ].flatMap((option) => ['-o', option]);
  await toolbox.run('apt-get', [...apart, 'update', '-q'], { folders });
  if (pinned !== undefined) {
    const madison = ['madison', ...pinned.map(({ name }) => name)];
    const gone = goneVersions(pinned, await toolbox.run('apt-cache', [...apart, ...madison], { folders }));
    if (gone.length > 0)
      throw new ImageError(`The mirrors do not have these versions any more:\n  ${gone.join('\n  ')}`);
  }
  const smallest = `apt-cache "$@" dumpavail | awk '/^Package:/ { name = $2 }
    /^(Priority: required|Essential: yes)$/ { print name }'`;
  const required = await toolbox.run('sh', ['-c', smallest, 'sh', ...apart], { folders });
  const wanted = new Set([...names, ...required.trim().split('\n'), 'apt']);
  return readSimulated(await toolbox.run('apt-get', [...apart, '-s', 'install', ...wanted], { folders }));
}
