import { AxeBuilder } from '@axe-core/playwright';
import type { CallOnGlass, MessageOnGlass } from '../../server/kiosk/glass/contract.ts';
import { expect, type GlassPage, test } from '../glassPage.ts';

const CALL: CallOnGlass = {
  id: '1',
  phase: 'ringing',
  caller: '<b>Front door of the house in the garden</b>',
  isBroadcast: false,
  hasVideo: true,
  door: 'closed',
  picture: null,
};
const TALK: CallOnGlass = { ...CALL, phase: 'connected' };
const MESSAGE: MessageOnGlass = {
  id: '1',
  title: null,
  text: 'Press here',
  level: 'alarm',
  style: 'full',
  image: null,
  buttons: [{ id: 'ok', label: 'OK' }],
};
const APPROVAL = {
  id: '1',
  title: 'Allow?',
  action: 'Restart',
  facts: [],
  params: [],
  swatch: null,
  seconds: 30,
  yes: 'Yes',
  no: 'No',
};

const named = ({ page }: GlassPage, name: string) => page.getByRole('button', { name, exact: true });
/** What a person did, without the offers of the picture. */
const did = async (glass: GlassPage) =>
  (await glass.said()).flatMap((said) =>
    'event' in said && said.event.slot === 'call' && said.event.did !== 'offered' ? [said.event.did] : [],
  );
/** Time stands still in the page until the test moves it. */
const stopTime = async ({ page }: GlassPage) => {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
};

for (const screen of [
  { width: 1280, height: 800 },
  { width: 800, height: 1280 },
  { width: 480, height: 480 },
])
  test(`should fit ${screen.width} x ${screen.height} in three languages, for fingers, and text be text`, async ({
    openGlass,
  }, info) => {
    const glass = await openGlass(screen);
    const { page } = glass;
    for (const language of ['en', 'de', 'es'])
      for (const call of [CALL, TALK, { ...CALL, hasVideo: false, door: 'failed' as const }]) {
        const { area, focus } = await glass.draw({ call }, language);
        expect(focus).toBe(call.phase === 'ringing');
        if (call.phase === 'ringing') expect(area).toBe('screen');
        await expect(page.locator('#call')).toContainText(CALL.caller);
        for (const part of await page.locator('#call :is(button, p:not(:empty), h1)').all()) {
          const box = (await part.boundingBox())!;
          expect(box.y).toBeGreaterThanOrEqual(0);
          expect(box.y + box.height).toBeLessThanOrEqual(screen.height);
          expect(box.x + box.width).toBeLessThanOrEqual(screen.width);
          expect(
            await part.evaluate((it) => Number.parseFloat(getComputedStyle(it).fontSize)),
          ).toBeGreaterThanOrEqual(16);
        }
        for (const button of await page.getByRole('button').all()) {
          const box = (await button.boundingBox())!;
          expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(56);
        }
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect(violations.map(({ id }) => id)).toEqual([]);
        await page.screenshot({
          path: info.outputPath(`${language}-${call.phase}-${call.hasVideo}.png`),
        });
      }
    expect((await glass.draw({})).area).toBe(null);
  });

test('security: should take no press that began before the call was there to be seen, nor for its next phase', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const { page } = glass;
  await stopTime(glass);
  await glass.draw({ call: CALL });
  await page.clock.runFor(499);
  await named(glass, 'Open door').click();
  await page.evaluate(() => document.querySelector<HTMLButtonElement>('#call .answered')!.click());
  expect(await did(glass)).toEqual([]);
  await page.clock.runFor(1);
  await named(glass, 'Answer').click();
  await glass.draw({ call: { ...CALL, phase: 'answering' } });
  await named(glass, 'Hang up').click();
  await page.clock.runFor(500);
  await glass.draw({ call: TALK });
  await named(glass, 'Hang up').click();
  expect(await did(glass)).toEqual(['answered']);
  await page.clock.runFor(500);
  await named(glass, 'Hang up').click();
  await named(glass, 'Open door').click();
  expect(await did(glass)).toEqual(['answered', 'hungUp', 'openedDoor']);
});

test('should be below an alarm and an approval, and above a message, whose button waits', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const { page } = glass;
  await glass.draw({ call: CALL, message: MESSAGE });
  await expect(named(glass, 'OK')).toBeVisible();
  await expect(page.locator('#call')).toBeHidden();
  await glass.draw({ call: CALL, message: { ...MESSAGE, level: 'warning' } });
  await expect(named(glass, 'Answer')).toBeVisible();
  await expect(page.locator('#message')).toHaveAttribute('inert');
  await glass.draw({ call: CALL, approval: APPROVAL });
  await expect(page.locator('#call')).toHaveAttribute('inert');
  await expect(named(glass, 'Yes')).toBeVisible();
  // Answered, it leaves the screen to the message.
  await glass.draw({ call: TALK, message: { ...MESSAGE, level: 'info' } });
  await expect(page.locator('#message')).not.toHaveAttribute('inert');
});

test('should offer a connection for the picture, and again where there is none yet', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const offers = async () =>
    (await glass.said()).flatMap((said) =>
      'event' in said && said.event.slot === 'call' && said.event.did === 'offered' ? [said.event.offer] : [],
    );
  await glass.draw({ call: CALL });
  await expect.poll(offers).toHaveLength(1);
  const [first = 0] = await offers();
  await glass.draw({ call: { ...CALL, picture: { offer: first - 1, sdp: null } } });
  await glass.draw({ call: { ...CALL, picture: { offer: first, sdp: null } } });
  await expect.poll(offers).toEqual([first, first + 1]);
  await glass.draw({ call: { ...CALL, hasVideo: false } });
  await expect(glass.page.locator('video')).toHaveCount(0);
});

test('security: should mark an open microphone above everything, at the upper edge', async ({
  openGlass,
}) => {
  const glass = await openGlass();
  const { page } = glass;
  const mark = page.locator('#microphone');
  for (const contents of [{}, { call: CALL }, { message: MESSAGE }, { approval: APPROVAL }]) {
    const { area } = await glass.draw({ ...contents, microphone: { isOpen: true } });
    expect(area).not.toBe(null);
    const box = (await mark.boundingBox())!;
    expect(box.y).toBe(0);
    const isOnTop = await page.evaluate(
      ([x, y]) => document.elementFromPoint(x!, y!)?.closest('#microphone') !== null,
      [box.x + box.width / 2, box.y + box.height / 2],
    );
    expect(isOnTop).toBe(true);
  }
  await glass.draw({ microphone: { isOpen: true } }, 'de');
  await expect(mark).toHaveText('Das Mikrofon ist an');
  expect((await glass.draw({})).area).toBe(null);
  await expect(mark).toBeHidden();
});

const VISITOR = { id: 'v', camera: '<b>Porch</b>', talk: 'ready', reason: null, picture: null } as const;

test('should show somebody at a camera, below calls, with a button to hold and one to ignore', async ({
  openGlass,
}) => {
  const glass = await openGlass({ width: 480, height: 480 });
  const { page } = glass;
  for (const language of ['en', 'de', 'es']) {
    await glass.draw(
      { visitor: { ...VISITOR, id: language, reason: 'Somebody else talks.', talk: 'busy' } },
      language,
    );
    for (const button of await page.getByRole('button').all()) {
      const box = (await button.boundingBox())!;
      expect(Math.min(box.width, box.height)).toBeGreaterThanOrEqual(56);
      expect(box.y + box.height).toBeLessThanOrEqual(480);
    }
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
  }
  await glass.draw({});
  await stopTime(glass);
  const told = async () =>
    (await glass.said()).flatMap((said) =>
      'event' in said && said.event.slot === 'visitor' && said.event.did !== 'offered'
        ? [said.event.did]
        : [],
    );
  expect(await glass.draw({ visitor: VISITOR })).toMatchObject({ area: 'screen', focus: true });
  await expect(page.locator('#visitor')).toContainText('<b>Porch</b>');
  // Pressed so soon it was meant for something else.
  await named(glass, 'Ignore').click();
  expect(await told()).toEqual([]);
  await page.clock.runFor(600);
  const hold = named(glass, 'Hold to talk');
  await hold.hover();
  await page.mouse.down();
  await expect.poll(told).toEqual(['pressed']);
  await page.mouse.up();
  await expect.poll(told).toEqual(['pressed', 'released']);
  // There is no microphone here.
  await expect(page.locator('#visitor .said')).toHaveText('The microphone does not work.');
  await glass.draw({ visitor: { ...VISITOR, talk: 'none' } });
  await expect(hold).toHaveCount(0);
  await glass.draw({ visitor: VISITOR, call: CALL });
  await expect(page.locator('#visitor')).toBeHidden();
  await glass.draw({ visitor: VISITOR });
  await page.clock.runFor(600);
  await page.locator('#visitor .ignored').click();
  await expect.poll(told).toEqual(['pressed', 'released', 'ignored']);
});
