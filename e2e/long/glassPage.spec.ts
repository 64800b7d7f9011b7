import { AxeBuilder } from '@axe-core/playwright';
import type { DialogOnGlass, MessageOnGlass, NoteOnGlass } from '../../server/kiosk/glass/contract.ts';
import { expect, type GlassPage, test } from '../glassPage.ts';

const MESSAGE: MessageOnGlass = {
  id: '1',
  title: null,
  text: 'The laundry is done.',
  level: 'info',
  style: 'banner',
  image: null,
  buttons: [],
};
const QUESTION: DialogOnGlass = {
  id: '1',
  kind: 'confirm',
  origin: 'https://panel.example',
  text: 'Delete the scene?',
  value: '',
};
const NOTE: NoteOnGlass = {
  text: 'The page on this panel shows nothing. More about it:',
  url: 'http://192.168.10.25:8080/manage/',
};
const BUTTONS = [
  { id: 'open', label: 'Open' },
  { id: 'later', label: 'Later, thank you' },
];
const MARKUP = '<img src=x onerror="window.broken=1"><script>window.broken=1</script>&amp;<b>';
const LONG = 'Nobody has to leave the house. '.repeat(70).slice(0, 2_000);
const SCREENS = [
  { width: 1280, height: 800 },
  { width: 800, height: 1280 },
  { width: 480, height: 480 },
];

async function expectNoViolations({ page }: GlassPage): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Buttons that are too small for a finger, or stick out of the screen. */
function badTargets({ page }: GlassPage): Promise<string[]> {
  return page.locator('button:visible').evaluateAll((buttons) =>
    buttons
      .map((button) => ({
        name: button.textContent || button.ariaLabel,
        box: button.getBoundingClientRect(),
      }))
      .filter(
        ({ box }) =>
          box.width < 48 ||
          box.height < 48 ||
          box.left < 0 ||
          box.top < 0 ||
          box.right > innerWidth ||
          box.bottom > innerHeight,
      )
      .map(({ name, box }) => `${name} ${JSON.stringify(box)}`),
  );
}

/** Lines of the message that are in sight. */
function textLines({ page }: GlassPage): Promise<number> {
  return page.evaluate(() => {
    const text = document.querySelector('#message-text')!;
    const body = document.querySelector('#message .body')!.getBoundingClientRect();
    const line = Number.parseFloat(getComputedStyle(text).lineHeight);
    const seen =
      Math.min(body.bottom, text.getBoundingClientRect().bottom) - text.getBoundingClientRect().top;
    return Math.round((seen + line / 4) / line - 0.25);
  });
}

for (const screen of SCREENS) {
  test(`should draw everything on ${screen.width} x ${screen.height}, readable and for fingers`, async ({
    openGlass,
  }) => {
    const glass = await openGlass(screen);
    for (const level of ['info', 'warning', 'alarm'] as const) {
      for (const style of ['banner', 'dialog', 'full'] as const) {
        for (const text of [MESSAGE.text, LONG]) {
          for (const buttons of [[], BUTTONS]) {
            const message = {
              ...MESSAGE,
              id: `${level} ${style}`,
              level,
              style,
              text,
              buttons,
              title: 'Title',
            };
            const { area, focus } = await glass.draw({ message });
            expect(focus).toBe(style !== 'banner');
            if (area === 'screen' || area === null) expect(style).not.toBe('banner');
            else {
              expect(area.height).toBeLessThanOrEqual(Math.ceil(screen.height * 0.4));
              expect(area).toMatchObject({ x: 0, y: 0, width: screen.width });
            }
            if (style === 'dialog')
              expect(await textLines(glass)).toBeGreaterThanOrEqual(text === LONG ? 3 : 1);
            expect(await badTargets(glass)).toEqual([]);
          }
        }
        await expectNoViolations(glass);
      }
    }
    await glass.draw({ dialog: { ...QUESTION, kind: 'prompt', text: LONG } });
    expect(await badTargets(glass)).toEqual([]);
    await expectNoViolations(glass);
    const { area } = await glass.draw({ note: NOTE });
    expect(area).toMatchObject({ y: screen.height - (area as { height: number }).height });
    expect(await badTargets(glass)).toEqual([]);
    await expectNoViolations(glass);
    expect((await glass.draw({})).area).toBe(null);
  });
}

test('should say to screen readers what it is, and what the buttons are', async ({ openGlass }) => {
  const glass = await openGlass();
  const { page } = glass;
  await glass.draw({ message: { ...MESSAGE, title: 'Laundry' } });
  await expect(page.getByRole('status', { name: 'Laundry' })).toContainText('The laundry is done.');
  await expect(page.getByRole('button', { name: 'Close', exact: true })).toBeVisible();
  await glass.draw({ message: { ...MESSAGE, level: 'warning', buttons: BUTTONS } }, 'de');
  await expect(page.getByRole('alert', { name: 'Warnung' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Later, thank you', exact: true })).toBeVisible();
  expect(await page.getByRole('button').count()).toBe(2);
  for (const style of ['dialog', 'full'] as const) {
    await glass.draw({ message: { ...MESSAGE, style, level: 'alarm' } }, 'es');
    await expect(page.getByRole('alertdialog', { name: 'Alarma' })).toBeFocused();
    await expect(page.getByRole('button', { name: 'Cerrar', exact: true })).toBeVisible();
  }
  await glass.draw({ dialog: QUESTION }, 'de');
  await expect(page.getByRole('alertdialog', { name: 'https://panel.example' })).toContainText(
    'Delete the scene?',
  );
  await expect(page.getByRole('button', { name: 'OK', exact: true })).toBeFocused();
  await expect(page.getByRole('button', { name: 'Cancel', exact: true })).toBeVisible();
});

test('should tell which button was pressed, and what was closed', async ({ openGlass }) => {
  const glass = await openGlass();
  const { page } = glass;
  const events = async () =>
    (await glass.said()).filter((said) => 'event' in said).map((said) => (said as { event: unknown }).event);
  await glass.draw({ message: { ...MESSAGE, id: '7', buttons: BUTTONS } });
  await page.getByRole('button', { name: 'Open' }).click();
  await glass.draw({ message: { ...MESSAGE, id: '8' } });
  await page.getByRole('button', { name: 'Close' }).click();
  await glass.draw({ message: { ...MESSAGE, id: '9', style: 'full' } });
  await page.keyboard.press('Escape');
  await glass.draw({ dialog: { ...QUESTION, kind: 'prompt', value: 'Hall' } });
  await page.keyboard.type('Kitchen');
  await page.keyboard.press('Enter');
  await glass.draw({ dialog: { ...QUESTION, id: '2' } });
  await page.keyboard.press('Escape');
  await glass.draw({ dialog: { ...QUESTION, id: '3', kind: 'alert' } });
  expect(await page.getByRole('button').count()).toBe(1);
  await page.getByRole('button', { name: 'OK' }).click();
  await glass.draw({ note: NOTE });
  await page.getByRole('button', { name: 'Close' }).click();
  expect(await events()).toEqual([
    { slot: 'message', id: '7', did: 'pressed', button: 'open' },
    { slot: 'message', id: '8', did: 'dismissed' },
    { slot: 'message', id: '9', did: 'dismissed' },
    { slot: 'dialog', id: '1', accepted: true, value: 'Kitchen' },
    { slot: 'dialog', id: '2', accepted: false, value: '' },
    { slot: 'dialog', id: '3', accepted: true, value: '' },
    { slot: 'note', did: 'dismissed' },
  ]);
});

test('security: text should be text in every field', async ({ openGlass }) => {
  const glass = await openGlass();
  const { page } = glass;
  const buttons = [{ id: MARKUP, label: MARKUP }];
  for (const style of ['banner', 'dialog', 'full'] as const)
    await glass.draw({
      message: { ...MESSAGE, id: MARKUP, title: MARKUP, text: MARKUP, style, buttons },
      dialog: { ...QUESTION, kind: 'prompt', id: MARKUP, origin: MARKUP, text: MARKUP, value: MARKUP },
      note: { text: MARKUP, url: MARKUP },
    });
  expect(await page.locator('#screen img:not(.picture), #screen script, #screen b').count()).toBe(0);
  expect(await page.evaluate(() => 'broken' in window)).toBe(false);
  await expect(page.locator('#message-text')).toHaveText(MARKUP);
  await expect(page.locator('#message button')).toHaveText(MARKUP);
});

test('should say anew how much it needs once the picture has come', async ({ openGlass }) => {
  const glass = await openGlass();
  const before = await glass.draw({ message: MESSAGE });
  const image = await glass.page.evaluate(() => {
    const canvas = Object.assign(document.createElement('canvas'), { width: 300, height: 150 });
    return canvas.toDataURL();
  });
  await glass.draw({ message: { ...MESSAGE, image } });
  const height = async () => {
    const drawn = (await glass.said()).findLast((said) => 'drawn' in said) as { area: { height: number } };
    return drawn.area.height;
  };
  await expect.poll(height).toBeGreaterThan((before.area as { height: number }).height + 100);
  // A picture that cannot be decoded is none.
  await glass.draw({ message: { ...MESSAGE, id: '2', image: 'data:image/png;base64,iVBORw0KGgo=' } });
  await expect(glass.page.locator('.picture')).toBeHidden();
});

test('should look at its part of the screen where the window is no larger', async ({ openGlass }) => {
  const glass = await openGlass({ width: 1280, height: 800 });
  const { area } = await glass.draw({ note: NOTE });
  const { x, y, width, height } = area as { x: number; y: number; width: number; height: number };
  await glass.page.setViewportSize({ width, height });
  const corner = () =>
    glass.page.locator('#note').evaluate((note) => {
      const { left, top, right, bottom } = note.getBoundingClientRect();
      return [Math.floor(left), Math.floor(top), Math.ceil(right), Math.ceil(bottom)];
    });
  await expect.poll(corner).toEqual([0, 0, width, height]);
  expect(x + width).toBe(1280);
  expect(y + height).toBe(800);
});

test('should call the settings page by the keys that call it on the page', async ({ openGlass }) => {
  const glass = await openGlass();
  await glass.draw({ message: { ...MESSAGE, style: 'full' } });
  await glass.page.keyboard.press('Control+Alt+KeyS');
  expect(await glass.said()).toContainEqual({ event: { slot: 'screen', did: 'called' } });
});
