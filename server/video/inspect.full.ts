import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRtspCamera } from '../testing/rtspCamera.ts';
import { noSignal, startPanel } from './testing/testPanel.ts';

test('should see the B-frames and the H.265 of real cameras, and name AAC', async (t) => {
  const camera = await startRtspCamera();
  t.after(() => camera.stop());
  const { service } = await startPanel(t, { inspectMs: 2_000 });
  const of = (mount: string) => service.inspect({ url: camera.url(mount) }, noSignal);
  const bFrames = await of('b-frames');
  assert.deepEqual([bFrames.ok, bFrames.code, bFrames.video?.bFrames], [false, 'B_FRAMES', true]);
  assert.match(bFrames.hint, /Baseline/);
  const h265 = await of('h265');
  assert.deepEqual([h265.code, h265.video?.codec], ['UNSUPPORTED_CODEC', 'H265']);
  const aac = await of('h264-aac');
  assert.deepEqual([aac.ok, aac.audio?.codec, aac.audio?.forwarded], [true, 'MPEG4-GENERIC', false]);
  const udp = await of('udp');
  assert.deepEqual([udp.ok, udp.video?.transport, udp.video?.bFrames], [true, 'udp', false]);
});
