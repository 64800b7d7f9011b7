import { execFileSync } from 'node:child_process';
import type { Page } from '@playwright/test';
import { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { apiOf } from '../api.ts';
import { hostKind } from '../electronProcess.ts';
import { demoIsReady, expect, test } from '../fixtures.ts';
import { glassOf, keysPage, kioskPage } from '../kioskService.ts';
import { OnScreenKeyboard } from '../onScreenKeyboard.ts';
import { callForSettings } from '../settingsPage.ts';

/** How far boxes may be apart, in pixels; which pixels differ, of 255; and how many of them may. */
const [APART, DIFFERENT, SHARE] = [2, 32, 0.03];

interface Look {
  readonly boxes: readonly { readonly name: string; readonly box: readonly number[] }[];
  readonly pixels: Buffer;
}

/** The visible boxes of a page, as its user sees them, and its picture. */
async function lookAt(page: Page): Promise<Look> {
  // What moves or tells the time differs between any two looks. As a sheet made by script, which every policy allows.
  await page.evaluate(() => {
    const still = new CSSStyleSheet();
    still.replaceSync(`*, ::before, ::after { transition: none !important; animation: none !important; caret-color: transparent !important }
      video { visibility: hidden !important }
      p:has([data-testid="camera-fps"]) { display: none !important }`);
    document.adoptedStyleSheets.push(still);
  });
  const boxes = await page.evaluate(() => {
    const seen = 'h1, h2, h3, p, label, button, input, select, li, [data-testid], [role]';
    return [...document.querySelectorAll<HTMLElement>(seen)].flatMap((element) => {
      const { x, y, width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || !element.checkVisibility({ visibilityProperty: true })) return [];
      const name = element.dataset.testid ?? element.localName;
      return [{ name, box: [x, y, width, height] }];
    });
  });
  const picture = await page.screenshot({ animations: 'disabled' });
  const pixels = execFileSync('convert', ['png:-', '-depth', '8', 'rgb:-'], {
    input: picture,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { boxes, pixels };
}

/** What a person meets on a panel, one after the other, each looked at. */
async function lookAround(service: FaceplateProcess): Promise<ReadonlyMap<string, Look>> {
  const looks = new Map<string, Look>();
  const found: { page?: Page; detach?: () => Promise<void> } = {};
  await expect(async () => {
    Object.assign(found, await kioskPage(service));
  }).toPass({ timeout: 20_000 });
  const page = found.page!;
  await demoIsReady(page);
  await expect(page.getByTestId('camera-state')).toHaveText('Live');
  looks.set('the demo page', await lookAt(page));

  const api = await apiOf(service);
  const glass = await glassOf(page);
  const message = { id: 'one', title: 'Front door', text: 'Somebody rings.', level: 'warning', seconds: 0 };
  await api('/api/remote/message', { ...message, buttons: [{ id: 'open', label: 'Open the door' }] });
  await expect(glass.getByRole('alert')).toBeVisible();
  looks.set('a message', await lookAt(glass));
  await api('/api/remote/message/one', undefined, { method: 'DELETE' });
  await expect(glass.getByRole('alert')).toHaveCount(0);

  await page.evaluate(() => void setTimeout(() => confirm('Delete the scene?')));
  await expect(glass.getByRole('button', { name: 'OK' })).toBeVisible();
  looks.set('a dialog', await lookAt(glass));
  await glass.getByRole('button', { name: 'OK' }).click();

  const board = await OnScreenKeyboard.of(service, page);
  await board.touch('[data-testid="camera-url"]');
  await board.isOpen();
  const keys = await keysPage(service);
  await expect(keys.page.getByRole('button', { name: 'Enter', exact: true })).toBeVisible();
  looks.set('the keyboard', await lookAt(keys.page));
  await keys.detach();
  await page.evaluate('document.activeElement.blur()');
  await board.isClosed();
  await board.detach();

  looks.set('the settings page', await lookAt(await callForSettings(page)));
  await found.detach!();
  return looks;
}

test('should look the same in Electron and in Chromium: page, message, dialog, keyboard, settings', async ({
  startFaceplate,
}) => {
  test.skip(hostKind === 'chromium', 'npm run test:electron compares both hosts');
  test.setTimeout(180_000);
  const env = { FACEPLATE_KEYBOARD_ENABLED: 'true' };
  const electron = await startFaceplate({ kiosk: true, env });
  const inElectron = await lookAround(electron);
  const chromium = new FaceplateProcess({ kiosk: true, env });
  let inChromium: ReadonlyMap<string, Look>;
  try {
    await chromium.start();
    inChromium = await lookAround(chromium);
  } finally {
    expect((await chromium.stop()).left).toEqual([]);
  }
  expect([...inElectron.keys()]).toEqual([...inChromium.keys()]);
  for (const [what, one] of inElectron) {
    const other = inChromium.get(what)!;
    expect(
      one.boxes.map(({ name }) => name),
      what,
    ).toEqual(other.boxes.map(({ name }) => name));
    const apart = one.boxes.filter(({ box }, index) =>
      box.some((length, side) => Math.abs(length - other.boxes[index]!.box[side]!) > APART),
    );
    expect(apart, `${what}: ${one.boxes.length} boxes`).toEqual([]);
    expect(one.boxes.length, what).toBeGreaterThan(3);
    expect(one.pixels.length, what).toBe(other.pixels.length);
    expect(shareOfDifferent(one.pixels, other.pixels), what).toBeLessThan(SHARE);
  }
});

function shareOfDifferent(one: Buffer, other: Buffer): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 3)
    if ([0, 1, 2].some((part) => Math.abs(one[at + part]! - other[at + part]!) > DIFFERENT)) count++;
  return count / (one.length / 3);
}
