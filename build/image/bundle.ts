import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Signer } from '../packages/updateKeys.ts';
import type { Toolbox } from './toolbox.ts';

interface BundleOptions {
  readonly toolbox: Toolbox;
  /** Folder with root.ext4, which the bundle contains. */
  readonly work: string;
  readonly version: string;
  readonly arch: string;
  readonly signer: Signer;
  readonly epoch: number;
  /** Larger, and made in a fraction of the time: for tests. */
  readonly isQuick?: boolean;
}

/** Makes a signed bundle of RAUC, format verity, as `<work>/bundle.raucb`. Takes root.ext4 away. */
export async function makeBundle(options: BundleOptions): Promise<void> {
  const { toolbox, work, version, arch, signer, epoch, isQuick = false } = options;
  const content = join(work, 'bundle');
  mkdirSync(content);
  renameSync(join(work, 'root.ext4'), join(content, 'rootfs.ext4'));
  const manifest = [
    '[update]',
    `compatible=faceplate-${arch}`,
    `version=${version}`,
    '[bundle]',
    'format=verity',
    '[image.rootfs]',
    'filename=rootfs.ext4',
    '',
  ];
  writeFileSync(join(content, 'manifest.raucm'), manifest.join('\n'));
  // The two files may lie anywhere.
  const folders = {
    '/build': work,
    '/key': dirname(signer.key),
    '/certificate': dirname(signer.certificate),
  };
  const sign = [`--key=/key/${basename(signer.key)}`, `--cert=/certificate/${basename(signer.certificate)}`];
  // Of the panel's root, xz leaves 432 MiB, zstd 458 at its level 19 and 495 at level 9. To read it takes 15 s of a PC instead of 2.
  const compression = isQuick ? 'zstd -Xcompression-level 1' : 'xz -Xdict-size 100%';
  const squashfs = `--mksquashfs-args=-comp ${compression} -b 1M`;
  const env = { SOURCE_DATE_EPOCH: String(epoch) };
  const args = [...sign, squashfs, 'bundle', '/build/bundle', '/build/bundle.raucb'];
  await toolbox.run('rauc', args, { folders, env });
}
