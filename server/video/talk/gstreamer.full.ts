import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pcmuTone, toneShare } from '../../intercom/testing/media/g711.ts';
import { startTalkCamera } from '../../testing/rtspCamera.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { noSignal, startPanel } from '../testing/testPanel.ts';
import { WeriftViewer } from '../testing/weriftViewer.ts';

test('should let a tone of the viewer come out of an ONVIF server of GStreamer', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'faceplate-talk-'));
  const heard = join(folder, 'heard.raw');
  const camera = await startTalkCamera(heard);
  t.after(async () => {
    await camera.stop();
    await rm(folder, { recursive: true });
  });
  const { service } = await startPanel(t, { inspectMs: 500 });
  const url = camera.url('talk');
  const viewer = new WeriftViewer('sendrecv');
  t.after(() => viewer.close());
  const { sdp, talk } = await service.open({ id: 'door', url, sdp: await viewer.offer() }, noSignal);
  await viewer.accept(sdp);
  // It sends PCMA, and takes PCMU.
  assert.match(sdp, /m=audio \d+ \S+ 0\r\n[\s\S]*a=sendrecv/);
  assert.equal(talk, 'ready');
  await until(
    () => viewer.received.audio.length > 10 && viewer.received.video.length > 10,
    'sound and picture',
  );
  assert.equal(viewer.received.audio[0]!.header.payloadType, 0);
  const state = () => service.sessions().sessions[0]?.talk;
  const bytes = async () => (await readFile(heard).catch(() => Buffer.alloc(0))).length;
  for (let index = 0; (await bytes()) < 32_000; index++) {
    viewer.speak(0, pcmuTone(440, index));
    await letPass(18);
  }
  assert.equal(state(), 'talking');
  const samples = await readFile(heard);
  const values = Array.from({ length: samples.length >> 1 }, (_, at) => samples.readInt16LE(2 * at));
  // The first packets may come before the tone is whole.
  assert.ok(toneShare(values.slice(4_000, 12_000), 440, 8_000) > 0.9);
  await until(() => state() === 'ready', 'the end of the talk');
  const found = await service.inspect({ url }, noSignal);
  assert.deepEqual([found.code, found.talk], ['OK', { codecs: ['PCMU'], playable: true, hint: null }]);
});

test('should let a viewer only listen to a server of GStreamer that has no back channel', async (t) => {
  const camera = await startTalkCamera('/dev/null');
  t.after(() => camera.stop());
  const { service } = await startPanel(t, { inspectMs: 500 });
  const url = camera.url('plain');
  const viewer = new WeriftViewer('sendrecv');
  t.after(() => viewer.close());
  const { sdp, talk } = await service.open({ id: 'door', url, sdp: await viewer.offer() }, noSignal);
  await viewer.accept(sdp);
  await until(() => viewer.received.video.length > 10, 'the picture');
  assert.deepEqual([talk, (await service.inspect({ url }, noSignal)).talk], ['none', null]);
});
