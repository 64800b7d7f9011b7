import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { deltaSlice, H264_SDP, idrSlice, PPS, SPS, usualReply } from '../../testing/scriptedCamera.ts';
import { until } from '../../testing/waiting.ts';
import { aggregate } from '../../webrtc/rtp/h264.ts';
import type { StreamSession } from '../contract.ts';
import { newViewer, noSignal, startCamera, startPanel, watch } from '../testing/testPanel.ts';
import { PictureCheck } from './pictureCheck.ts';

/** Packets of a stream as they leave: `K` begins a key frame, `!` is a marker, each picture has the next time. */
function leave(
  check: PictureCheck,
  ...pictures: (readonly (readonly [string, Buffer, number?])[])[]
): boolean[] {
  return pictures.map(
    (packets, picture) =>
      packets
        .map(([flags, payload, lost]) =>
          check.add(
            {
              payload,
              timestamp: 3_600 * picture,
              marker: flags.includes('!'),
              startsKeyFrame: flags.includes('K'),
            },
            lost,
          ),
        )
        .at(-1)!,
  );
}

const SETS = aggregate([SPS, PPS]);

test('should take for the first picture a whole key frame with its parameter sets and a marker', () => {
  const whole = new PictureCheck();
  assert.equal(whole.fault, 'noKeyFrame');
  assert.deepEqual(
    leave(
      whole,
      [['!', deltaSlice()]],
      [
        ['K', SETS],
        ['!', idrSlice()],
      ],
      [['!', deltaSlice()]],
    ),
    [false, true, true],
  );
  assert.deepEqual([whole.fault, whole.keyFrames], [undefined, 1]);
  whole.restart();
  assert.equal(whole.fault, 'noKeyFrame');
});

for (const [what, first, fault] of [
  ['no parameter sets', [['K!', idrSlice()]], 'noParameterSets'],
  [
    'an SPS alone',
    [
      ['K', SPS],
      ['!', idrSlice()],
    ],
    'noParameterSets',
  ],
  [
    'an SPS that cannot be read',
    [
      ['K', aggregate([SPS.subarray(0, 6), PPS])],
      ['!', idrSlice()],
    ],
    'noParameterSets',
  ],
  [
    'sets behind a start code',
    [
      ['K', Buffer.concat([Buffer.from([0, 0, 0, 1]), SPS])],
      ['!', idrSlice()],
    ],
    'noParameterSets',
  ],
  [
    'no marker',
    [
      ['K', SETS],
      ['', idrSlice()],
    ],
    'incomplete',
  ],
  [
    'a packet lost in it',
    [
      ['K', SETS, 3],
      ['!', idrSlice(), 4],
    ],
    'incomplete',
  ],
] as const) {
  test(`should take a key frame with ${what} for no picture, nor what follows it`, () => {
    const check = new PictureCheck();
    assert.deepEqual(leave(check, first, [['!', deltaSlice()]], [['!', deltaSlice()]]), [
      false,
      false,
      false,
    ]);
    assert.equal(check.fault, fault);
  });
}

/** A viewer of a camera, on a clock that stands still, and the problems that were announced. */
async function watchOnClock(t: TestContext, sdp = H264_SDP) {
  const clock = new FakeClock();
  const { service, bus } = await startPanel(t, { tickMs: 500, reconnectMs: 60_000 }, 0, clock);
  const announced: string[] = [];
  bus.onAny((name, payload) => {
    const { state, problem } = payload as StreamSession;
    if (name === 'stream') announced.push(`${state} ${problem?.code ?? '-'}`);
  });
  let isAway = false;
  const { camera, video } = await startCamera(t, (request) =>
    isAway && request.method === 'DESCRIBE' ? { status: 503 } : usualReply(request, sdp),
  );
  const viewer = await watch(t, service, 'door', camera.url());
  await viewer.connected();
  const session = () => service.sessions().sessions[0]!;
  /** Half seconds pass, with a picture in each. */
  const pass = async (halfSeconds: number, nals?: readonly Buffer[]) => {
    for (let count = 0; count < halfSeconds; count++) {
      if (nals !== undefined) {
        const before = session().packets + session().lost;
        video.sendPicture(nals);
        if (nals[0] !== undefined && before > 0) await until(() => session().packets > before, 'the picture');
        else await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await clock.advance(500);
    }
  };
  const leave = () => {
    isAway = true;
    camera.hangUp();
  };
  return { clock, service, camera, video, viewer, announced, session, pass, leave };
}

test('should say after 5 s that the camera sends nothing, until a picture comes', async (t) => {
  const { clock, video, viewer, announced, session } = await watchOnClock(t);
  await clock.advance(4_900);
  assert.equal(session().problem, null);
  await clock.advance(600);
  assert.deepEqual(session().problem, {
    code: 'NO_MEDIA',
    error: 'The camera answers and starts the stream, but sends no video.',
  });
  video.sendPicture();
  // The first picture ends where the next begins: time stands still, and its marker is not trusted yet.
  video.sendPicture();
  await until(() => session().problem === null, 'the end of the problem');
  await until(() => viewer.received.video.length > 0, 'the picture');
  await clock.advance(500);
  assert.deepEqual(announced, ['connecting -', 'stalled -', 'stalled NO_MEDIA', 'playing -']);
});

test('should say that no key frame comes, and forget it with the first', async (t) => {
  const { pass, session } = await watchOnClock(t);
  await pass(11, [deltaSlice()]);
  assert.deepEqual([session().state, session().problem?.code], ['connecting', 'NO_KEY_FRAME']);
  await pass(1, [idrSlice()]);
  assert.deepEqual([session().state, session().problem], ['playing', null]);
});

test('should say that key frames come without parameter sets, though packets reach the viewer', async (t) => {
  const { pass, session } = await watchOnClock(t, H264_SDP.replace(/;sprop-parameter-sets=\S+/, ''));
  await pass(11, [idrSlice()]);
  assert.equal(session().problem?.code, 'NO_KEY_FRAME');
  assert.match(session().problem!.error, /without usable parameter sets/);
});

test('should say why the camera is not there any more, and why a slow one is not yet', async (t) => {
  const { clock, service, video, session, pass, leave } = await watchOnClock(t);
  await pass(2, [idrSlice()]);
  leave();
  await until(async () => {
    await clock.advance(500);
    return session().problem !== null;
  }, 'the problem');
  assert.equal(session().state, 'stalled');
  assert.match(session().problem!.code, /^CAMERA_(?:UNREACHABLE|PROTOCOL)$/);
  video.stop();
  await service.close({ id: 'door' });
  const silent = await startCamera(t, () => undefined);
  const { sdp } = await newViewer(t);
  const opening = service.open({ id: 'slow', url: silent.camera.url(), sdp }, noSignal);
  opening.catch(() => {});
  await until(() => service.sessions().sessions.some(({ id }) => id === 'slow'));
  await clock.advance(5_500);
  const problem = service.sessions().sessions.find(({ id }) => id === 'slow')?.problem;
  assert.equal(problem?.code, 'CAMERA_TIMEOUT');
  await service.close({ id: 'slow' });
});

test('should blame no camera while the viewer itself has not connected', async (t) => {
  const clock = new FakeClock();
  const { service } = await startPanel(t, { tickMs: 500, handshakeMs: 600_000 }, 0, clock);
  const { camera, video } = await startCamera(t);
  const { sdp } = await newViewer(t);
  await service.open({ id: 'blind', url: camera.url(), sdp }, noSignal);
  video.sendPicture();
  await clock.advance(4_000);
  await clock.advance(2_000);
  assert.equal(service.sessions().sessions[0]!.problem, null);
});
