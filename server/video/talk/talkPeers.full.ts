import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type TestContext, test } from 'node:test';
import { decodeG711, pcmaTone, pcmuTone, toneShare } from '../../intercom/testing/media/g711.ts';
import { freeTcpPort } from '../../testing/freePort.ts';
import { buildGoProgram } from '../../testing/goProgram.ts';
import { startTalkCamera } from '../../testing/rtspCamera.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { noSignal, startPanel } from '../testing/testPanel.ts';
import { WeriftViewer } from '../testing/weriftViewer.ts';

test('should let a tone of the viewer come out of an ONVIF server of GStreamer', async (t) => {
  const folder = temporaryFolder('talk');
  const heard = join(folder, 'heard.raw');
  const camera = await startTalkCamera(heard);
  t.after(async () => {
    await camera.stop();
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

/** The example of its authors, on the address of its argument, with a video track that sends nothing. */
function buildGortsplib(): Promise<string> {
  const folder = 'examples/server-play-backchannel';
  const path = `${folder}/main.go`;
  const video =
    '{Type: description.MediaTypeVideo, Formats: []format.Format{&format.H264{PayloadTyp: 96, PacketizationMode: 1}}},';
  return buildGoProgram({
    name: 'gortsplib-backchannel',
    module: 'github.com/bluenviron/gortsplib/v5',
    version: 'v5.6.4',
    folder,
    edits: [
      { path, from: '"log"', to: '"log"\n\t"os"' },
      { path, from: '":8554"', to: 'os.Args[1]' },
      { path, from: /^\s+(UDPRT|Multicast)\w+:.*$/gm, to: '' },
      {
        path,
        from: 'log.Printf("inbound',
        to: 'log.Printf("heard %x", pkt.Payload)\n\t\tlog.Printf("inbound',
      },
      { path, from: '// back channel\n', to: `${video}\n` },
    ],
  });
}

/** Starts it on a port of 127.0.0.1. @returns where it is, and what it hears */
async function startGortsplib(t: TestContext, program: string): Promise<{ url: string; heard: number[] }> {
  const address = `127.0.0.1:${await freeTcpPort()}`;
  const child = spawn(program, [address], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  t.after(async () => {
    child.kill();
    await ended;
  });
  const heard: number[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.includes('server is ready')) ready.resolve();
    const [, voice = ''] = / heard ([0-9a-f]+)$/.exec(line) ?? [];
    for (const byte of Buffer.from(voice, 'hex')) heard.push(decodeG711('PCMA', byte));
  });
  await Promise.race([ready.promise, ended.then(() => Promise.reject(new Error('gortsplib did not start')))]);
  return { url: `rtsp://${address}/door`, heard };
}

test('should let a tone of the viewer come out of a server of gortsplib', { timeout: 600_000 }, async (t) => {
  // Where there is no Go, or an old one.
  const program = await buildGortsplib().catch((error: Error) => {
    if (!error.message.includes('Go 1.24')) throw error;
    t.skip(error.message);
  });
  if (program === undefined) return;
  const { url, heard } = await startGortsplib(t, program);
  const { service } = await startPanel(t);
  const viewer = new WeriftViewer('sendrecv');
  t.after(() => viewer.close());
  const { sdp, talk } = await service.open({ id: 'door', url, sdp: await viewer.offer() }, noSignal);
  await viewer.accept(sdp);
  assert.match(sdp, /m=audio \d+ \S+ 8\r\n[\s\S]*a=sendrecv/);
  assert.equal(talk, 'ready');
  const state = () => service.sessions().sessions[0]?.talk;
  for (let index = 0; heard.length < 16_000; index++) {
    viewer.speak(8, pcmaTone(440, index));
    await letPass(18);
  }
  assert.equal(state(), 'talking');
  assert.ok(toneShare(heard.slice(4_000, 12_000), 440, 8_000) > 0.9);
  await until(() => state() === 'ready', 'the end of the talk');
});
