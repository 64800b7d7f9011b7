import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImageError } from '../arguments.ts';
import { kernelOf } from './kernelModules.ts';

const named = (name: string, version: string) => ({ name, version, architecture: 'amd64', source: 'linux' });

test('should find the kernel of an image, not the package that names the newest one', () => {
  const installed = [
    named('kmod', '34'),
    named('linux-image-6.12.117+deb13-amd64', '6.12.117-1'),
    named('linux-image-amd64', '6.12.117-1'),
  ];
  assert.deepEqual(kernelOf(installed), { kernel: '6.12.117+deb13-amd64', version: '6.12.117-1' });
});

test('should refuse an image without a kernel', () => {
  assert.throws(() => kernelOf([named('linux-image-amd64', '6.12.117-1')]), ImageError);
});
