import type { Page } from '@playwright/test';
import { expect } from './fixtures.ts';
import { pressSettingsKeys } from './kioskService.ts';

/** The PIN that the tests choose. */
export const PIN = '2580';

/** Opens the settings page as a person at the panel does, on a keyboard. */
export async function callForSettings(page: Page): Promise<Page> {
  const opened = settingsOpen(page);
  await pressSettingsKeys(page);
  return withPinPad(await opened);
}

/** Opens the settings page of a panel that has no PIN yet, and chooses one. */
export async function openNewSettings(page: Page): Promise<Page> {
  const settings = await callForSettings(page);
  for (const _ of ['first', 'again']) await enter(settings, PIN);
  return settings;
}

/** Five fingers on the project's page, until the settings page is there. */
export async function holdFiveFingers(page: Page): Promise<Page> {
  const opened = settingsOpen(page);
  const devTools = await page.context().newCDPSession(page);
  const touchPoints = [1, 2, 3, 4, 5].map((id) => ({ x: 150 * id, y: 300, id }));
  await devTools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints });
  const settings = await withPinPad(await opened);
  await devTools.detach();
  return settings;
}

/** The settings page that opens next; the layers are pages as well, and may open at the same time. */
function settingsOpen(page: Page): Promise<Page> {
  const isSettings = (opened: Page) =>
    opened
      .waitForURL(({ hostname }) => hostname.startsWith('settings.'))
      .then(
        () => true,
        () => false,
      );
  return page.context().waitForEvent('page', isSettings);
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
