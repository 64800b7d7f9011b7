import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { decodeG711, pcmaTone, pcmuTone, toneShare } from '../../intercom/testing/media/g711.ts';
import {
  H264_SDP,
  rtpPacket,
  type ScriptedReply,
  type ScriptedRequest,
  usualReply,
} from '../../testing/scriptedCamera.ts';
import { letPass, until } from '../../testing/waiting.ts';
import { parseRtpPacket, type RtpPacket } from '../../webrtc/rtp/rtpPacket.ts';
import type { NamedCamera } from '../named/settingsContract.ts';
import type { StreamService } from '../service.ts';
import { noSignal, startCamera, startPanel } from '../testing/testPanel.ts';
import { WeriftViewer } from '../testing/weriftViewer.ts';

const sound = (payloadType: number, name: string, direction: string, track: number) =>
  `m=audio 0 RTP/AVP ${payloadType}\r\na=rtpmap:${payloadType} ${name}\r\na=control:trackID=${track}\r\na=${direction}\r\n`;
const REQUIRE = 'www.onvif.org/ver20/backchannel';

/** A camera with a loudspeaker. @param answers in place of those of a good one, by method */
async function talkCamera(
  t: TestContext,
  heard = sound(0, 'PCMU/8000', 'sendonly', 2),
  sends = '',
  answers: Record<string, (request: ScriptedRequest) => ScriptedReply> = {},
) {
  const { camera, video } = await startCamera(t, (request) => {
    const own = answers[request.method]?.(request);
    if (own !== undefined) return own;
    const asksToo = request.headers.get('require') === REQUIRE;
    return usualReply(request, `${H264_SDP}${sends}${asksToo ? heard : ''}`);
  });
  const voice: RtpPacket[] = [];
  camera.onFrame = (channel, packet) => {
    if (channel % 2 === 0) voice.push(parseRtpPacket(packet)!);
  };
  video.start();
  /** Requests that ask for the loudspeaker, as `METHOD connection track`. */
  const asked = () =>
    camera.requests
      .filter(({ headers }) => headers.get('require') === REQUIRE)
      .map(({ method, connection, uri }) =>
        `${method} ${connection} ${/trackID=\d/.exec(uri)?.[0] ?? ''}`.trim(),
      );
  return { camera, video, voice, asked };
}

/** A panel whose camera `door` of the setting has this address, and talks so. */
async function panelOf(t: TestContext, url: string, talk: NamedCamera['talk'], talkBytes = 160) {
  const named = { name: 'Door', url, talk, talkBytes, events: [] };
  return startPanel(t, {}, 0, undefined, { cameras: () => [named] });
}

/** A viewer who may talk, connected. */
async function talker(
  t: TestContext,
  service: StreamService,
  url: string,
  id = 'door',
  context: object = {},
) {
  const viewer = new WeriftViewer('sendrecv');
  t.after(() => viewer.close());
  const { sdp, talk } = await service.open(
    { id, url, sdp: await viewer.offer() },
    { ...noSignal, ...context },
  );
  await viewer.accept(sdp);
  await viewer.connected();
  const audio = sdp.slice(sdp.indexOf('m=audio'));
  const direction = /a=(sendrecv|sendonly|recvonly|inactive)/.exec(audio)?.[1];
  return {
    viewer,
    sdp,
    talk,
    audio: `${/m=audio (\d+) \S+ (.*)/.exec(audio)![1] === '0' ? 'rejected' : direction} ${/m=audio \d+ \S+ (.*)/.exec(audio)![1]}`,
  };
}

const stateOf = (service: StreamService, id = 'door') =>
  service.sessions().sessions.find((one) => one.id === id)?.talk;

/** Speaks until the camera has heard so many packets, of so many bytes. */
async function speakUntil(viewer: WeriftViewer, voice: readonly RtpPacket[], packets: number, bytes = 160) {
  for (let index = 0; voice.filter(({ payload }) => payload.length === bytes).length < packets; index++) {
    viewer.speak(0, pcmuTone(440, index));
    await letPass(5);
  }
}

test('should carry voice to the camera over a connection of its own, and hang up after it', async (t) => {
  const { service, bus } = await startPanel(t);
  const { camera, voice, asked } = await talkCamera(t);
  const told: unknown[] = [];
  bus.onAny((name, payload) => name === 'talk' && told.push(payload));
  const { viewer, talk, audio } = await talker(t, service, camera.url('/live', 'cam:pass'));
  assert.deepEqual([talk, audio, stateOf(service)], ['ready', 'recvonly 0', 'ready']);
  // Until somebody talks the camera is only asked.
  assert.deepEqual(asked(), ['DESCRIBE 1']);
  await speakUntil(viewer, voice, 20);
  assert.equal(stateOf(service), 'talking');
  assert.deepEqual(asked(), ['DESCRIBE 1', 'DESCRIBE 2', 'SETUP 2 trackID=2', 'PLAY 2']);
  const samples = [...Buffer.concat(voice.map(({ payload }) => payload))].map((byte) =>
    decodeG711('PCMU', byte),
  );
  assert.ok(toneShare(samples, 440, 8_000) > 0.9);
  assert.deepEqual(voice.map(({ marker, payloadType }) => `${marker} ${payloadType}`).slice(0, 2), [
    'true 0',
    'false 0',
  ]);
  await service.close({ id: 'door' });
  await until(() => asked().includes('TEARDOWN 2'), 'the end of the talk');
  const states = told.map((event) => (event as { state: string }).state);
  assert.deepEqual(states, ['ready', 'talking', 'ready']);
  assert.deepEqual(told[1], { session: 'door', camera: null, state: 'talking', reason: null });
});

test('should not ask again what the camera takes for the next viewer', async (t) => {
  const { service } = await startPanel(t, {}, 5);
  const { camera, asked } = await talkCamera(t);
  await talker(t, service, camera.url(), 'one');
  await talker(t, service, camera.url(), 'two');
  assert.deepEqual(asked(), ['DESCRIBE 1']);
});

for (const status of [551, 400, 404, 500])
  test(`should let a viewer listen where the camera answers ${status}, and remember it`, async (t) => {
    const { service } = await startPanel(t, {}, 5);
    const pcma = sound(8, 'PCMA/8000', 'recvonly', 1);
    const { camera, asked } = await talkCamera(t, '', pcma, {
      DESCRIBE: ({ headers }) => (headers.has('require') ? { status } : undefined),
    });
    for (const id of ['one', 'two']) {
      const { talk, audio } = await talker(t, service, camera.url(), id);
      assert.deepEqual([talk, audio, stateOf(service, id)], ['none', 'sendonly 8', 'none']);
    }
    assert.deepEqual(asked(), ['DESCRIBE 1']);
  });

for (const [what, heard, sends, answer] of [
  [
    'the same codec both ways',
    sound(8, 'PCMA/8000', 'sendonly', 2),
    sound(8, 'PCMA/8000', 'recvonly', 1),
    'sendrecv 8',
  ],
  [
    'its own codec for PCMA in and PCMU out',
    sound(0, 'PCMU/8000', 'sendonly', 2),
    sound(8, 'PCMA/8000', 'recvonly', 1),
    'sendrecv 0',
  ],
  [
    'both codecs where none can be converted',
    sound(0, 'PCMU/8000', 'sendonly', 2),
    sound(9, 'G722/8000', 'recvonly', 1),
    'sendrecv 0 9',
  ],
  [
    'the codec of its sound before others',
    `${sound(0, 'PCMU/8000', 'sendonly', 2)}${sound(8, 'PCMA/8000', 'sendonly', 3)}`,
    sound(8, 'PCMA/8000', 'recvonly', 1),
    'sendrecv 8',
  ],
  [
    'only what browsers have',
    sound(97, 'MPEG4-GENERIC/16000', 'sendonly', 2),
    sound(8, 'PCMA/8000', 'recvonly', 1),
    'sendonly 8',
  ],
  ['nothing for no sound and no loudspeaker', '', '', 'rejected'],
] as const)
  test(`should answer with ${what}`, async (t) => {
    const { service } = await startPanel(t);
    const { camera } = await talkCamera(t, heard, sends);
    const { audio, talk } = await talker(t, service, camera.url());
    assert.equal(audio.replace(/^rejected.*/, 'rejected'), answer);
    assert.equal(talk, answer.startsWith('sendrecv') ? 'ready' : 'none');
  });

test('should convert the sound of the camera to the codec of the voice', async (t) => {
  const { service } = await startPanel(t);
  const { camera } = await talkCamera(t, undefined, sound(8, 'PCMA/8000', 'recvonly', 1));
  const { viewer } = await talker(t, service, camera.url());
  await until(() => {
    camera.sendFrame(2, rtpPacket(viewer.received.audio.length, 0, false, pcmaTone(440, 0), 8));
    return viewer.received.audio.length > 2;
  });
  const [packet] = viewer.received.audio;
  assert.equal(packet!.header.payloadType, 0);
  const samples = [...packet!.payload].map((byte) => decodeG711('PCMU', byte));
  assert.ok(toneShare(samples, 440, 8_000) > 0.9);
});

for (const method of ['SETUP', 'PLAY'])
  test(`should say that the camera refuses ${method}, and go on with the picture`, async (t) => {
    const { service, bus } = await startPanel(t);
    const reasons: string[] = [];
    bus.onAny((name, payload) => name === 'talk' && reasons.push((payload as { reason: string }).reason));
    const { camera } = await talkCamera(t, undefined, '', {
      [method]: ({ headers }) => (headers.has('require') ? { status: 453 } : undefined),
    });
    const { viewer } = await talker(t, service, camera.url());
    await until(() => {
      viewer.speak(0, pcmuTone(440, 0));
      return stateOf(service) === 'failed';
    });
    assert.match(reasons.at(-1)!, new RegExp(`${method} with RTSP 453`));
    const seen = viewer.received.video.length;
    await until(() => viewer.received.video.length > seen + 5, 'more of the picture');
  });

test('should talk over the connection of the picture where the camera has one only', async (t) => {
  const { camera, voice, asked } = await talkCamera(t, undefined, sound(8, 'PCMA/8000', 'recvonly', 1));
  const { service, bus } = await panelOf(t, camera.url(), 'together', 320);
  const cameras: unknown[] = [];
  bus.onAny((name, payload) => name === 'talk' && cameras.push((payload as { camera: unknown }).camera));
  const { viewer, talk, audio } = await talker(t, service, 'camera:door');
  assert.deepEqual([talk, audio], ['ready', 'sendrecv 0']);
  // On a busy machine half a packet may wait so long for the other half that it goes alone.
  await speakUntil(viewer, voice, 5, 320);
  assert.deepEqual(asked(), [
    'DESCRIBE 0',
    'SETUP 0 trackID=0',
    'SETUP 0 trackID=1',
    'SETUP 0 trackID=2',
    'PLAY 0',
  ]);
  assert.equal(camera.connections.all, 1);
  assert.deepEqual(
    voice.filter(({ payload }) => payload.length > 320),
    [],
  );
  assert.deepEqual(cameras, ['Door', 'Door']);
});

test('should play a camera together that knows no back channel', async (t) => {
  const { camera } = await talkCamera(t, undefined, '', {
    DESCRIBE: ({ headers }) => (headers.has('require') ? { status: 551 } : undefined),
  });
  const { service } = await panelOf(t, camera.url(), 'together');
  const { viewer, talk } = await talker(t, service, camera.url());
  await until(() => viewer.received.video.length > 5, 'the picture');
  assert.deepEqual([talk, camera.connections.all], ['none', 1]);
});

test('should leave a camera alone whose talk is off, and for viewers who only listen', async (t) => {
  const { camera, asked } = await talkCamera(t);
  const { service } = await panelOf(t, camera.url(), 'off');
  // By its address too.
  for (const url of ['camera:Door', camera.url()]) assert.equal((await talker(t, service, url)).talk, 'none');
  const listens = new WeriftViewer();
  t.after(() => listens.close());
  const { service: other } = await startPanel(t);
  const { talk } = await other.open({ id: 'a', url: camera.url(), sdp: await listens.offer() }, noSignal);
  assert.deepEqual([talk, asked()], ['none', []]);
});

test('security: should let viewers outside the panel talk only where streams.talkFromAfar is on', async (t) => {
  let fromAfar = false;
  const opened: boolean[] = [];
  const { service } = await startPanel(
    t,
    {},
    0,
    undefined,
    {},
    {
      fromAfar: () => fromAfar,
      onMicrophone: (isOpen) => opened.push(isOpen),
    },
  );
  const { camera, voice } = await talkCamera(t);
  const from = (address: string | null) => talker(t, service, camera.url(), 'door', { address });
  assert.equal((await from('192.168.1.9')).talk, 'none');
  for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1', null])
    assert.equal((await from(address)).talk, 'ready');
  fromAfar = true;
  const { viewer, talk } = await from('192.168.1.9');
  assert.equal(talk, 'ready');
  await speakUntil(viewer, voice, 2);
  // It is not the microphone of the panel.
  assert.deepEqual(opened, []);
});

test('security: should say that the microphone is open while packets of it come, silent ones too', async (t) => {
  const opened: boolean[] = [];
  const { service } = await startPanel(
    t,
    {},
    0,
    undefined,
    {},
    {
      onMicrophone: (isOpen) => opened.push(isOpen),
    },
  );
  const { camera, voice } = await talkCamera(t);
  const { viewer } = await talker(t, service, camera.url());
  await until(() => {
    viewer.speak(0, Buffer.alloc(160, 0xff));
    return opened.length > 0;
  });
  await until(() => opened.length > 1, 'the end of the packets');
  assert.deepEqual([opened, voice, stateOf(service)], [[true, false], [], 'ready']);
});

test('should say in an inspection what the camera takes', async (t) => {
  const { service } = await startPanel(t, { inspectMs: 100 });
  const both = `m=audio 0 RTP/AVP 0 97\r\na=rtpmap:97 MPEG4-GENERIC/16000\r\na=control:trackID=2\r\na=sendonly\r\n`;
  const talkOf = async (heard: string) => {
    const { camera } = await talkCamera(t, heard);
    return (await service.inspect({ url: camera.url() }, noSignal)).talk;
  };
  assert.deepEqual(await talkOf(both), { codecs: ['PCMU', 'MPEG4-GENERIC'], playable: true, hint: null });
  const aac = await talkOf(sound(97, 'MPEG4-GENERIC/16000', 'sendonly', 2));
  assert.deepEqual([aac?.codecs, aac?.playable], [['MPEG4-GENERIC'], false]);
  assert.match(aac!.hint!, /G\.711/);
  assert.equal(await talkOf(''), null);
});
