import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures.ts';
import { stopDemo } from '../viewer.ts';

declare global {
  interface Window {
    /** Messages of streamBridge, as they came. */
    told: { action: string; id: string; state?: string; code?: string; error?: string }[];
    /** The cameras' video elements, by their host element. */
    videos: Map<Element, HTMLVideoElement>;
  }
}

const BOX = 'position:absolute;left:100px;top:150px;width:320px;height:180px;z-index:1';

test.beforeEach(async ({ page }) => {
  await stopDemo(page);
  await page.evaluate((style) => {
    const box = document.createElement('div');
    box.id = 'box';
    box.style.cssText = style;
    const tall = document.createElement('div');
    tall.style.cssText = 'position:absolute;top:0;height:5000px;width:1px';
    document.body.append(box, tall);
    document.documentElement.style.cssText = 'overflow:auto;height:auto';
    document.body.style.cssText = 'overflow:visible;height:auto';
    window.told = [];
    window.container!.streamBridge.onmessage = ({ data }) => window.told.push(JSON.parse(data));
    // The shadow root is closed, so the test keeps it when it is made.
    window.videos = new Map();
    const attachShadow = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (options) {
      const root = attachShadow.call(this, options);
      setTimeout(() => window.videos.set(this, root.querySelector('video')!));
      return root;
    };
  }, BOX);
});

function post(page: Page, message: object): Promise<unknown> {
  return page.evaluate(
    (json) =>
      window.container!.streamBridge.postMessage(json).catch((error) => ({
        code: error.code,
        field: error.field,
      })),
    JSON.stringify(message),
  );
}

const statesOf = (page: Page, id: string) =>
  page.evaluate((id) => window.told.filter((it) => it.id === id && it.state).map((it) => it.state), id);

test('should say why a camera does not play, and try again until it is closed', async ({ page, cameras }) => {
  const divId = 'box';
  await post(page, { action: 'open', id: 'h265', url: cameras.url('h265'), divId });
  await expect.poll(() => statesOf(page, 'h265')).toEqual(['connecting', 'failed']);
  await post(page, { action: 'open', id: 'gone', url: 'rtsp://127.0.0.1:1/x', divId });
  await expect
    .poll(() => statesOf(page, 'gone'))
    .toEqual(expect.arrayContaining(['connecting', 'failed', 'connecting', 'failed']));
  await expect.poll(async () => (await statesOf(page, 'gone')).length).toBeGreaterThan(3);
  const told = await page.evaluate(() => window.told.filter(({ state }) => state === 'failed'));
  expect(told[0]).toMatchObject({ id: 'h265', code: 'UNSUPPORTED_CODEC', error: expect.any(String) });
  expect(told[1]).toMatchObject({ id: 'gone', code: 'CAMERA_UNREACHABLE' });
  expect(await statesOf(page, 'h265')).toHaveLength(2);
  await post(page, { action: 'closeAll' });
});
