import type { Page } from '@playwright/test';
import { decodeG711 } from '../../server/intercom/testing/media/g711.ts';
import {
  H264_SDP,
  type ScriptedCamera,
  ScriptedVideo,
  usualReply,
} from '../../server/testing/scriptedCamera.ts';
import { expect, test } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';
import { watchMicrophones } from '../microphones.ts';
import { openStreamBox, post } from '../streamBox.ts';
import { stopDemo } from '../viewer.ts';

/** The microphone of this browser beeps. */
const SERVICE = { kiosk: true, env: { FACEPLATE_KIOSK_FAKE_MEDIA: 'true' } };
const LOUDSPEAKER = 'm=audio 0 RTP/AVP 8\r\na=rtpmap:8 PCMA/8000\r\na=control:trackID=1\r\na=sendonly\r\n';

/** A camera that listens. @returns what it has heard, as samples */
async function doorCamera(startCamera: (reply: typeof usualReply) => Promise<ScriptedCamera>) {
  const camera = await startCamera((request) =>
    usualReply(request, `${H264_SDP}${request.headers.has('require') ? LOUDSPEAKER : ''}`),
  );
  const samples: number[] = [];
  camera.onFrame = (channel, frame) => {
    // RTP of PCMA, behind its header of 12 bytes.
    if (channel !== 0 || (frame[1]! & 0x7f) !== 8) return;
    for (const byte of frame.subarray(12)) samples.push(decodeG711('PCMA', byte));
  };
  const video = new ScriptedVideo(camera);
  video.start();
  return { camera, samples, stop: () => video.stop() };
}

const talkOf = (page: Page, id: string) =>
  page.evaluate((id) => {
    const told = window.told as { id: string; talk?: string }[];
    return told.filter((it) => it.id === id).map(({ talk }) => talk);
  }, id);

test('should carry the microphone of the page to the camera while the page says so, and mark it on the glass', async ({
  sharedFaceplate,
  openDemo,
  startCamera,
}) => {
  const service = await sharedFaceplate(SERVICE);
  const page = await openDemo(service);
  const glass = await glassOf(page);
  // The sheet of a visitor talks from there.
  const opens = glass.evaluate(async () => {
    const tracks = (await navigator.mediaDevices.getUserMedia({ audio: true })).getTracks();
    for (const track of tracks) track.stop();
    return tracks.length;
  });
  expect(await opens).toBe(1);
  await openStreamBox(page);
  const { camera, samples, stop } = await doorCamera(startCamera);
  const mark = glass.locator('#microphone');
  const open = { action: 'open', id: 'door', url: camera.url(), divId: 'box', talk: true };
  expect(await post(page, open)).toMatchObject({ status: 'ok' });
  await expect.poll(() => talkOf(page, 'door')).toContain('ready');
  await expect(mark).toBeHidden();
  const session = camera.connections.all;
  expect(await post(page, { action: 'talk', id: 'door', on: true })).toMatchObject({ status: 'ok' });
  await expect(mark).toBeVisible();
  await expect.poll(() => samples.length, { timeout: 15_000 }).toBeGreaterThan(16_000);
  expect(await talkOf(page, 'door')).toContain('talking');
  expect(camera.connections.all).toBe(session + 1);
  // Chromium's microphone beeps; Electron's too.
  expect(Math.max(...samples)).toBeGreaterThan(2_000);
  expect(await post(page, { action: 'talk', id: 'door', on: false })).toMatchObject({ status: 'ok' });
  await expect(mark).toBeHidden();
  const heard = samples.length;
  await expect.poll(() => camera.methods().at(-1), { timeout: 15_000 }).toBe('TEARDOWN');
  expect(samples.length).toBeLessThan(heard + 8_000);
  expect((await talkOf(page, 'door')).at(-1)).toBe('ready');
  await post(page, { action: 'closeAll' });
  stop();
});

test('should talk from the button of the demo while it is held', async ({
  sharedFaceplate,
  openDemo,
  startCamera,
}) => {
  const service = await sharedFaceplate(SERVICE);
  const page = await openDemo(service);
  await stopDemo(page);
  const openMicrophones = await watchMicrophones(page);
  const { camera, samples, stop } = await doorCamera(startCamera);
  await page.getByTestId('camera-url').fill(camera.url());
  await page.getByTestId('camera-play').click();
  const button = page.getByTestId('camera-talk');
  await expect(button).toBeVisible();
  await button.hover();
  await page.mouse.down();
  await expect.poll(() => samples.length, { timeout: 15_000 }).toBeGreaterThan(4_000);
  await expect(page.getByTestId('camera-status')).toHaveText('You can talk.');
  expect(await openMicrophones()).toBe(1);
  await page.mouse.up();
  await expect.poll(openMicrophones).toBe(0);
  await page.getByTestId('camera-play').click();
  await expect(button).toBeHidden();
  stop();
});
