import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { systemClock } from '../../../platform/clock.ts';
import { silentLogger } from '../../../platform/log.ts';
import { PPS, SPS } from '../../../testing/scriptedCamera.ts';
import { CameraFeed } from '../../cameraFeed.ts';
import { inspectCamera } from '../../inspect.ts';
import { defaultMediaLimits } from '../../limits.ts';
import { mendedSentences } from '../../media/mendedWords.ts';
import { parseCameraUrl } from '../../rtsp/cameraUrl.ts';
import { parseClip } from '../../simulatedCamera/clip.ts';
import { openAccess } from '../openAccess.ts';
import { allFieldCases } from './cases.ts';
import { FieldCamera } from './fieldCamera.ts';
import type { FieldCase } from './fieldCase.ts';
import { clipsOf } from './fieldVideo.ts';
import { PictureJudge } from './pictureJudge.ts';
import { VirtualTime } from './virtualTime.ts';

const USUAL_SECONDS = 6;
/** Until the first key frame, and again after a lost connection, until the silence is noticed. */
const START_MS = 15_000;
/** Pictures that a viewer may miss at the start, and at each connection that the case allows to be lost. */
const MISSED = 30;

const demo = new URL('../../simulatedCamera/demo.h264', import.meta.url);
const clips = clipsOf(parseClip(readFileSync(demo)), { sps: SPS, pps: PPS });
const time = new VirtualTime();
const limits = defaultMediaLimits;
const access = openAccess;

before(() => time.start());
after(() => time.stop());

for (const fieldCase of allFieldCases) {
  const { name, does, pending } = fieldCase;
  test(`should be right with a camera that ${does} (${name})`, async () => {
    const fault = await judge(fieldCase).catch((error: unknown) => error);
    if (pending) assert.notEqual(fault, undefined, 'it is right now: take `pending` away from its case');
    else if (fault !== undefined) throw fault;
  });
}

async function judge(fieldCase: FieldCase): Promise<void> {
  const { departs, right } = fieldCase;
  const camera = new FieldCamera(departs, clips);
  try {
    const url = parseCameraUrl(await camera.start());
    const seen = right.plays ? await watch(camera, url, fieldCase, right.losses) : [];
    // Behind the viewer, so that it knows what that one has learned of the camera.
    const { code, verdict, mended } = await inspect(url);
    assert.equal(code, right.plays ? 'OK' : right.code, `inspect says: ${verdict}`);
    if (right.plays)
      assert.deepEqual(new Set([...seen, ...mended]), new Set(mendedSentences(right.mended)), 'mended');
    assert.equal(camera.backChannels, 0, 'the loudspeaker was set up');
  } finally {
    await camera.stop();
  }
}

type Url = ReturnType<typeof parseCameraUrl>;

/** Resolves in virtual time. */
async function inTime<T>(promise: Promise<T>, ms: number): Promise<T> {
  let isDone = false;
  const ended = promise.finally(() => {
    isDone = true;
  });
  ended.catch(() => {});
  assert.ok(await time.pass(ms, () => isDone), 'it did not end in time');
  return ended;
}

async function inspect(url: Url) {
  const { signal } = new AbortController();
  return inTime(inspectCamera({ url, limits, access, signal }), 2 * START_MS);
}

/** @returns what was mended in the stream */
async function watch(
  camera: FieldCamera,
  url: Url,
  { departs, seconds = USUAL_SECONDS }: FieldCase,
  losses: number,
): Promise<string[]> {
  const judge = new PictureJudge(clips[departs.clip ?? 'plain']);
  const feed = new CameraFeed({
    url,
    limits,
    log: silentLogger(),
    access,
    clock: systemClock,
    isWanted: () => true,
    onEnded: () => {},
  });
  feed.attach(judge);
  feed.start();
  try {
    await inTime(feed.ready, START_MS);
    await time.pass(seconds * 1_000);
    const { faults, pictures, keyFrames } = judge;
    assert.deepEqual(faults, [], `${pictures} pictures`);
    const lost = camera.plays - 1;
    assert.ok(lost <= losses, `the camera was lost ${lost} times`);
    const due = seconds * 25 - MISSED * (1 + lost);
    assert.ok(pictures >= due, `${pictures} pictures of ${due}`);
    assert.ok(keyFrames >= seconds - 2 * (1 + lost), `${keyFrames} key frames`);
    return mendedSentences(feed.mended);
  } finally {
    await inTime(feed.stop(), START_MS);
  }
}
