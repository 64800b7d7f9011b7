import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';

const overlay = join(import.meta.dirname, '../overlay');
const folder = join(overlay, 'usr/lib/faceplate-image/virtual');
const unit = readFileSync(join(overlay, 'etc/systemd/system/faceplate-virtual.service'), 'utf8');

/** Asks the script on a machine with these files of sysfs. It loads no module of this one. */
function isVirtual(files: Readonly<Record<string, string>>): { answer: boolean; loaded: boolean } {
  const work = temporaryFolder('virtual');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(work, 'sys', dirname(name)), { recursive: true });
    writeFileSync(join(work, 'sys', name), `${text}\n`);
  }
  mkdirSync(join(work, 'bin'));
  writeFileSync(join(work, 'bin/modprobe'), `#!/bin/sh\ntouch ${work}/loaded\n`, { mode: 0o755 });
  const env = { PATH: `${work}/bin:/usr/bin:/bin` };
  const { status } = spawnSync(join(folder, 'is-virtual'), [join(work, 'sys')], { env });
  return { answer: status === 0, loaded: spawnSync('test', ['-e', `${work}/loaded`]).status === 0 };
}

const QEMU = { 'class/dmi/id/sys_vendor': 'QEMU' };
const PORT = { 'class/virtio-ports/vport2p1/name': 'faceplate.panel' };

test('should know the virtual panel by its maker and its port', () => {
  assert.deepEqual(isVirtual({ ...QEMU, ...PORT }), { answer: true, loaded: true });
});

for (const [machine, files] of [
  ['a PC', { 'class/dmi/id/sys_vendor': 'Dell Inc.' }],
  ['a PC with such a port', { 'class/dmi/id/sys_vendor': 'Dell Inc.', ...PORT }],
  ['a PC whose name holds the word', { 'class/dmi/id/sys_vendor': 'QEMU Inc.', ...PORT }],
  ['a board without DMI', PORT],
] as const)
  test(`security: should not take ${machine} for one, and load nothing there`, () => {
    assert.deepEqual(isVirtual(files), { answer: false, loaded: false });
  });

for (const [machine, files] of [
  ['a QEMU without the port', QEMU],
  ['a QEMU with another port', { ...QEMU, 'class/virtio-ports/vport2p1/name': 'org.qemu.guest_agent.0' }],
] as const)
  test(`security: should not take ${machine} for one`, () => {
    assert.equal(isVirtual(files).answer, false);
  });

test('security: should start the hardware, and load its modules, behind these conditions alone', () => {
  assert.match(unit, /^ConditionFirmware=smbios-field\(sys_vendor = QEMU\)$/m);
  assert.match(unit, /^ExecCondition=\/usr\/lib\/faceplate-image\/virtual\/is-virtual$/m);
  assert.doesNotMatch(unit, /^ExecCondition=[-+!]/m);
  for (const name of ['gpio-sim', 'uleds', 'rc-loopback'])
    assert.match(unit, new RegExp(`^ExecStartPre=/sbin/modprobe -a .*\\b${name}\\b`, 'm'));
  const dropIn = readFileSync(join(overlay, 'etc/systemd/system/faceplate.service.d/virtual.conf'), 'utf8');
  assert.match(dropIn, /^EnvironmentFile=-\/run\/faceplate-virtual\/environment$/m);
});

test('should be a program that Perl understands', () => {
  const { status, stderr } = spawnSync('perl', ['-c', join(folder, 'hardware')], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  assert.match(stderr, /^\S+ syntax OK\n$/);
  // The image has perl-base and nothing more.
  const used = [...readFileSync(join(folder, 'hardware'), 'utf8').matchAll(/^use (\S+?)[ ;]/gm)];
  for (const [, name] of used)
    assert.ok(['strict', 'warnings', 'Fcntl', 'Socket', 'constant'].includes(name!), name);
});

test('should give the board of arm64 the same pins, LED, serial and infrared ports as that of amd64', () => {
  const board = (name: string) =>
    JSON.parse(
      readFileSync(
        join(import.meta.dirname, '..', name, 'usr/lib/faceplate-image/virtual/board.json'),
        'utf8',
      ),
    ) as { gpio: Record<string, unknown>; led: object; serial: object; ir: object; rtc?: object };
  const [amd64, arm64] = [board('overlay'), board('overlay-arm64')];
  assert.deepEqual([arm64.led, arm64.serial, arm64.ir], [amd64.led, amd64.serial, amd64.ir]);
  for (const key of ['driver', 'path', 'labels', 'relays', 'safe'])
    assert.deepEqual(arm64.gpio[key], amd64.gpio[key], key);
  // The lines whose levels the far end gets are those of the board.
  const offsets = (arm64.gpio.lines as { offset: number }[]).map(({ offset }) => offset);
  const script = readFileSync(join(folder, 'hardware'), 'utf8');
  assert.match(script, new RegExp(`my @offsets = \\(${offsets.join(', ')}\\);`));
});
