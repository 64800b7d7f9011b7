import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { FaceplateProcess } from '../server/testing/faceplateProcess.ts';
import { expect } from './fixtures.ts';
import { settingsPageOf } from './kioskService.ts';

/**
 * One finger, as Chromium hears of it from a screen, once the element stands still and can be used. Again where that fell
 * beside it: a page moves while its facts come, and hears nothing before it is drawn.
 */
export async function touch(page: Page, testId: string): Promise<void> {
  const target = page.getByTestId(testId);
  const devTools = await page.context().newCDPSession(page);
  const send = (type: 'touchStart' | 'touchEnd' | 'touchCancel', touchPoints: { x: number; y: number }[]) =>
    devTools.send('Input.dispatchTouchEvent', { type, touchPoints });
  for (;;) {
    await target.click({ trial: true });
    const { x, y, width, height } = (await target.boundingBox())!;
    const hit = await target.evaluateHandle((element) => {
      const hit = { isIt: false };
      addEventListener(
        'pointerdown',
        (event) => {
          hit.isIt = element.contains(event.target as Node);
        },
        { capture: true, once: true },
      );
      return hit;
    });
    await send('touchStart', [{ x: x + width / 2, y: y + height / 2 }]);
    if (await hit.evaluate(({ isIt }) => isIt)) break;
    await send('touchCancel', []);
  }
  await send('touchEnd', []);
  // What was touched may have closed the page.
  await devTools.detach().catch(() => undefined);
}

/** Touches what closes the page, and once more where that fell beside it: the page moves while the keys go. */
export async function touchToClose(page: Page, testId: string): Promise<void> {
  await expect(async () => {
    if (page.isClosed()) return;
    const closed = page.waitForEvent('close', { timeout: 5_000 });
    touch(page, testId).catch(() => undefined);
    await closed;
  }).toPass({ timeout: 30_000 });
}

/** Waits until the set-up is at this step. */
export async function isAt(page: Page, step: string): Promise<void> {
  await expect(page.getByTestId('wizard')).toHaveAttribute('data-step', step);
}

/** Goes on to the next step; touches once more where that fell beside it: a step moves while its facts come. */
export async function goOn(page: Page, next: string): Promise<void> {
  const wizard = page.getByTestId('wizard');
  await expect(async () => {
    if ((await wizard.getAttribute('data-step')) !== next) await touch(page, 'setup-next');
    await expect(wizard).toHaveAttribute('data-step', next, { timeout: 5_000 });
  }).toPass({ timeout: 20_000 });
}

interface Screen {
  readonly width: number;
  readonly height: number;
  /** Whether axe-core looks at each step, which takes its time. */
  readonly withAxe: boolean;
}

/** Goes through all steps on a screen of this size: each has to fit it, with its buttons in sight. */
export async function fitsEachStep(
  service: FaceplateProcess,
  { width, height, withAxe }: Screen,
): Promise<void> {
  const { page, detach } = await settingsPageOf(service);
  await page.setViewportSize({ width, height });
  for (const step of ['language', 'name', 'pin', 'network', 'time', 'show', 'done']) {
    await isAt(page, step);
    await expect(page.getByText('Loading…')).toHaveCount(0);
    const { wide, cut } = await page.evaluate(() => ({
      wide: document.documentElement.scrollWidth - innerWidth,
      cut: document.documentElement.scrollHeight - innerHeight,
    }));
    expect([wide, cut], step).toEqual([0, 0]);
    await expect(page.getByTestId('setup-next')).toBeInViewport({ ratio: 1 });
    if (step === 'pin') await expect(page.getByTestId('pin-ok')).toBeInViewport({ ratio: 1 });
    if (withAxe) {
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
      const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
      expect(
        serious.map(({ id }) => id),
        step,
      ).toEqual([]);
    }
    if (step === 'show') {
      await touch(page, 'show-address');
      await touch(page, 'page-url');
      await expect(page.getByTestId('page-url')).toBeInViewport({ ratio: 1 });
      await expect(page.getByTestId('setup-next')).toBeInViewport({ ratio: 1 });
      await touch(page, 'show-demo');
    }
    await touch(page, 'setup-next');
  }
  await detach();
}
