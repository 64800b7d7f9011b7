import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { PageStatus } from '../../server/kiosk/settingsPage/contract.ts';
import { isAt, scriptGlass } from '../firstSetup.ts';
import { expect, test } from '../manageBrowser.ts';

const SIZES = [
  [480, 480],
  [800, 1280],
  [1280, 800],
] as const;
const STEPS = ['language', 'name', 'network', 'time', 'pin', 'show', 'phone', 'done'] as const;

/** What is cut, or lies over something else: the header, the step and the footer each have their place. */
function faults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const found: string[] = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth || root.scrollHeight > innerHeight) found.push('the page scrolls');
    const step = document.querySelector('.step') as HTMLElement;
    if (step.scrollWidth > step.clientWidth) found.push('the step is wider than its place');
    for (const button of document.querySelectorAll<HTMLElement>('header button, footer button')) {
      const { left, top, right, bottom, height } = button.getBoundingClientRect();
      const name = button.dataset.testid;
      if (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) found.push(`${name} is cut`);
      if (height < 44) found.push(`${name} is low`);
      const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
      if (!button.contains(hit) && !(button as HTMLButtonElement).disabled) found.push(`${name} is covered`);
    }
    const edges = ['header', '.step-column', 'footer'].map((part) => {
      const { left, width } = document.querySelector(`.wizard ${part}`)!.getBoundingClientRect();
      return `${Math.round(left)} ${Math.round(width)}`;
    });
    // A scroll bar takes its part.
    if (step.scrollHeight <= step.clientHeight && new Set(edges).size > 1) found.push(`columns ${edges}`);
    if (document.querySelectorAll('.wizard button.primary').length > 1) found.push('two primary buttons');
    return found;
  });
}

for (const [width, height] of SIZES)
  for (const language of ['en', 'de'])
    test(`should show each step of the set-up in one column on ${width} x ${height}, ${language}`, async ({
      panel,
      openManage,
    }, info) => {
      const { page, complaints } = await openManage(panel, {
        width,
        height,
        locale: language,
        scheme: 'dark',
      });
      for (const step of STEPS) {
        await scriptGlass(page, step === 'done' ? 'phone' : step, { language });
        if (step === 'done') await page.getByTestId('setup-next').click();
        await isAt(page, step);
        await expect(page.getByText(/Loading|Lädt/)).toHaveCount(0);
        expect(await faults(page), step).toEqual([]);
        if (step === 'pin')
          for (const key of ['pin-1', 'pin-ok', 'pin-erase'])
            await expect(page.getByTestId(key)).toBeInViewport({ ratio: 1 });
        await page.screenshot({ path: info.outputPath(`${step}.png`) });
        if (width !== 480 || language !== 'de') continue;
        const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
        expect(
          violations.map(({ id }) => id),
          step,
        ).toEqual([]);
      }
      expect(complaints).toEqual([]);
    });

test('should keep title, field and button on a small screen whose half is the keyboard', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { width: 480, height: 250, scheme: 'dark' });
  await scriptGlass(page, 'name');
  await page.getByTestId('device-name').focus();
  for (const part of ['step-title', 'device-name', 'setup-next', 'setup-back'])
    await expect(page.getByTestId(part)).toBeInViewport({ ratio: 1 });
});

test('should fit the PIN pad of the lock on 480 x 480, and count digits without saying them', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { width: 480, height: 480, scheme: 'dark' });
  await scriptGlass(page, null, { pin: 'set' });
  for (const key of [...'0123456789']
    .map((digit) => `pin-${digit}`)
    .concat('pin-ok', 'pin-erase', 'pin-title'))
    await expect(page.getByTestId(key)).toBeInViewport({ ratio: 1 });
  await page.keyboard.type('25809');
  const dots = page.getByRole('img', { name: '5 digits entered' });
  await expect(dots.locator('.dot')).toHaveCount(5);
  await expect(page.locator('main')).not.toContainText('25809');
});

test('should say where a PIN is chosen once the first ten minutes are over', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { width: 480, height: 480, scheme: 'dark' });
  await scriptGlass(page, null, { pin: 'closed' });
  await expect(page.getByTestId('pin-closed')).toContainText('Restart the panel');
  await expect(page.getByTestId('pin-closed')).toContainText('http://192.168.1.20:8471/manage/');
  await expect(page.getByTestId('pin-pad')).toHaveCount(0);
});

test('should say what skipping means, and set the PIN by one button', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { scheme: 'dark' });
  const glass = await scriptGlass(page, 'pin');
  await expect(page.locator('footer')).toContainText(
    'anyone can choose one within 10 minutes after a restart',
  );
  await expect(page.getByTestId('setup-next')).toHaveText('Skip for now');
  await glass.answer('settingsPage.setPin', {});
  const isSet: PageStatus = {
    mode: 'setup',
    setupStep: 'pin',
    pin: 'set',
    locked: false,
    waitSeconds: 0,
    manageUrl: null,
  };
  await glass.answer('settingsPage.status', isSet);
  for (const title of ['Choose a PIN', 'Enter it once more']) {
    await expect(page.getByTestId('pin-title')).toHaveText(title);
    await page.keyboard.type('2580');
    await page.getByTestId('pin-ok').click();
  }
  await expect(page.getByTestId('pin-there')).toHaveText('The PIN is set.');
  await expect(page.getByTestId('setup-next')).toHaveText('Next');
});

test('should name the panel by a suggestion, and keep the name of its machine without one', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { scheme: 'dark' });
  const glass = await scriptGlass(page, 'name');
  await expect(page.getByTestId('device-name')).toHaveValue('');
  await expect(page.getByTestId('device-name')).toHaveAttribute('placeholder', 'vm');
  await page.getByTestId('room_kitchen').click();
  await page.getByTestId('setup-next').click();
  await isAt(page, 'network');
  expect(await glass.called()).toContainEqual(['settings.change', { 'device.name': 'Kitchen' }]);
});

test('should join a Wi-Fi in a sheet, with its error in place', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { width: 480, height: 480, scheme: 'dark' });
  const glass = await scriptGlass(page, 'network');
  await expect(page.getByTestId('interfaces')).toContainText('Ethernet');
  await expect(page.getByTestId('interfaces')).toContainText('192.168.1.20');
  await expect(page.getByTestId('interfaces')).not.toContainText('eth0');
  await expect(page.getByTestId('wifi-Office')).toBeDisabled();
  await glass.answer('network.join', 'The Wi-Fi network refused the password.');
  await page.getByTestId('wifi-Workshop').click();
  await expect(page.getByTestId('wifi-password')).toBeFocused();
  await page.keyboard.type('wrong password');
  await page.getByTestId('wifi-eye').click();
  await expect(page.getByTestId('wifi-password')).toHaveAttribute('type', 'text');
  await page.getByTestId('wifi-join').click();
  await expect(page.getByTestId('wifi-mistake')).toHaveText('The Wi-Fi network refused the password.');
  await glass.answer('network.join', { networks: [] });
  await page.getByTestId('wifi-join').click();
  await expect(page.getByTestId('wifi-sheet')).toHaveCount(0);
  // What has come is beside the network, not over a button.
  await expect(page.getByTestId('notice-text')).toBeEmpty();
  await page.getByTestId('wifi-other').click();
  await page.getByTestId('wifi-name').fill('Hidden');
  await page.getByTestId('wifi-password').fill('correct horse');
  await page.getByTestId('wifi-join').click();
  await expect
    .poll(async () => (await glass.called()).at(-1) !== undefined && (await glass.called()))
    .toContainEqual(['network.join', { ssid: 'Hidden', password: 'correct horse', hidden: true }]);
});

test('should guess the time zone, and find another by its city', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { locale: 'de', scheme: 'dark' });
  const glass = await scriptGlass(page, 'time', { language: 'de' });
  await expect(page.getByTestId('zone')).not.toContainText('UTC');
  await page.getByTestId('zone-search').fill('zürich');
  await page.getByTestId('zone-Europe/Zurich').click();
  await expect(page.getByTestId('time-there')).toHaveText(/^Ist es jetzt \d\d:\d\d Uhr\?$/);
  await glass.answer('time.change', {});
  await page.getByTestId('setup-next').click();
  await isAt(page, 'pin');
  expect(await glass.called()).toContainEqual(['time.change', { timeZone: 'Europe/Zurich' }]);
});

test('should offer the Home Assistant of the house, and take an address without its scheme', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { scheme: 'dark' });
  const glass = await scriptGlass(page, 'show');
  await expect(page.locator('.choice').first()).toContainText('Home Assistant: Home');
  await page.getByTestId('show-address').click();
  await page.getByTestId('setup-next').click();
  await expect(page.getByTestId('url-mistake')).toHaveText(
    'Enter a full address, e.g. http://homeassistant.local:8123',
  );
  await page.getByTestId('page-url').fill('homeassistant.local:8123');
  await expect(page.getByTestId('url-probed')).toHaveText('Found: Overview');
  await expect(page.getByTestId('url-mistake')).toBeEmpty();
  await page.getByTestId('setup-next').click();
  await isAt(page, 'phone');
  expect(await glass.called()).toContainEqual([
    'settings.change',
    { 'kiosk.url': 'http://homeassistant.local:8123/' },
  ]);
  await page.getByTestId('setup-back').click();
  await isAt(page, 'show');
  const silent = { url: 'http://nowhere.local/', title: null, reason: 'The address cannot be reached.' };
  await glass.answer('setup.probe', silent);
  await page.getByTestId('show-address').click();
  await page.getByTestId('page-url').fill('nowhere.local');
  await page.getByTestId('setup-next').click();
  await expect(page.getByTestId('url-probed')).toContainText('There is no answer from http://nowhere.local/');
  await isAt(page, 'show');
  await page.getByTestId('setup-next').click();
  await isAt(page, 'phone');
});

test('should show a toast at the top, through which everything can be pressed but its cross', async ({
  panel,
  openManage,
}) => {
  for (const [width, height] of SIZES) {
    const { page } = await openManage(panel, { width, height, scheme: 'dark' });
    const glass = await scriptGlass(page, 'language');
    await glass.answer(
      'settings.change',
      'The disk is full, so that nothing can be stored on this panel any more.',
    );
    await page.getByTestId('language-en').click();
    await expect(page.getByTestId('notice')).toContainText('The disk is full');
    const toast = (await page.getByTestId('notice').boundingBox())!;
    const footer = (await page.locator('.wizard footer').boundingBox())!;
    expect(toast.y + toast.height).toBeLessThan(height / 2);
    expect(toast.y + toast.height).toBeLessThanOrEqual(footer.y);
    expect(Math.abs(toast.x + toast.width / 2 - width / 2)).toBeLessThanOrEqual(1);
    // What lies below it gets the press.
    const below = await page.evaluate(
      ([x, y]) => document.elementFromPoint(x!, y!)?.closest('[data-testid=notice]') === null,
      [toast.x + 20, toast.y + toast.height / 2],
    );
    expect(below).toBe(true);
    await page.getByTestId('notice-close').click();
    await expect(page.getByTestId('notice-text')).toBeEmpty();
  }
});

test('should make a code when the QR code is drawn, and say who has used it', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { scheme: 'dark' });
  let glass = await scriptGlass(page, 'show');
  await expect(page.getByTestId('show-demo')).toBeVisible();
  const pairings = async () => (await glass.called()).filter(([name]) => name === 'panel.pairing');
  expect(await pairings()).toEqual([]);
  glass = await scriptGlass(page, 'phone');
  await expect(page.locator('.qr')).toBeVisible();
  expect((await pairings())[0]).toEqual(['panel.pairing', { renew: true }]);
  await expect(page.getByText('Scan the code')).toBeVisible();
  await expect(page.getByTestId('setup-skip')).toBeVisible();
  const { height } = (await page.locator('.qr').boundingBox())!;
  expect(height).toBeGreaterThanOrEqual(0.4 * 800);
  await glass.answer('panel.pairing', { code: null, usedBy: 'Linux Chrome', isTried: false });
  await expect(page.getByTestId('paired')).toHaveText('“Linux Chrome” is connected');
  await expect(page.locator('.qr')).toHaveCount(0);
  // There is no code to scan any more, and no connecting to skip.
  await expect(page.getByText('Scan the code')).toHaveCount(0);
  await expect(page.getByTestId('setup-skip')).toHaveCount(0);
  expect((await pairings()).slice(1).every(([, params]) => params.renew === false)).toBe(true);
});
