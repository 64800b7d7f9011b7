import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { DISK_GIB, FILES } from '../../build/panel/qemu.ts';
import { partitionAt } from '../testShell.ts';
import { PATIENCE, VirtualPanel } from '../virtualPanel.ts';
import { say } from './paintedPanel.ts';
import { hasPassed, note, panels } from './progress.ts';

const TOKEN = 'a-token-that-the-guest-knows-1234567890';
const GUEST = { hostname: 'panel-of-guest', settings: { token: TOKEN, kiosk: { pin: '1111' } } };
/** In the root of a guest's disk. */
const MARK = '/of-a-guest';
/** On the bus of the panel's own disk, on another one within the panel, and on USB. */
const PLACES = ['virtio-blk-pci', 'nvme,serial=guest', 'usb-storage,bus=usb.0'] as const;

const panel = new VirtualPanel(join(panels, 'guest'));
const inFolder = (name: string) => join(panel.folder, name);

test.beforeEach(() => {
  test.skip(hasPassed(test.info().title), 'passed in the run before');
});
test.afterEach(async () => {
  const { status, title } = test.info();
  if (status !== 'skipped') note(title, status === 'passed');
  await panel.cut();
});

/** The whole image, as anybody may have it, with a file that takes a panel over. */
function copyOfTheImage(): string {
  const disk = inFolder('copy.img');
  execFileSync('cp', ['--sparse=always', inFolder(FILES.base), disk]);
  const file = inFolder('faceplate.json');
  writeFileSync(file, JSON.stringify(GUEST));
  execFileSync('mcopy', ['-o', '-i', `${disk}@@${partitionAt('boot')}M`, file, '::faceplate.json']);
  const root = partitionAt('root-a') * 2 ** 20;
  run('debugfs', '-w', '-R', `mkdir ${MARK}`, `${disk}?offset=${root}`);
  return 'copy.img';
}

/** The same with ids of its own: only the names of its partitions are those of the panel. */
function sameNames(): string {
  execFileSync('cp', ['--sparse=always', inFolder('copy.img'), inFolder('names.img')]);
  for (const number of [1, 2, 3, 4])
    run('sfdisk', '--quiet', '--part-uuid', inFolder('names.img'), `${number}`, randomUUID());
  return 'names.img';
}

function run(program: string, ...args: readonly string[]): string {
  const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
  return execFileSync(program, [...args], { cwd: panel.folder, env, encoding: 'utf8', stdio: 'pipe' });
}

/** QEMU's arguments for a disk of the guest in each of these places. What is written to it lies apart. */
function guestsDisks(image: string, places: readonly string[]): string[] {
  return places.flatMap((device, n) => {
    const name = `guest${n}.qcow2`;
    rmSync(inFolder(name), { force: true });
    run('qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'raw', '-b', image, name);
    const drive = `if=none,id=guest${n},file=${name},format=qcow2`;
    return ['-drive', drive, '-device', `${device},drive=guest${n}`];
  });
}

/** Who the panel is, and on which disk its partitions are. */
const LOOK = `
own=$(lsblk -n -o PKNAME $(findmnt -n -o SOURCE /))
for place in / /boot/efi /data; do echo "$place $(findmnt -n -o SOURCE --mountpoint $place)"; done | sed "s:/dev/$own[0-9]:own:"
for name in boot root-a root-b data; do echo "$name $(readlink -f /dev/faceplate/$name)"; done | sed "s:/dev/$own[0-9]:own:"
echo "size $(lsblk -b -d -n -o SIZE /dev/$own)"
echo "guest $(ls -d ${MARK} 2>/dev/null)"
echo "applied $(ls /boot/efi/faceplate.* 2>/dev/null)"
for file in /var/lib/faceplate/id /var/lib/faceplate/token /etc/machine-id /proc/sys/kernel/hostname; do
  echo "\${file##*/} $(cat $file)"
done
`;

async function look(): Promise<Record<string, string>> {
  const lines = (await panel.root(LOOK)).trim().split('\n');
  return Object.fromEntries(
    lines
      .map((line) => line.trim().split(' ') as [string, string?])
      .map(([name, value]) => [name, value ?? '']),
  );
}

/** Everything is on the disk that the firmware started, which is larger than the guest's. */
const OWN = {
  '/': 'own',
  '/boot/efi': 'own',
  '/data': 'own',
  boot: 'own',
  'root-a': 'own',
  'root-b': 'own',
  data: 'own',
  size: String(DISK_GIB * 2 ** 30),
  guest: '',
  applied: '',
};

/** Looks at the panel that runs with the guest's disks, switches it off, and looks whether anything was written to them. */
async function expectItsOwn(image: string): Promise<Record<string, string>> {
  await panel.untilHealthy();
  const disks = await panel.root('ls /dev/[sv]d[a-z] /dev/nvme?n? | wc -l');
  expect(disks.trim()).toBe(String(PLACES.length + 1));
  const found = await look();
  expect(found).toMatchObject(OWN);
  expect(found.hostname).toBe(`faceplate-${found.id!.slice(6)}`);
  expect(found.token).not.toBe(TOKEN);
  await panel.powerOff();
  for (const n of PLACES.keys()) {
    const compared = run('qemu-img', 'compare', '-f', 'raw', '-F', 'qcow2', image, `guest${n}.qcow2`);
    expect(compared).toContain('Images are identical');
  }
  return found;
}

test('security: should be no panel of a guest whose disk has the names of its partitions, or their ids', async () => {
  await panel.make();
  const copy = copyOfTheImage();
  const names = sameNames();

  // A copy of the image at the first boot, on USB, where it comes late: nobody can tell the two apart, so neither is taken.
  await panel.switchOn(undefined, guestsDisks(copy, ['usb-storage,bus=usb.0']));
  await expect
    .poll(() => panel.console, { timeout: PATIENCE.boot, intervals: [1_000] })
    .toMatch(/Two disks have the root of this panel/);
  await panel.cut();
  say('a copy of the image at the first boot: not booted');

  await panel.switchOn(undefined, guestsDisks(names, PLACES));
  const first = await expectItsOwn(names);
  say('its names at the first boot: nothing changed');

  // Since then the slots of the panel have ids that no copy has.
  await panel.switchOn(undefined, guestsDisks(copy, PLACES));
  expect(await expectItsOwn(copy)).toEqual(first);
  say('a copy of the image at the second boot: nothing changed');
});

test('should start by the boot loader of an older image, but not beside a disk with the same names', async () => {
  await panel.make();
  copyOfTheImage();
  const names = sameNames();
  const boot = ['-i', `${inFolder(FILES.base)}@@${partitionAt('boot')}M`];
  const config = '::EFI/BOOT/grub.cfg';
  const grub = run('mtype', ...boot, config);
  expect(grub).toContain('root=PARTUUID=$ID ');
  writeFileSync(inFolder('grub.cfg'), grub.replace('root=PARTUUID=$ID ', 'root=PARTLABEL=root-a '));
  run('mcopy', '-o', ...boot, 'grub.cfg', config);

  await panel.switchOn(undefined, guestsDisks(names, ['usb-storage,bus=usb.0']));
  await expect
    .poll(() => panel.console, { timeout: PATIENCE.boot, intervals: [1_000] })
    .toMatch(/Two disks have the root of this panel, PARTLABEL=root-a/);
  await panel.cut();
  await panel.boot();
  expect(await look()).toMatchObject(OWN);
});
