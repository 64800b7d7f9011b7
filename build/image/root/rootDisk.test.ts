import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join, relative } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';
import { partitions } from '../boot/disk.ts';

const OVERLAY = join(import.meta.dirname, '../overlay');
const GRUB_CFG = join(import.meta.dirname, '../boot/grub.cfg');
const script = (name: string) =>
  readFileSync(join(OVERLAY, `etc/initramfs-tools/scripts/${name}/panel`), 'utf8');
const OWN = 'PARTUUID=7f3a1c9e-5b1d-4c55-9a37-d2b0a8f6c111';
const OF_THE_IMAGE = `PARTUUID=${partitions[1]!.uuid}`;

interface Found {
  /** The root that the scripts after it mount; undefined where none was named. */
  readonly root: string | undefined;
  readonly panic: string;
  /** Seconds that it slept. */
  readonly slept: number;
}

/**
 * Looks for the root as the initramfs does.
 * @param devices those that blkid finds at each second, or `none`; the last ones for ever
 */
function find(root: string, ...devices: readonly string[]): Found {
  const folder = temporaryFolder('root');
  const at = (name: string) => join(folder, name);
  writeFileSync(at('devices'), `${devices.join('\n')}\n`);
  writeFileSync(at('seconds'), '0');
  writeFileSync(
    at('functions'),
    `panic() { echo "$@" >'${at('panic')}'; exit 1; }
wait_for_udev() { :; }
sleep() { echo $(($(cat '${at('seconds')}') + $1)) >'${at('seconds')}'; }
blkid() {
  [ "$*" = "-c /dev/null -t ${root} -o device" ] || exit 9
  line=$(sed -n "$(($(cat '${at('seconds')}') + 1))p" '${at('devices')}')
  for device in \${line:-$(tail -n 1 '${at('devices')}')}; do [ "$device" = none ] || echo "$device"; done
}
`,
  );
  const text = script('local-top')
    .replace('/scripts/functions', at('functions'))
    .replace('/conf/param.conf', at('param'));
  try {
    execFileSync('sh', ['-c', text, 'panel'], { env: { ...process.env, ROOT: root } });
  } catch (error) {
    if (!existsSync(at('panic'))) throw error;
  }
  const read = (name: string) => (existsSync(at(name)) ? readFileSync(at(name), 'utf8').trim() : '');
  return {
    root: /^ROOT=(.*)$/.exec(read('param'))?.[1],
    panic: read('panic'),
    slept: Number(read('seconds')),
  };
}

describe('the disk of the root', () => {
  test('security: should be the one with the id that GRUB read, whenever it comes', () => {
    assert.deepEqual(find(OWN, '/dev/sda2'), { root: '/dev/sda2', panic: '', slept: 0 });
    const late = ['none', 'none', 'none', '/dev/sdb2'];
    assert.deepEqual(find(OWN, ...late), { root: '/dev/sdb2', panic: '', slept: 3 });
    const { root, panic } = find(OWN, 'none');
    assert.equal(root, undefined);
    assert.match(panic, /is not there/);
  });

  test('security: should be none of two with the same id', () => {
    const { root, panic } = find(OWN, '/dev/sda2 /dev/vda2');
    assert.equal(root, undefined);
    assert.match(panic, /Two disks .* take the other one out/);
  });

  test('security: should not be a copy of the image that comes before it', () => {
    // What anybody may know is looked for once more when a slow disk has come, too.
    for (const known of [OF_THE_IMAGE, 'PARTLABEL=root-a']) {
      assert.deepEqual(find(known, '/dev/vda2'), { root: '/dev/vda2', panic: '', slept: 10 });
      const { root, panic } = find(known, '/dev/sda2', ...Array(5).fill('/dev/sda2'), '/dev/sda2 /dev/vda2');
      assert.equal(root, undefined, known);
      assert.match(panic, /Two disks/);
    }
  });

  test('security: should alone give the partitions their names', () => {
    const folder = temporaryFolder('disk');
    const disk = 'devices/pci0000:00/0000:00:03.0/virtio1/block/vdb';
    const partition = (of: string, device: string, name: string) => {
      mkdirSync(join(folder, 'sys', of, device), { recursive: true });
      writeFileSync(join(folder, 'sys', of, device, 'uevent'), `DEVNAME=${device}\nPARTNAME=${name}\n`);
      mkdirSync(join(folder, 'sys/class/block'), { recursive: true });
      symlinkSync(join('../..', of, device), join(folder, 'sys/class/block', device));
    };
    for (const [index, { name }] of partitions.entries()) {
      partition(disk, `vdb${index + 1}`, name);
      partition('devices/usb1/block/sda', `sda${index + 1}`, name);
    }
    mkdirSync(join(folder, 'sys', disk, 'queue'));
    mkdirSync(join(folder, 'dev'));
    writeFileSync(join(folder, 'dev/vdb2'), '');
    const text = script('local-bottom');
    const names = text
      .slice(text.indexOf('data=$rootmnt/data'), text.indexOf('# Whatever can be mended'))
      .replaceAll('/sys', `${folder}/sys`)
      .replaceAll('/run/', `${folder}/run/`);
    const shell = `panic() { exit 1; }\nrootmnt=/root\nROOT=${folder}/dev/vdb2\n${names}\necho $partition`;
    assert.equal(execFileSync('sh', ['-c', shell], { encoding: 'utf8' }), '/dev/vdb4\n');
    const rules = readFileSync(join(folder, 'run/udev/rules.d/60-faceplate-disk.rules'), 'utf8');
    const own = `SUBSYSTEM=="block", DEVPATH=="/${disk}`;
    assert.deepEqual(rules.trim().split('\n'), [
      `${own}/*", ENV{FACEPLATE_DISK}="own"`,
      `${own}/vdb1", SYMLINK+="faceplate/boot"`,
      `${own}/vdb2", SYMLINK+="faceplate/root-a"`,
      `${own}/vdb3", SYMLINK+="faceplate/root-b"`,
      `${own}/vdb4", SYMLINK+="faceplate/data"`,
    ]);
  });

  test('security: should be asked for by nobody by a name that another disk may have', () => {
    const isOfAnyDisk = /by-(part)?(label|uuid)|\b(PART)?(LABEL|UUID)=/;
    const files = readdirSync(OVERLAY, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    const asking = [...files, GRUB_CFG].filter((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .some((line) => !line.startsWith('#') && isOfAnyDisk.test(line)),
    );
    // The one looks for what the other read on its own disk.
    assert.deepEqual(
      asking.map((file) => relative(join(import.meta.dirname, '..'), file)),
      ['overlay/etc/initramfs-tools/scripts/local-top/panel', 'boot/grub.cfg'],
    );
    const grub = readFileSync(GRUB_CFG, 'utf8');
    assert.match(grub, /^probe --set=ID --part-uuid "\(\$root\)"$/m);
    assert.match(grub, /"root=PARTUUID=\$ID ro /);
  });
});

const noSfdisk =
  !['/usr/sbin/sfdisk', '/sbin/sfdisk'].some(existsSync) && 'needs sfdisk (Debian package fdisk)';

test('security: should give both slots ids that no other disk has, once', { skip: noSfdisk }, () => {
  const folder = temporaryFolder('grow');
  const at = (name: string) => join(folder, name);
  const path = [folder, process.env.PATH, '/usr/sbin', '/sbin'].join(delimiter);
  const run = (program: string, args: readonly string[], input = '') =>
    execFileSync(program, [...args], { env: { ...process.env, PATH: path }, input, encoding: 'utf8' });
  const table = partitions.map(
    ({ name, type, uuid }) => `name=${name}, size=1MiB, type=${type}, uuid=${uuid}`,
  );
  run('truncate', ['-s', '8M', at('disk')]);
  run('sfdisk', ['--quiet', at('disk')], ['label: gpt', ...table, ''].join('\n'));
  const ids = () =>
    [1, 2, 3, 4].map((n) =>
      run('sfdisk', ['--part-uuid', at('disk'), `${n}`])
        .trim()
        .toLowerCase(),
    );
  assert.deepEqual(
    ids(),
    partitions.map(({ uuid }) => uuid),
  );
  const grow = readFileSync(join(OVERLAY, 'usr/lib/faceplate-image/grow'), 'utf8');
  const own = grow.slice(grow.indexOf('# GRUB names the root'));
  const shell = ['-eu', '-c', `disk=${at('disk')}\n${own}`];
  run('sh', shell);
  const first = ids();
  for (const [index, { uuid }] of partitions.entries())
    assert.equal(first[index] === uuid, index === 0 || index === 3, `partition ${index + 1}`);
  assert.notEqual(first[1], first[2]);
  run('sh', shell);
  assert.deepEqual(ids(), first);
  assert.match(run('sfdisk', ['--verify', at('disk')]), /No errors/);
});
