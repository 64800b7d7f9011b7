import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCHITECTURES } from '../image/architectures.ts';
import { type Machine, qemuArguments } from './qemu.ts';

const machine: Machine = {
  arch: 'amd64',
  accelerator: 'tcg',
  processors: 2,
  memoryMiB: 2048,
  port: 8123,
  screen: 'none',
};

test('security: should listen on loopback and in its folder alone', () => {
  const screens = ['window', 'vnc', 'none'] as const;
  for (const [arch, screen] of ARCHITECTURES.flatMap((arch) =>
    screens.map((each) => [arch, each] as const),
  )) {
    const words = qemuArguments({ ...machine, arch, screen });
    const listening = words.filter((word) => /server=on|hostfwd=|^127|to=99/.test(word));
    assert.ok(listening.length >= 6);
    for (const word of listening)
      assert.match(
        word,
        /hostfwd=tcp:127\.0\.0\.1:8123-:8080$|^127\.0\.0\.1:0,to=99$|(path=|unix:)[\w.]+\.sock,/,
      );
    for (const word of words.filter((each) => each.includes('hostfwd')))
      assert.equal(word.split('hostfwd').length, 2);
  }
});

test('should emulate with all processors where KVM does not work', () => {
  const words = qemuArguments(machine).join(' ');
  assert.match(words, /-accel tcg,thread=multi/);
  assert.match(words, /-smp 2 -m 2048/);
  assert.doesNotMatch(words, /kvm|-snapshot/);
  assert.match(qemuArguments({ ...machine, accelerator: 'kvm' }).join(' '), /-accel kvm -cpu host/);
});

test('should describe its backlight to the kernel where it has ACPI', () => {
  const words = (arch: Machine['arch']) => qemuArguments({ ...machine, arch }).join(' ');
  assert.match(words('amd64'), /-acpitable file=backlight\.aml .*virtio-gpu-pci,addr=2,/);
  assert.doesNotMatch(words('arm64'), /acpitable/);
});

test('should drop what a trial writes', () => {
  assert.ok(qemuArguments({ ...machine, isTrial: true }).includes('-snapshot'));
});

test('should give arm64 the device tree, the console and the same two serial lines as amd64', () => {
  const words = qemuArguments({ ...machine, arch: 'arm64' }).join(' ');
  assert.match(words, /-machine virt,\S*\bacpi=off\b/);
  assert.match(words, /-cpu cortex-a72/);
  assert.match(words, /-serial chardev:console .*chardev=nowhere .*chardev=serial1 .*chardev=serial2/);
  assert.equal(words.match(/-serial /g)!.length, 1);
  const amd64 = qemuArguments(machine).join(' ');
  assert.match(
    amd64,
    /-machine q35 .*-serial chardev:console -serial chardev:serial1 -serial chardev:serial2/,
  );
});

test('should have the same doors on every machine', () => {
  const doors = ARCHITECTURES.map((arch) =>
    qemuArguments({ ...machine, arch }).filter((word) => /path=|unix:|name=faceplate\.|hostfwd=/.test(word)),
  );
  assert.deepEqual(doors[1], doors[0]);
  assert.ok(doors[0]!.length >= 9);
});
