import { copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { GRUB_MODULES } from '../image/boot/grub.ts';
import { mirrorsOfThisMachine, sourcesList } from '../image/packages/aptSources.ts';
import { step } from '../image/progress.ts';
import { cacheFolder, Toolbox } from '../image/toolbox.ts';
import { PanelError } from './arguments.ts';

/** What makes Debian's set of important packages a machine that boots, and is on the network as a person sets it up. */
const PACKAGES = ['ca-certificates', 'linux-image-amd64', 'network-manager', 'systemd-sysv'];
/** Sizes in MiB; the panel's disk is larger. */
const SIZES = { table: 1, boot: 128, root: 6144 } as const;
const EFI = 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B';

const FSTAB = `PARTLABEL=root / ext4 errors=remount-ro 0 1
PARTLABEL=boot /boot/efi vfat umask=0077 0 2
`;
/** The kernel says on the serial line that it runs; the rest of the boot is seen on the screen, too. */
const GRUB_CFG = `regexp --set=1:DISK '^([^,]+)' "$root"
root="$DISK,gpt2"
linux /vmlinuz root=PARTLABEL=root ro console=tty0 console=ttyS0,115200 acpi_backlight=video video.register_backlight_delay=1
initrd /initrd.img
boot
`;

/**
 * Makes the disk of a plain Debian 13 with one root partition, on which apt has installed a package of ours with all that
 * it recommends. Root has no password there.
 * @param deb the package
 * @param file the raw disk that is made; there as a whole or not at all
 * @throws PanelError where the user may not install a Debian; ImageError with the words of a tool that failed
 */
export async function makeDebianDisk(deb: string, file: string): Promise<void> {
  if (process.getuid?.() !== 0)
    throw new PanelError(
      'A new panel with the package needs root, which alone can install a Debian in a folder: sudo npm run panel -- --package',
    );
  const cache = cacheFolder();
  const downloads = join(cache, 'downloads');
  mkdirSync(downloads, { recursive: true });
  const toolbox = new Toolbox(cache, 'amd64');
  const mirrors = mirrorsOfThisMachine();
  if (toolbox.isMissing) await step('Toolbox, once on this machine', () => toolbox.make(mirrors));
  const work = mkdtempSync(join(cache, 'debian-'));
  const clear = () => rmSync(work, { recursive: true, force: true, maxRetries: 10 });
  process.once('exit', clear);
  const folders = { '/build': work, '/downloads': downloads, '/panel': dirname(file) };
  const run = (program: string, ...args: readonly string[]) => toolbox.run(program, args, { folders });
  try {
    copyFileSync(deb, join(work, 'faceplate.deb'));
    writeFileSync(join(work, 'fstab'), FSTAB);
    writeFileSync(join(work, 'grub.cfg'), GRUB_CFG);
    await step('Debian 13 with the package', () =>
      toolbox.run('mmdebstrap', debianArguments(), { folders, input: sourcesList(mirrors) }),
    );
    await step('Disk of Debian', async () => {
      // Without features that GRUB cannot read.
      const ext4 = ['-q', '-F', '-t', 'ext4', '-O', '^metadata_csum_seed,^orphan_file', '-L', 'root'];
      await run('mke2fs', ...ext4, '-d', '/build/root.tar', '/build/root.ext4', `${SIZES.root}M`);
      await run(
        'grub-mkimage',
        ...'-O x86_64-efi -p /EFI/BOOT -o /build/BOOTX64.EFI'.split(' '),
        ...GRUB_MODULES,
      );
      await run('truncate', '-s', `${SIZES.boot}M`, '/build/boot.fat');
      await run('mkfs.vfat', '-F', '32', '-n', 'BOOT', '/build/boot.fat');
      await run('mmd', '-i', '/build/boot.fat', '::EFI', '::EFI/BOOT');
      await run('mcopy', '-i', '/build/boot.fat', '/build/BOOTX64.EFI', '/build/grub.cfg', '::EFI/BOOT/');
      const disk = `/panel/${basename(file)}.new`;
      await run('truncate', '-s', `${SIZES.boot + SIZES.root + 2 * SIZES.table}M`, disk);
      const input = [
        'label: gpt',
        `name=boot, size=${SIZES.boot}MiB, type=${EFI}`,
        `name=root, size=${SIZES.root}MiB, type=linux`,
      ].join('\n');
      await toolbox.run('sfdisk', ['--quiet', disk], { folders, input: `${input}\n` });
      const into = [`of=${disk}`, 'bs=1M', 'conv=notrunc,sparse', 'status=none'];
      await run('dd', 'if=/build/boot.fat', ...into, `seek=${SIZES.table}`);
      await run('dd', 'if=/build/root.ext4', ...into, `seek=${SIZES.table + SIZES.boot}`);
      renameSync(`${file}.new`, file);
    });
  } finally {
    process.off('exit', clear);
    clear();
  }
}

/** Arguments of mmdebstrap, which leaves the tree as an archive: mke2fs takes it as it is. */
function debianArguments(): string[] {
  const args = ['--mode=root', '--variant=important', '--format=tar', `--include=${PACKAGES.join(',')}`];
  // Packages are fetched once: see mmdebstrap(1).
  args.push('--skip=download/empty', '--skip=essential/unlink');
  args.push('--setup-hook=mkdir -p "$1"/var/cache/apt/archives');
  args.push('--setup-hook=sync-in /downloads /var/cache/apt/archives');
  args.push(
    '--customize-hook=copy-in /build/faceplate.deb /tmp',
    '--customize-hook=chroot "$1" apt-get install -q -y --install-recommends /tmp/faceplate.deb',
    '--customize-hook=rm "$1"/tmp/faceplate.deb',
    '--customize-hook=sync-out /var/cache/apt/archives /downloads',
    '--customize-hook=rm -f "$1"/var/cache/apt/archives/*.deb',
    '--customize-hook=copy-in /build/fstab /etc',
    '--customize-hook=mkdir -p "$1"/boot/efi && echo faceplate-debian >"$1"/etc/hostname',
    '--customize-hook=chroot "$1" passwd --quiet --delete root',
  );
  return [...args, 'trixie', '/build/root.tar', '-'];
}
