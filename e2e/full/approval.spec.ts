import { AxeBuilder } from '@axe-core/playwright';
import type { ApprovalOnGlass, MessageOnGlass } from '../../server/kiosk/glass/contract.ts';
import { expect, type GlassPage, test } from '../glassPage.ts';

const MARKUP = '<img src=x onerror="window.broken=1"><b>';
const QUESTION: ApprovalOnGlass = {
  id: '1',
  title: 'Request from outside this panel',
  action: 'Run a command',
  facts: [
    { label: 'Who', text: `${MARKUP}house automation` },
    { label: 'May', text: 'see everything, operate hardware and page' },
    { label: 'Token made', text: 'Nov 22, 2026, 9:00 AM' },
    { label: 'From', text: '192.168.1.20' },
    { label: 'Command', text: 'terminal.exec' },
  ],
  params: [{ label: 'command', text: `echo ${MARKUP}\n${'sleep 1\n'.repeat(120)}` }],
  swatch: null,
  seconds: 30,
  yes: 'Allow',
  no: 'Deny',
};
const MESSAGE: MessageOnGlass = {
  id: '1',
  title: null,
  text: 'Press here',
  level: 'warning',
  style: 'full',
  image: null,
  buttons: [{ id: 'ok', label: 'OK' }],
};

const answers = async (glass: GlassPage) =>
  (await glass.said()).flatMap((said) => ('event' in said ? [said.event] : []));
const yes = ({ page }: GlassPage) => page.getByRole('button', { name: 'Allow', exact: true });
/** Time stands still in the page until the test moves it. */
const stopTime = async ({ page }: GlassPage) => {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
};
const pass = ({ page }: GlassPage, milliseconds: number) => page.clock.runFor(milliseconds);

for (const screen of [
  { width: 1280, height: 800 },
  { width: 800, height: 1280 },
  { width: 480, height: 480 },
])
  test(`should be readable and for fingers on ${screen.width} x ${screen.height}, and text be text`, async ({
    openGlass,
  }, info) => {
    const glass = await openGlass(screen);
    const { page } = glass;
    expect(await glass.draw({ approval: QUESTION })).toMatchObject({ area: 'screen', focus: true });
    const dialog = page.getByRole('alertdialog', { name: QUESTION.title, description: 'Run a command' });
    await expect(dialog).toBeFocused();
    await expect(dialog).toContainText(`${MARKUP}house automation`);
    for (const button of await page.getByRole('button').all()) {
      const box = (await button.boundingBox())!;
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(56);
      expect(box.y + box.height).toBeLessThanOrEqual(screen.height);
    }
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.screenshot({ path: info.outputPath('approval.png') });
    expect(await page.evaluate(() => 'broken' in window)).toBe(false);
    expect((await glass.draw({})).area).toBe(null);
  });

test('security: should take no press that began in the first half second, no held key, no click of a script', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const { page } = glass;
  await stopTime(glass);
  await glass.draw({ approval: QUESTION });
  await pass(glass, 499);
  await yes(glass).click();
  await page.keyboard.press('Escape');
  await yes(glass).hover();
  await page.mouse.down();
  await pass(glass, 1);
  await page.mouse.up();
  expect(await answers(glass)).toEqual([]);

  await glass.draw({ approval: { ...QUESTION, id: '2' } });
  await yes(glass).focus();
  await page.keyboard.down('Enter');
  await pass(glass, 1_000);
  // It is still held, and repeats.
  await page.keyboard.down('Enter');
  await page.keyboard.up('Enter');
  expect(await answers(glass)).toEqual([]);

  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.evaluate(() => document.querySelector<HTMLElement>('.yes')!.click());
  expect(await answers(glass)).toEqual([
    { slot: 'approval', id: '2', isYes: true },
    { slot: 'approval', id: '2', isYes: false },
  ]);
});

test('should count down, show the colour that is asked for, and never make the yes the loud one', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const { page } = glass;
  await stopTime(glass);
  await glass.draw({ approval: { ...QUESTION, swatch: '#ff0a00', seconds: 30 } });
  const ring = page.getByRole('timer');
  await expect(ring).toHaveText('30');
  await pass(glass, 12_000);
  await expect(ring).toHaveText('18');
  await expect(page.getByRole('img', { name: '#ff0a00' })).toHaveCSS('background-color', 'rgb(255, 10, 0)');
  await expect(page.locator('.approval .buttons button')).toHaveText(['Deny', 'Allow']);
  const filled = (name: string) =>
    page
      .getByRole('button', { name, exact: true })
      .evaluate((it) => getComputedStyle(it).backgroundColor !== 'rgba(0, 0, 0, 0)');
  expect([await filled('Deny'), await filled('Allow')]).toEqual([true, false]);
});

test('security: should lie above what callers show, and wait below an alarm', async ({ openGlass }) => {
  const glass = await openGlass();
  const { page } = glass;
  await stopTime(glass);
  for (const style of ['banner', 'dialog', 'full'] as const) {
    await glass.draw({ approval: QUESTION, message: { ...MESSAGE, style } });
    const { x, y, width, height } = (await yes(glass).boundingBox())!;
    const hit = await page.evaluate(
      ([at, to]) => document.elementFromPoint(at!, to!)?.textContent,
      [x + width / 2, y + height / 2],
    );
    expect(hit).toBe('Allow');
    await expect(page.locator('#message')).toHaveAttribute('inert');
  }
  await pass(glass, 1_000);
  const alarm: MessageOnGlass = { ...MESSAGE, level: 'alarm' };
  await glass.draw({ approval: QUESTION, message: alarm });
  await expect(yes(glass)).toHaveCount(0);
  await page.getByRole('button', { name: 'OK' }).click();
  await glass.draw({ approval: QUESTION });
  await yes(glass).click();
  expect(await answers(glass)).toEqual([{ slot: 'message', id: '1', did: 'pressed', button: 'ok' }]);
  await pass(glass, 500);
  await yes(glass).click();
  expect((await answers(glass)).at(-1)).toEqual({ slot: 'approval', id: '1', isYes: true });
});
