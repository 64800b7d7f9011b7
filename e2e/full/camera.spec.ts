import { join } from 'node:path';
import { CAMERA_LOGIN, startVlcCamera } from '../../server/testing/rtspCamera.ts';
import { failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { expectMovingPictures, offerOf, playInDemo, statsOf, watch } from '../viewer.ts';

const PASSWORD = 's3cret';

test('should play H.264 with PCMU of a real camera', async ({ page, cameras, api }) => {
  await playInDemo(page, cameras.url('h264-pcmu'));
  await expectMovingPictures(page, 640, 360);

  expect((await watch(page, 'with-sound', cameras.url('h264-pcmu'))).status).toBe(200);
  await expect
    .poll(() => statsOf(page, 'with-sound'))
    .toMatchObject({ video: { codec: 'video/H264' }, audio: { codec: 'audio/PCMU' } });
  await expect.poll(async () => (await statsOf(page, 'with-sound')).audio?.packets).toBeGreaterThan(50);
  await expect.poll(async () => (await statsOf(page, 'with-sound')).video?.frames).toBeGreaterThan(20);
  const { body } = await api('/api/stream/sessions');
  expect(body.sessions).toContainEqual(
    expect.objectContaining({ id: 'with-sound', audioCodec: 'PCMU', viewers: 2 }),
  );
  expect((await api('/api/stream/whep/with-sound', undefined, { method: 'DELETE' })).status).toBe(200);
});

for (const [mount, codec] of [
  ['h264-pcma', 'PCMA'],
  ['h264-g722', 'G722'],
] as const) {
  test(`should give the page the sound of a camera in ${codec} to hear`, async ({ page, cameras, api }) => {
    expect((await watch(page, codec, cameras.url(mount))).status).toBe(200);
    await expect
      .poll(() => statsOf(page, codec))
      .toMatchObject({ video: { codec: 'video/H264' }, audio: { codec: `audio/${codec}` } });
    // Chromium decodes only sound that is played.
    await page.evaluate(() => {
      for (const video of document.querySelectorAll('video')) video.muted = false;
    });
    await expect.poll(async () => (await statsOf(page, codec)).audio?.energy).toBeGreaterThan(0);
    await api(`/api/stream/whep/${codec}`, undefined, { method: 'DELETE' });
  });
}

test('should play packets as large as an Ethernet frame without losing one', async ({
  page,
  cameras,
  api,
}) => {
  expect((await watch(page, 'usual', cameras.url('usual-packets'))).status).toBe(200);
  await expect.poll(async () => (await statsOf(page, 'usual')).video?.frames).toBeGreaterThan(60);
  const { body } = await api('/api/stream/sessions');
  expect(body.sessions).toContainEqual(
    expect.objectContaining({ id: 'usual', state: 'playing', width: 1280, height: 720, lost: 0 }),
  );
  await api('/api/stream/whep/usual', undefined, { method: 'DELETE' });
});

test('should play a camera of another make, which refuses TCP', async ({ page, api }) => {
  const vlc = await startVlcCamera(join(import.meta.dirname, '../../server/video/simulatedCamera/demo.h264'));
  try {
    expect((await watch(page, 'vlc', vlc.url)).status).toBe(200);
    await expect.poll(async () => (await statsOf(page, 'vlc')).video?.frames).toBeGreaterThan(30);
    const { body } = await api('/api/stream/sessions');
    expect(body.sessions).toContainEqual(
      expect.objectContaining({ id: 'vlc', state: 'playing', codec: 'H264', width: 854, height: 480 }),
    );
    await api('/api/stream/whep/vlc', undefined, { method: 'DELETE' });
  } finally {
    await vlc.stop();
  }
});

test('should name the codec of an H.265 camera in the page and over HTTP', async ({ page, cameras, api }) => {
  await playInDemo(page, cameras.url('h265'));
  await expect(page.getByTestId('camera-card')).toHaveAttribute('data-state', 'failed');
  await expect(page.getByTestId('camera-status')).toContainText(/H\.265.*\(UNSUPPORTED_CODEC\)/);
  const answer = await api('/api/stream/whep/hevc', { url: cameras.url('h265'), sdp: await offerOf(page) });
  expect(answer).toEqual(failure(415, 'UNSUPPORTED_CODEC', /H\.265/));
  expect((await api('/api/stream/sessions')).body).toEqual({ sessions: [], max: 8 });
});

test('security: should log in to a camera with Digest and show its password nowhere', async ({
  page,
  cameras,
  api,
  panel,
}) => {
  const rightUrl = cameras.url('login', CAMERA_LOGIN);
  await playInDemo(page, rightUrl);
  await expectMovingPictures(page, 320, 180);
  const sessions = await api('/api/stream/sessions');
  expect(sessions.body.sessions).toEqual([
    expect.objectContaining({ url: rightUrl.replace(/:s3cret[^@]*/, ''), state: 'playing' }),
  ]);

  const wrongUrl = cameras.url('login', `cam:${PASSWORD}-but-wrong`);
  const sdp = await offerOf(page);
  const wrong = await api('/api/stream/whep/wrong', { url: wrongUrl, sdp });
  expect(wrong).toEqual(failure(502, 'CAMERA_UNAUTHORIZED', /401/));
  const none = await api('/api/stream/whep/none', { url: cameras.url('login'), sdp });
  expect(none).toEqual(failure(502, 'CAMERA_UNAUTHORIZED', /rtsp:\/\/user:password@/));
  await playInDemo(page, wrongUrl);
  await expect(page.getByTestId('camera-status')).toContainText('(CAMERA_UNAUTHORIZED)');
  const said = [sessions, wrong, none, await page.getByTestId('camera-status').textContent()];
  expect(JSON.stringify(said)).not.toContain(PASSWORD);
  expect(panel.output).not.toContain(PASSWORD);
});

test('should say that a camera has nothing at a path', async ({ page, cameras, api }) => {
  const url = cameras.url('no-such-stream');
  await playInDemo(page, url);
  await expect(page.getByTestId('camera-status')).toContainText('(CAMERA_NOT_FOUND)');
  const answer = await api('/api/stream/whep/nowhere', { url, sdp: await offerOf(page) });
  expect(answer).toEqual(failure(502, 'CAMERA_NOT_FOUND', /404/));
});
