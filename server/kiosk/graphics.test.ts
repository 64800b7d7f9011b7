import assert from 'node:assert/strict';
import { test } from 'node:test';
import { graphicsOf } from './graphics.ts';

const features = (pages: string, webgl: string, video: string) => ({
  gpu_compositing: pages,
  webgl,
  video_decode: video,
});

test('should say how pages, WebGL and videos are drawn', () => {
  assert.deepEqual(
    graphicsOf({ device: 'Mali-G52', features: features('enabled', 'enabled_readback', 'enabled') }),
    { gpu: 'Mali-G52', pages: 'hardware', webgl: 'hardware', video: 'hardware' },
  );
  const software = features('disabled_software', 'unavailable_software', 'disabled_software');
  assert.deepEqual(graphicsOf({ device: '', features: software }), {
    gpu: '',
    pages: 'software',
    webgl: 'software',
    video: 'software',
  });
  assert.equal(graphicsOf({ device: '', features: features('enabled', 'disabled_off', '') }).webgl, 'off');
  assert.deepEqual(graphicsOf({ device: 'x'.repeat(500), features: {} }).gpu.length, 200);
});
