import type { CDPSession, Locator, Page } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';
import { expect } from './fixtures.ts';
import { keysPage } from './kioskService.ts';

/** Height of the headless screen, in pixels. */
const SCREEN = 800;

/** A panel with its keyboard on the screen, used as by a person: touches on the page, touches on the keys. */
export class OnScreenKeyboard {
  readonly page: Page;
  readonly keys: Page;
  readonly #fingers: Map<Page, CDPSession>;
  readonly detach: () => Promise<void>;

  private constructor(page: Page, keys: Page, fingers: Map<Page, CDPSession>, detach: () => Promise<void>) {
    this.page = page;
    this.keys = keys;
    this.#fingers = fingers;
    this.detach = detach;
  }

  static async of(service: FaceplateProcess, page: Page): Promise<OnScreenKeyboard> {
    let found: Awaited<ReturnType<typeof keysPage>> | undefined;
    await expect(async () => {
      found = await keysPage(service);
      // Until the layer is shown, its keys have no size.
      await found.page
        .getByRole('button', { name: 'Enter', exact: true, includeHidden: true })
        .waitFor({ state: 'attached', timeout: 1_000 });
    }).toPass({ timeout: 15_000 });
    const fingers = new Map([[page, await page.context().newCDPSession(page)]]);
    const { page: keys, detach } = found!;
    fingers.set(keys, await keys.context().newCDPSession(keys));
    return new OnScreenKeyboard(page, keys, fingers, detach);
  }

  /** A touch in the middle of an element of the page that stands still, also in a frame or shadow tree, by its place in the page. */
  async touch(selector: string, frame?: string): Promise<void> {
    const target =
      frame === undefined ? this.page.locator(selector) : this.page.frameLocator(frame).locator(selector);
    // Who makes room for the keys moves it.
    await (await target.elementHandle())!.waitForElementState('stable');
    const { x, y, width, height } = (await target.boundingBox())!;
    await this.touchAt(x + width / 2, y + height / 2);
  }

  async touchAt(x: number, y: number): Promise<void> {
    await tap(this.#fingers.get(this.page)!, x, y);
  }

  /** Touches these keys, characters or names of keys, once they are there and drawn: before, a page hears nothing. */
  async press(...names: readonly string[]): Promise<void> {
    const finger = this.#fingers.get(this.keys)!;
    for (const name of names) {
      const key = this.keys.getByRole('button', { name, exact: true });
      for (let isHeard = false; !isHeard; ) {
        const heard = await this.keys.evaluateHandle(() => {
          const heard = { isIt: false };
          addEventListener('pointerdown', () => (heard.isIt = true), { capture: true, once: true });
          return heard;
        });
        const { x, y, width, height } = await placeOf(key);
        // In one go: a finger that a busy machine holds for 400 ms would ask for the accents of the key.
        await Promise.all([
          begin(finger, x + width / 2, y + height / 2),
          finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] }),
        ]);
        isHeard = await heard.evaluate(({ isIt }) => isIt);
      }
    }
  }

  async isOpen(): Promise<void> {
    await expect.poll(() => this.page.evaluate('innerHeight')).toBeLessThan(SCREEN);
  }

  async isClosed(): Promise<void> {
    await expect.poll(() => this.page.evaluate('innerHeight')).toBe(SCREEN);
  }
}

async function begin(finger: CDPSession, x: number, y: number): Promise<void> {
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
}

async function tap(finger: CDPSession, x: number, y: number): Promise<void> {
  await begin(finger, x, y);
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** Where a key is; the keys are drawn anew when the field or Shift changes. */
async function placeOf(key: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await key.waitFor();
  return (await key.boundingBox()) ?? placeOf(key);
}
