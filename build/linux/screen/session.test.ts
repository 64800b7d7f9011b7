import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { DOUBLE_MISSING, UMOCKDEV_PRELOAD } from '../../../server/testing/deviceDouble.ts';
import { temporaryFolder } from '../../../server/testing/temporaryFolder.ts';

const plain = spawnSync('/usr/bin/true', { env: { LD_PRELOAD: UMOCKDEV_PRELOAD } });
const onDouble = { skip: plain.stderr.includes(UMOCKDEV_PRELOAD) && DOUBLE_MISSING };

/** A virtio device as the kernel tells of it: its type, and its 64 features from bit 0 on. */
type VirtioDevice = readonly [type: string, features: string];
const GPU = '0x0010';
const DISK: VirtioDevice = ['0x0002', '0'.repeat(64)];

/** The renderer that the script chooses for the compositor, on a machine with these devices: umockdev plays /sys. */
function rendererWith(devices: readonly VirtioDevice[], env: Record<string, string> = {}): string {
  const root = temporaryFolder('session');
  mkdirSync(join(root, 'sys'));
  for (const [index, [type, features]] of devices.entries()) {
    const folder = join(root, 'sys/bus/virtio/devices', `virtio${index}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'device'), `${type}\n`);
    writeFileSync(join(folder, 'features'), `${features}\n`);
  }
  const session = [join(import.meta.dirname, 'session'), join(root, 'ipc.sock')];
  const { stdout, stderr } = spawnSync('perl', [...session, 'sh', '-c', 'echo "[$WLR_RENDERER]"'], {
    env: { PATH: process.env.PATH, ...env, LD_PRELOAD: UMOCKDEV_PRELOAD, UMOCKDEV_DIR: root },
    encoding: 'utf8',
  });
  assert.equal(stderr, '');
  return stdout.trim();
}

test('should draw at once where the virtual GPU has no 3D', onDouble, () => {
  assert.equal(rendererWith([DISK, [GPU, `01${'0'.repeat(62)}`]]), '[pixman]');
});

test('should leave the renderer to the compositor on any other machine', onDouble, () => {
  assert.equal(rendererWith([DISK, [GPU, `1${'0'.repeat(63)}`]]), '[]');
  assert.equal(rendererWith([DISK]), '[]');
  assert.equal(rendererWith([]), '[]');
});

test("should take the installer's word for the renderer", onDouble, () => {
  assert.equal(rendererWith([[GPU, '0'.repeat(64)]], { WLR_RENDERER: 'gles2' }), '[gles2]');
});
