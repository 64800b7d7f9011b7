import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Architecture, architectureFacts } from '../architectures.ts';
import type { Toolbox } from '../toolbox.ts';
import { GRUB_MODULES } from './grub.ts';
import { grubenv, NEW_IMAGE } from './grubenv.ts';

const GRUB_CFG = join(import.meta.dirname, 'grub.cfg');

/** Types of GPT partitions (UEFI; Discoverable Partitions Specification for `linux`: no system mounts it by itself). */
const TYPES = {
  efi: 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B',
  linux: '0FC63DAF-8483-4772-8E79-3D69D8477DE4',
} as const;

interface Partition {
  readonly name: string;
  readonly mib: number;
  readonly type: string;
  readonly uuid: string;
}

/** The partitions in their order; sizes in MiB. The first boot gives `data` the rest of the disk. */
export const partitions: readonly Partition[] = [
  { name: 'boot', mib: 128, type: TYPES.efi, uuid: '0f6c5a52-6c1e-4b7e-9d0a-2f0c00000001' },
  { name: 'root-a', mib: 2560, type: TYPES.linux, uuid: '0f6c5a52-6c1e-4b7e-9d0a-2f0c00000002' },
  { name: 'root-b', mib: 2560, type: TYPES.linux, uuid: '0f6c5a52-6c1e-4b7e-9d0a-2f0c00000003' },
  { name: 'data', mib: 256, type: TYPES.linux, uuid: '0f6c5a52-6c1e-4b7e-9d0a-2f0c00000004' },
];
// The same for every image: the same input makes the same bytes.
const DISK_UUID = '0f6c5a52-6c1e-4b7e-9d0a-2f0c00000000';
const ROOT_UUID = '5d1c8a0e-93b4-4f53-8a37-2f0c0000000a';
const DATA_UUID = '5d1c8a0e-93b4-4f53-8a37-2f0c0000000d';
/** The partition table takes the first and the last MiB. */
const TABLE_MIB = 1;

/** Makes files with the three file systems in `work` from its `root`: boot.fat, root.ext4, data.ext4. */
export async function makeFileSystems(
  toolbox: Toolbox,
  arch: Architecture,
  work: string,
  epoch: number,
): Promise<void> {
  const options = { folders: { '/build': work }, env: { SOURCE_DATE_EPOCH: String(epoch), TZ: 'UTC' } };
  const size = (name: string) => `${partitions.find((partition) => partition.name === name)!.mib}M`;
  // By an archive: its order and times are ours, those of a folder are not.
  const tar = [
    'tar --create --directory=/build/root --sort=name --numeric-owner --xattrs --one-file-system',
    '--format=posix --pax-option=delete=atime,delete=ctime --exclude=./dev/* --exclude=./proc/*',
    '--exclude=./sys/* --exclude=./run/* --exclude=./tmp/* --exclude=./var/* --clamp-mtime',
    '--mtime="@$SOURCE_DATE_EPOCH" .',
  ].join(' ');
  // Without features that GRUB cannot read. A root that is only read needs no journal and no room for root alone.
  const ext4 = `mke2fs -q -F -t ext4 -b 4096 -m 0 -O ^has_journal,^metadata_csum_seed,^orphan_file,^resize_inode`;
  const ids = `-U ${ROOT_UUID} -E hash_seed=${ROOT_UUID},nodiscard -L root`;
  const fill = `set -o pipefail; ${tar} | ${ext4} ${ids} -d - /build/root.ext4 ${size('root-a')}`;
  await toolbox.run('bash', ['-c', fill], options);

  mkdirSync(join(work, 'empty'), { recursive: true });
  const data = ['-q', '-F', '-t', 'ext4', '-T', 'default', '-b', '4096', '-i', '16384', '-m', '1'];
  data.push('-J', 'size=32', '-U', DATA_UUID, '-L', 'data', '-E', `hash_seed=${DATA_UUID},nodiscard`);
  await toolbox.run('mke2fs', [...data, '/build/data.ext4', size('data')], options);

  await makeBoot(toolbox, arch, work, options, size('boot'));
}

async function makeBoot(
  toolbox: Toolbox,
  arch: Architecture,
  work: string,
  options: Parameters<Toolbox['run']>[2],
  size: string,
): Promise<void> {
  const { platform, file } = architectureFacts[arch].grub;
  const image = ['-O', platform, '-o', `/build/${file}`, '-p', '/EFI/BOOT'];
  await toolbox.run('grub-mkimage', [...image, ...GRUB_MODULES], options);
  copyFileSync(GRUB_CFG, join(work, 'grub.cfg'));
  writeFileSync(join(work, 'grubenv'), grubenv(NEW_IMAGE));
  await toolbox.run('truncate', ['-s', size, '/build/boot.fat'], options);
  await toolbox.run(
    'mkfs.vfat',
    ['-F', '32', '-n', 'BOOT', '-i', 'FACEB007', '--invariant', '/build/boot.fat'],
    options,
  );
  const folders = ['-i', '/build/boot.fat', '::EFI', '::EFI/BOOT'];
  await toolbox.run('mmd', folders, options);
  const files = [file, 'grub.cfg', 'grubenv'].map((name) => `/build/${name}`);
  await toolbox.run('mcopy', ['-i', '/build/boot.fat', ...files, '::EFI/BOOT/'], options);
}

/** Puts the file systems of `work` into `work`/disk.img, root-a alone filled, behind a partition table. */
export async function makeDisk(toolbox: Toolbox, work: string): Promise<void> {
  const options = { folders: { '/build': work } };
  const total = partitions.reduce((sum, { mib }) => sum + mib, 2 * TABLE_MIB);
  await toolbox.run('truncate', ['-s', `${total}M`, '/build/disk.img'], options);
  const table = partitions.map(
    ({ name, mib, type, uuid }) => `name=${name}, size=${mib}MiB, type=${type}, uuid=${uuid}\n`,
  );
  const input = `label: gpt\nlabel-id: ${DISK_UUID}\n${table.join('')}`;
  await toolbox.run('sfdisk', ['--quiet', '/build/disk.img'], { ...options, input });
  const filled: Readonly<Record<string, string>> = {
    boot: 'boot.fat',
    'root-a': 'root.ext4',
    data: 'data.ext4',
  };
  let at = TABLE_MIB;
  for (const { name, mib } of partitions) {
    const file = filled[name];
    const place = ['of=/build/disk.img', 'bs=1M', `seek=${at}`, 'conv=notrunc,sparse', 'status=none'];
    if (file !== undefined) await toolbox.run('dd', [`if=/build/${file}`, ...place], options);
    at += mib;
  }
}
