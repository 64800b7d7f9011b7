import type { Page } from '@playwright/test';
import type { SaverOnGlass } from '../../server/kiosk/glass/contract.ts';
import { expect, type GlassPage, test } from '../glassPage.ts';

const CLOCK: SaverOnGlass = { kind: 'clock', photos: null, url: null };
const BLACK: SaverOnGlass = { kind: 'black', photos: null, url: null };
const PHOTOS: SaverOnGlass = { kind: 'photos', photos: 'photos/x', url: null };

/** What a person did, as the page told the service. */
const eventsOf = async (glass: GlassPage) =>
  (await glass.said()).flatMap((reply) => ('event' in reply ? reply.event : []));

test('should tell the time as the language does, whole on every screen, a bit further each minute', async ({
  openGlass,
}) => {
  for (const [width, height, language, time, day] of [
    [1280, 800, 'en', '9:37 PM', 'Sunday, November 22'],
    [800, 1280, 'de', '21:37', 'Sonntag, 22. November'],
    [480, 480, 'es', '21:37', 'domingo, 22 de noviembre'],
  ] as const) {
    const { page, draw } = await openGlass({ width, height, timezoneId: 'Europe/Berlin' });
    await page.clock.install({ time: new Date('2026-11-22T20:37:58Z') });
    await draw({ saver: CLOCK }, language);
    await expect(page.getByRole('img', { name: time, exact: true })).toBeVisible();
    await expect(page.getByText(day)).toBeVisible();
    const clock = page.locator('.clock');
    const places = [];
    for (let minute = 0; minute < 40; minute++) {
      const box = (await clock.boundingBox())!;
      places.push(`${Math.round(box.x)} ${Math.round(box.y)}`);
      expect(box.x).toBeGreaterThan(0);
      expect(box.y).toBeGreaterThan(0);
      expect(box.x + box.width).toBeLessThan(width);
      expect(box.y + box.height).toBeLessThan(height);
      await page.clock.runFor(60_000);
    }
    expect(new Set(places).size).toBe(40);
  }
});

test('should be told of the first touch or key of a person, and of nothing else', async ({ openGlass }) => {
  const glass = await openGlass();
  const { page, draw } = glass;
  const events = () => eventsOf(glass);
  await page.mouse.click(100, 100);
  await page.keyboard.press('a');
  expect(await events()).toEqual([]);
  await draw({ saver: BLACK });
  await page.evaluate(() => {
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'a' }));
    document.getElementById('saver')!.dispatchEvent(new PointerEvent('pointerdown'));
  });
  await page.mouse.move(5, 5);
  expect(await events()).toEqual([]);
  await page.mouse.down();
  expect(await events()).toEqual([{ slot: 'saver', did: 'touched' }]);
  await page.mouse.up();
  await page.keyboard.press('Enter');
  expect(await events()).toHaveLength(2);
  await draw({ saver: null });
  await page.keyboard.press('Enter');
  expect(await events()).toHaveLength(2);
});

test('security: the page of an address is only looked at: no touch, no key, no window, no way out, no permissions', async ({
  openGlass,
  startSite,
}) => {
  const site = await startSite({
    '/': `<body tabindex="0"><input autofocus><script>
      const done = [];
      for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => done.push(kind), true);
      document.querySelector('input').focus();
      done.push(String(open('/popup')), typeof faceplateHost, typeof container);
      try { top.location = '/away'; } catch { done.push('no way out'); }
      navigator.geolocation.getCurrentPosition(() => done.push('place'), () => done.push('no place'));
      Object.assign(window, { done });
    </script>`,
  });
  const glass = await openGlass();
  const { page, draw } = glass;
  const events = () => eventsOf(glass);
  await draw({ saver: { kind: 'page', photos: null, url: `${site.origin('dash.localhost')}/` } });
  const frame = page.frames().find((each) => each !== page.mainFrame())!;
  await frame.waitForFunction(() => (window as unknown as { done?: unknown[] }).done?.includes('no place'));
  await page.mouse.click(640, 400);
  await page.keyboard.press('a');
  expect(await events()).toHaveLength(2);
  const done = await frame.evaluate(() => (window as unknown as { done: string[] }).done);
  expect(done).toEqual(['null', 'undefined', 'undefined', 'no way out', 'no place']);
  expect(page.url()).toContain('glass.localhost');
  expect(site.requests.filter((path) => /popup|away/.test(path))).toEqual([]);
});

test('should turn photos as their camera says, whatever way it was held', async ({ openGlass }) => {
  const { page, draw } = await openGlass({ width: 600, height: 400 });
  // Upright it is red, green / blue, white, in quarters.
  const upright = ['red', 'lime', 'blue', 'white'];
  for (let orientation = 1; orientation <= 8; orientation++) {
    const photo = withOrientation(
      await photoOf(page, stored(upright, orientation), orientation > 4),
      orientation,
    );
    await page.route('**/photos/**', (route) => route.fulfill({ body: photo, contentType: 'image/jpeg' }));
    await draw({ saver: null });
    await draw({ saver: { ...PHOTOS, photos: `photos/${orientation}` } });
    const canvas = page.locator('.photo canvas');
    await canvas.waitFor();
    const seen = await canvas.evaluate((element: HTMLCanvasElement) => {
      const context = element.getContext('2d')!;
      return [
        [150, 100],
        [450, 100],
        [150, 300],
        [450, 300],
      ].map(([x, y]) =>
        [...context.getImageData(x!, y!, 1, 1).data.slice(0, 3)].map((c) => (c > 128 ? 1 : 0)),
      );
    });
    expect(seen, `orientation ${orientation}`).toEqual([
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1],
    ]);
    await page.unrouteAll();
  }
});

test('should show photos one after the other with two at most at a time, and the clock while there is none', async ({
  openGlass,
}) => {
  const { page, draw } = await openGlass({ width: 600, height: 400 });
  const photo = await photoOf(page, ['red', 'red', 'red', 'red'], false);
  const asked: string[] = [];
  await page.route('**/photos/**', (route) => {
    asked.push(route.request().url());
    if (asked.length === 1) return route.fulfill({ status: 404 });
    if (asked.length === 2) return route.fulfill({ body: 'broken', contentType: 'image/jpeg' });
    return route.fulfill({ body: photo, contentType: 'image/jpeg' });
  });
  await page.clock.install();
  await draw({ saver: PHOTOS });
  await expect(page.locator('.clock')).toBeVisible();
  for (let n = 1; n <= 3; n++) {
    await expect.poll(() => asked.length).toBe(n);
    if (n < 3) await page.clock.runFor(5_000);
  }
  await expect(page.locator('.photo')).toHaveCount(1);
  await page.clock.runFor(2_000);
  await expect(page.locator('.clock')).toHaveCount(0);
  for (let n = 4; n <= 8; n++) {
    await page.clock.runFor(14_000);
    await expect.poll(() => asked.length).toBe(n);
    await expect(page.locator('.photo')).toHaveCount(2);
    await page.clock.runFor(1_700);
    await expect(page.locator('.photo')).toHaveCount(1);
  }
  expect(new Set(asked).size).toBe(asked.length);
  await draw({ saver: null });
  await page.clock.runFor(60_000);
  expect(asked).toHaveLength(8);
});

/** The quarters in the order in which a camera held that way stores them (TIFF 6.0, tag 274). */
function stored([a, b, c, d]: readonly string[], orientation: number): (string | undefined)[] {
  return [
    [a, b, c, d],
    [b, a, d, c],
    [d, c, b, a],
    [c, d, a, b],
    [a, c, b, d],
    [b, d, a, c],
    [d, b, c, a],
    [c, a, d, b],
  ][orientation - 1]!;
}

/** A JPEG of four quarters. */
async function photoOf(
  page: Page,
  colours: readonly (string | undefined)[],
  isTall: boolean,
): Promise<Buffer> {
  const url = await page.evaluate(
    ([colours, width, height]) => {
      const canvas = document.createElement('canvas');
      Object.assign(canvas, { width, height });
      const context = canvas.getContext('2d')!;
      colours.forEach((colour, n) => {
        context.fillStyle = colour!;
        context.fillRect(((n % 2) * width) / 2, (Math.floor(n / 2) * height) / 2, width / 2, height / 2);
      });
      return canvas.toDataURL('image/jpeg', 0.95);
    },
    [colours, isTall ? 1_600 : 2_400, isTall ? 2_400 : 1_600] as const,
  );
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}

/** The same JPEG with an Exif segment that says how the camera was held. */
function withOrientation(jpeg: Buffer, orientation: number): Buffer {
  const exif = Buffer.from(
    `ffe1 0022 457869660000 4d4d002a 00000008 0001 0112 0003 00000001 ${orientation.toString(16).padStart(4, '0')}0000 00000000`.replaceAll(
      ' ',
      '',
    ),
    'hex',
  );
  return Buffer.concat([jpeg.subarray(0, 2), exif, jpeg.subarray(2)]);
}
