import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { pressSettingsKeys } from './kioskService.ts';

/** The PIN that the tests choose. */
export const PIN = '2580';

/** The time in which a settings page that was called for is there, in milliseconds. */
const OPEN_LIMIT_MS = 30_000;

/** Opens the settings page as a person at the panel does, on a keyboard. */
export async function callForSettings(page: Page): Promise<Page> {
  await takesInput(page);
  const opened = settingsOpen(page);
  await pressSettingsKeys(page);
  return withPinPad(await opened());
}

/** Opens the settings page of a panel that has no PIN yet, and chooses one. */
export async function openNewSettings(page: Page): Promise<Page> {
  const settings = await callForSettings(page);
  for (const _ of ['first', 'again']) await enter(settings, PIN);
  return settings;
}

/** Five fingers on the project's page, until the settings page is there. */
export async function holdFiveFingers(page: Page): Promise<Page> {
  await takesInput(page);
  const opened = settingsOpen(page);
  const devTools = await page.context().newCDPSession(page);
  const touchPoints = [1, 2, 3, 4, 5].map((id) => ({ x: 150 * id, y: 300, id }));
  await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  const settings = await withPinPad(await opened());
  await devTools.detach();
  return settings;
}

/**
 * Waits until the page hears a key, which does nothing. A page that was covered takes input again a moment after the
 * window above it has gone, and a new one hears nothing before it is drawn.
 */
async function takesInput(page: Page): Promise<void> {
  await expect(async () => {
    const heard = await page.evaluateHandle(() => {
      const heard = { isKey: false };
      const hear = () => {
        heard.isKey = true;
      };
      addEventListener('keydown', hear, { capture: true, once: true });
      return heard;
    });
    await page.keyboard.press('Shift');
    expect(await heard.evaluate(({ isKey }) => isKey)).toBe(true);
  }).toPass({ timeout: OPEN_LIMIT_MS });
}

/**
 * The settings page that opens from now on. Not by the event of a new page and `waitForURL`: that one gives up where the
 * empty page of the window is still loading when the settings page takes its place.
 * @returns waits for it
 */
function settingsOpen(page: Page): () => Promise<Page> {
  const before = new Set(page.context().pages());
  const find = () =>
    page
      .context()
      .pages()
      .find((other) => !before.has(other) && other.url().startsWith('http://settings.localhost'));
  return async () => {
    await expect
      .poll(() => find() !== undefined, { message: 'the settings page', timeout: OPEN_LIMIT_MS })
      .toBe(true);
    return find() as Page;
  };
}

async function withPinPad(settings: Page): Promise<Page> {
  await expect(settings.getByTestId('pin-title')).toBeVisible();
  return settings;
}

/** Types a PIN on the pad. */
export async function enter(settings: Page, pin: string): Promise<void> {
  for (const digit of pin) await settings.getByTestId(`pin-${digit}`).click();
  await settings.getByTestId('pin-ok').click();
}

/** Answers the question that the page asks now. */
export async function answer(settings: Page, choice: 'yes' | 'no'): Promise<void> {
  await settings.getByTestId('question').getByTestId(choice).click();
  await expect(settings.getByTestId('question')).toHaveCount(0);
}
