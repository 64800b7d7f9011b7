import type { Page } from '@playwright/test';
import type { Api } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { cameraOf, openStreamBox, post, statesOf } from '../streamBox.ts';
import { stopDemo } from '../viewer.ts';

test.beforeEach(({ page }) => openStreamBox(page));

const hostOf = (page: Page, id: string) => page.locator(`[data-faceplate-stream="${id}"]`);

function rectOf(page: Page, selector: string) {
  return page.locator(selector).evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return [left, top, width, height].map(Math.round);
  });
}

function videoOf(page: Page, id: string) {
  return hostOf(page, id).evaluate((host) => {
    const video = window.videos.get(host)!;
    const { totalVideoFrames } = video.getVideoPlaybackQuality();
    return { frames: totalVideoFrames, width: video.videoWidth, muted: video.muted, volume: video.volume };
  });
}

async function sessionIds(api: Api): Promise<string[]> {
  const { sessions } = (await api('/api/stream/sessions')).body as { sessions: { id: string }[] };
  return sessions.map(({ id }) => id).sort();
}

test('should play a camera over a box without a request, follow the box, and free the session', async ({
  page,
  api,
}) => {
  const url = await cameraOf(page);
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  expect(await post(page, { action: 'open', id: 'door', url, divId: 'box' })).toEqual({
    status: 'ok',
    action: 'open',
    id: 'door',
  });
  await expect.poll(() => statesOf(page, 'door')).toEqual(['connecting', 'playing']);
  await expect.poll(async () => (await videoOf(page, 'door')).frames).toBeGreaterThan(10);
  expect(await videoOf(page, 'door')).toMatchObject({ width: 854, muted: true, volume: 1 });
  expect(requests).toEqual([]);
  expect(await sessionIds(api)).toEqual(['page.door']);

  const follows = async () => {
    const box = await rectOf(page, '#box');
    await expect.poll(() => rectOf(page, '[data-faceplate-stream="door"]')).toEqual(box);
    return box;
  };
  const first = await follows();
  await page.evaluate(() => scrollTo(0, 60));
  const scrolled = await follows();
  expect(scrolled[1]).toBe(first[1]! - 60);
  await page.locator('#box').evaluate((box) => {
    box.style.width = '480px';
    box.style.left = '20px';
  });
  expect((await follows()).slice(0, 3)).not.toEqual(scrolled.slice(0, 3));

  await post(page, { action: 'unmute', id: 'door' });
  await post(page, { action: 'volume', id: 'door', volume: 0.25 });
  expect(await videoOf(page, 'door')).toMatchObject({ muted: false, volume: 0.25 });
  await post(page, { action: 'mute', id: 'door' });
  expect(await videoOf(page, 'door')).toMatchObject({ muted: true });

  await post(page, { action: 'close', id: 'door' });
  expect(await sessionIds(api)).toEqual([]);
  await expect(hostOf(page, 'door')).toHaveCount(0);
  expect(await statesOf(page, 'door')).toEqual(['connecting', 'playing', 'closed']);
});

test('should place cameras in fractions of the screen, move them and close all', async ({ page, api }) => {
  const url = await cameraOf(page);
  const rect = { x: 0.5, y: 0, w: 0.5, h: 0.25 };
  await post(page, { action: 'open', id: 'a', url, rect });
  await post(page, { action: 'open', id: 'b', url, divId: 'box' });
  for (const id of ['a', 'b']) await expect.poll(() => statesOf(page, id)).toContain('playing');
  const [width, height] = await page.evaluate(() => [innerWidth, innerHeight] as const);
  const onScreen = () => hostOf(page, 'a').evaluate((host) => [host.clientWidth, host.clientHeight]);
  expect(await onScreen()).toEqual([Math.round(width / 2), Math.round(height / 4)]);
  await post(page, { action: 'resize', id: 'a', rect: { x: 0, y: 0, w: 1, h: 1 } });
  expect(await onScreen()).toEqual([width, height]);
  expect(await sessionIds(api)).toEqual(['page.a', 'page.b']);
  expect(await post(page, { action: 'closeAll' })).toEqual({ status: 'ok', action: 'closeAll', closed: 2 });
  expect(await sessionIds(api)).toEqual([]);
});

test('should refuse bad messages and name the field', async ({ page, api }) => {
  const url = 'rtsp://127.0.0.1:1/x';
  const open = { action: 'open', id: 'x', url };
  for (const [message, field] of [
    [{ action: 'explode' }, 'action'],
    [{ ...open, id: 'no blanks', divId: 'box' }, 'id'],
    [{ ...open, url: 'http://127.0.0.1/', divId: 'box' }, 'url'],
    [open, 'divId'],
    [{ ...open, divId: 'nowhere' }, 'divId'],
    [{ ...open, rect: { x: 0.8, y: 0, w: 0.5, h: 1 } }, 'rect'],
    [{ ...open, rect: { x: 0, y: 0, w: 0, h: 1 } }, 'rect'],
    [{ ...open, rect: { x: '0', y: 0, w: 1, h: 1 } }, 'rect'],
    [{ ...open, rect: null }, 'rect'],
    [{ ...open, divId: 'box', sdp: 'v=0' }, 'sdp'],
  ] as const) {
    expect(await post(page, message), JSON.stringify(message)).toEqual({ code: 'INVALID_REQUEST', field });
  }
  for (const action of ['close', 'mute', 'resize', 'volume'])
    expect(await post(page, { action, id: 'never' })).toEqual({ code: 'SESSION_NOT_FOUND', field: 'id' });
  expect(await sessionIds(api)).toEqual([]);
});

test('should be the second way for the demo to play its camera', async ({ page, api }) => {
  await page.getByTestId('camera-bridge').click();
  await page.getByTestId('camera-play').click();
  await expect(page.getByTestId('camera-state')).toHaveText('Live');
  expect(await sessionIds(api)).toEqual(['page.camera-screen']);
  await expect.poll(async () => (await videoOf(page, 'camera-screen')).frames).toBeGreaterThan(5);
  await page.getByTestId('camera-bridge').click();
  await expect.poll(() => sessionIds(api)).toEqual([expect.stringMatching(/^demo-/)]);
  await expect(page.getByTestId('camera-state')).toHaveText('Live');
  await stopDemo(page);
});

test('should free the session when the page is left', async ({ page, api }) => {
  await post(page, { action: 'open', id: 'door', url: await cameraOf(page), divId: 'box' });
  await expect.poll(() => statesOf(page, 'door')).toContain('playing');
  await page.reload();
  // Long before the 15 s after which a vanished viewer is noticed.
  await expect
    .poll(async () => (await sessionIds(api)).includes('page.door'), { timeout: 10_000 })
    .toBe(false);
});

test('security: should give a frame nothing, and leave no maker of streams in the page', async ({ page }) => {
  const found = await page.evaluate(async () => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const inside = frame.contentWindow as unknown as Record<string, unknown>;
    return ['container' in inside, 'faceplateStreams' in inside, 'faceplateStreams' in window];
  });
  expect(found).toEqual([false, false, false]);
});
