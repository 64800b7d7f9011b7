import { expect, type Page } from '@playwright/test';
import { stopDemo } from './viewer.ts';

declare global {
  interface Window {
    /** Messages of streamBridge, as they came. */
    told: { action: string; id: string; state?: string; code?: string; error?: string }[];
    /** The cameras' video elements, by their host element. */
    videos: Map<Element, HTMLVideoElement>;
  }
}

const BOX = 'position:absolute;left:100px;top:150px;width:320px;height:180px;z-index:1';

/** A box for a camera in the page, and a record of what streamBridge tells and of the videos that it makes. */
export async function openStreamBox(page: Page): Promise<void> {
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
}

/** Sends streamBridge a message. @returns its error, if it refuses it */
export function post(page: Page, message: object): Promise<unknown> {
  return page.evaluate(
    (json) =>
      window.container!.streamBridge.postMessage(json).catch((error) => ({
        code: error.code,
        field: error.field,
      })),
    JSON.stringify(message),
  );
}

/** The states that it told of a stream, in their order. */
export const statesOf = (page: Page, id: string) =>
  page.evaluate((id) => window.told.filter((it) => it.id === id && it.state).map((it) => it.state), id);

/** The camera of the demo page, which gets it from the service. */
export async function cameraOf(page: Page): Promise<string> {
  const url = page.getByTestId('camera-url');
  await expect(url).toHaveValue(/^rtsp:/);
  return url.inputValue();
}
