import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';

const OVERLAY = join(import.meta.dirname, '../overlay');
const noRoot = process.getuid?.() !== 0 && 'needs root, for a /run of its own';

test('security: should mount a stick to be read alone, where only the service may look', {
  skip: noRoot,
}, () => {
  const folder = temporaryFolder('stick');
  const programs = ['mount', 'umount'].map((name) => join(folder, name));
  for (const path of programs) {
    writeFileSync(path, `#!/bin/sh\necho "\${0##*/} $*" >>${folder}/calls\n`);
    chmodSync(path, 0o755);
  }
  const stick = join(OVERLAY, 'usr/lib/faceplate-image/stick');
  const script = `mount -t tmpfs none /run
    mkdir /run/faceplate-stick
    PATH=${folder}:$PATH sh ${stick} mount sda1
    ls /run/faceplate-stick
    PATH=${folder}:$PATH sh ${stick} gone sda1
    echo gone
    ls /run/faceplate-stick`;
  const printed = execFileSync('unshare', ['--mount', 'sh', '-e', '-c', script], { encoding: 'utf8' });
  assert.equal(printed, 'sda1\nsda1.ready\ngone\n');
  const [mounted, unmounted] = readFileSync(join(folder, 'calls'), 'utf8').split('\n');
  const options = /-o (\S+)/.exec(mounted!)?.[1]?.split(',') ?? [];
  for (const option of ['ro', 'nosuid', 'nodev', 'noexec', 'umask=0027', 'gid=faceplate'])
    assert.ok(options.includes(option), option);
  assert.match(mounted!, /-t vfat,exfat .*\/dev\/sda1 \/run\/faceplate-stick\/sda1$/);
  assert.equal(unmounted, 'umount --lazy /run/faceplate-stick/sda1');
  const tmpfiles = readFileSync(join(OVERLAY, 'usr/lib/tmpfiles.d/faceplate-image.conf'), 'utf8');
  assert.match(tmpfiles, /^d \/run\/faceplate-stick 0750 root faceplate$/m);
});

test('security: should let the service read the boot partition, root alone write it, and nobody run it', () => {
  const line = /^\/dev\/faceplate\/boot .*$/m.exec(readFileSync(join(OVERLAY, 'etc/fstab'), 'utf8'))![0];
  const options = line.split(/\s+/)[3]!.split(',');
  for (const option of ['umask=0027', 'gid=faceplate', 'nosuid', 'nodev', 'noexec', 'sync'])
    assert.ok(options.includes(option), option);
  const unit = readFileSync(join(OVERLAY, 'etc/systemd/system/faceplate.service.d/panel.conf'), 'utf8');
  assert.match(unit, /^WantsMountsFor=\/boot\/efi$/m);
});
