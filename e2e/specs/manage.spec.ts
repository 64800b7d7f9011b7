import type { BuiltInPageChannel } from '../../server/kiosk/builtInPageContract.ts';
import type { PageStatus } from '../../server/kiosk/settingsPage/contract.ts';
import { expect, test } from '../manageBrowser.ts';
import { openEachView, openSetting, openView, seriousFaults } from '../manageViews.ts';

const LOCKED: PageStatus = {
  mode: 'settings',
  setupStep: null,
  pin: 'set',
  locked: true,
  waitSeconds: 0,
  manageUrl: null,
};

test('should take a token, keep it for the next visit, and forget it', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel);
  // Digits alone are taken, and eight of them, as they are pasted.
  await page.getByTestId('pair-code').fill('12 34-56a789');
  await expect(page.getByTestId('pair-code')).toHaveValue('12345678');
  await page.getByTestId('pair-code').fill('1234');
  await expect(page.getByTestId('pair')).toBeDisabled();
  expect(await seriousFaults(page)).toEqual([]);
  await page.getByTestId('use-token').click();
  await page.getByTestId('token-field').fill('a-token-of-another-panel');
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('token-mistake')).toHaveText(/not a token of this panel/);
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  await page.getByTestId('token-field').fill(` ${await panel.token()} `);
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('facts')).toContainText('Version');
  await page.reload();
  await expect(page.getByTestId('facts')).toContainText('Version');
  await page.getByTestId('account').click();
  await page.getByTestId('sign-out').click();
  await expect(page.getByTestId('pair-code')).toBeVisible();
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(await panel.token());
  // The wrong token is the one thing that the browser itself reports.
  expect(complaints.filter((text) => !/401/.test(text))).toEqual([]);
});

test('security: should take a pairing code out of the address and the history at once', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { at: '#pair=12345678' });
  await expect(page.getByTestId('pair-code')).toHaveValue('12345678');
  expect(page.url()).not.toContain('12345678');
  expect(await page.evaluate(() => history.length)).toBeLessThanOrEqual(2);
});

test('security: should show what only the owner may change as locked to others', async ({
  panel,
  openManage,
}) => {
  const made = await fetch(`${await panel.url}/api/manage/tokens`, {
    method: 'POST',
    body: JSON.stringify({ name: 'phone', scopes: ['view', 'control', 'manage'] }),
    headers: { authorization: `Bearer ${await panel.token()}`, 'content-type': 'application/json' },
  });
  const { token } = (await made.json()) as { token: string };
  const words = "at the panel, or with the owner's token";
  const phone = await openManage(panel, { token, at: '#/system/settings' });
  for (const key of ['kiosk.pin', 'kiosk.inject', 'bridge.origins', 'terminal.enabled', 'kiosk.user']) {
    await openSetting(phone.page, key);
    const row = phone.page.getByTestId(`setting-${key}`);
    await expect(row).toContainText(words);
    await expect(row.locator('button, input, select').first()).toBeDisabled();
  }
  await openSetting(phone.page, 'idle.dimTo');
  await expect(phone.page.getByTestId('setting-idle.dimTo')).not.toContainText(words);
  const owner = await openManage(panel, { token: await panel.token() });
  await openSetting(owner.page, 'kiosk.pin');
  await expect(owner.page.getByTestId('setting-kiosk.pin')).toBeVisible();
  await expect(owner.page.locator('main')).not.toContainText(words);
  // An empty setting is not "no token": the panel has made one.
  await expect(owner.page.getByTestId('fact-token')).toHaveText(/^Created by the panel \(\d+ \w{3,4}\)$/);
  await expect(owner.page.getByTestId('fact-kiosk.pin')).toHaveText('Not chosen yet');
});

// The other looks are in e2e/long/manageLooks.spec.ts.
test('should open each view at 390 px, light, without a complaint', async ({ panel, openManage }) => {
  test.slow();
  await openEachView(await openManage(panel, { width: 390, scheme: 'light', token: await panel.token() }));
});

test('should ask again on the glass for its state where the first question failed', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel);
  await page.addInitScript((status: PageStatus) => {
    let receive = (_json: string): void => {};
    let asked = 0;
    const channel: BuiltInPageChannel = {
      listen: (listener) => {
        receive = listener;
      },
      post: (json) => {
        const { id, command } = JSON.parse(json) as { id: number; command?: string };
        if (command !== 'settingsPage.status') return;
        const error = { error: 'The command took too long.', code: 'TIMEOUT' };
        queueMicrotask(() => receive(JSON.stringify(asked++ === 0 ? { id, error } : { id, result: status })));
      },
    };
    Object.assign(window, { faceplateHost: channel });
  }, LOCKED);
  await page.reload();
  await expect(page.getByTestId('pin-title')).toHaveText('Enter the PIN');
});

test('should have seven entries, lead old addresses on, and say where there is no page', async ({
  panel,
  openManage,
}) => {
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/timeline' });
  await expect(page).toHaveURL(/#\/people\/activity$/);
  await expect(page.getByTestId('tab-activity')).toHaveAttribute('aria-current', 'page');
  await expect(page.locator('.rail a')).toHaveText([
    ...['Home', 'Content', 'Screen', 'Devices', 'Connections', 'People & security', 'System'],
  ]);
  const title = page.getByRole('heading', { level: 1 });
  for (const [old, path, name] of [
    ['overview', 'home', 'Home'],
    ['display', 'screen/display', 'Screen'],
    ['settings', 'system/settings', 'System'],
    ['access', 'people', 'People & security'],
    ['journal', 'people/activity', 'People & security'],
    ['people/timeline', 'people/activity', 'People & security'],
    ['hardware', 'devices/hardware', 'Devices'],
    // Its entry is there only where others are heard.
    ['fleet', 'fleet', 'Connections'],
  ] as const) {
    await page.evaluate((hash) => location.assign(hash), `#/${old}`);
    await expect(title).toHaveText(name);
    await expect(page).toHaveURL(new RegExp(`#/${path}$`));
  }
  // The way back does not end at an address that leads on.
  await page.goBack();
  await expect(page).toHaveURL(/#\/devices\/hardware$/);
  for (const nowhere of ['#/nope', '#/system/nope', '#/nope/settings', '#nope']) {
    await page.evaluate((hash) => location.assign(hash), nowhere);
    await expect(title, nowhere).toHaveText('No such page');
    await expect(page.getByTestId('view')).toHaveCount(0);
  }
  await page.getByTestId('to-home').click();
  await expect(title).toHaveText('Home');
  expect(complaints).toEqual([]);
});

test('should point at the setting that an address names', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, {
    token: await panel.token(),
    at: '#/system/settings/idle.dimAfter',
  });
  await expect(page.getByTestId('setting-idle.dimAfter')).toBeInViewport();
  await expect(page.getByTestId('value-idle.dimAfter')).toBeFocused();
});

test('should show keys, calls and further views in developer mode alone', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/api' });
  await expect(page.getByTestId('nothing')).toContainText('developer mode');
  await openView(page, 'devices/lines');
  await expect(page.getByTestId('udp-send')).toBeVisible();
  await expect(page.getByTestId('shell-run')).toHaveCount(0);
  await expect(page.locator('[data-testid^="call-"]')).toHaveCount(0);
  await openView(page, 'system');
  await expect(page.getByTestId('tab-api')).toHaveCount(0);
  await page.getByTestId('developer').click();
  await expect(page.getByTestId('tab-api')).toBeVisible();
  await page.reload();
  await openView(page, 'devices/lines');
  await expect(page.getByTestId('shell-run')).toBeVisible();
  await expect(page.getByTestId('call-udp.send')).toBeVisible();
  expect(complaints).toEqual([]);
});

test('should keep the look that a person chose in this browser', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token(), scheme: 'light' });
  const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await back();
  await page.getByTestId('account').click();
  await page.getByTestId('theme').selectOption('dark');
  await expect.poll(back).not.toBe(light);
  await page.reload();
  await expect(page.getByTestId('view')).toBeVisible();
  expect(await back()).not.toBe(light);
  await page.getByTestId('account').click();
  await page.getByTestId('theme').selectOption('auto');
  await expect.poll(back).toBe(light);
});

test('should say on Home what the panel shows, what covers it and what needs a person', async ({
  panel,
  api,
  openManage,
}) => {
  await api('/api/remote/display', { on: true });
  const { page, complaints } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('page-state')).toHaveText(/^Showing /);
  await expect(page.getByTestId('picture')).toBeVisible();
  await expect(page.getByTestId('covers')).toHaveCount(0);
  await expect(page.getByTestId('facts').locator('dt')).toHaveText([
    ...['Address', 'Temperature', 'Machine up for', 'Version'],
  ]);
  await expect(page.getByTestId('attention-board')).toContainText('simulated');

  // The picture is that of the page: what covers it on the screen is said.
  await api('/api/remote/message', { id: 'covering', text: 'Dinner', style: 'dialog', seconds: 0 });
  await expect(page.getByTestId('covers')).toHaveText('A message is on the screen');
  await api('/api/remote/message/covering', undefined, { method: 'DELETE' });
  await expect(page.getByTestId('covers')).toHaveCount(0);

  await page.getByTestId('quick-light').click();
  await expect(page.getByTestId('quick-light')).toHaveText('Screen on');
  expect((await api('/api/remote/display')).body).toMatchObject({ on: false });
  await page.getByTestId('quick-light').click();
  await expect(page.getByTestId('quick-light')).toHaveText('Screen off');
  await page.getByTestId('quick-restart').click();
  await expect(page.getByTestId('restart-choice')).toContainText('dark for a minute');
  await page.getByTestId('restart-choice').getByTestId('reload').click();
  await expect(page.getByTestId('notice')).toHaveText('The page is reloading.');
  await page.getByTestId('to-remote').click();
  await expect(page.getByTestId('tab-remote')).toHaveAttribute('aria-current', 'page');
  expect(complaints).toEqual([]);
});

test('should make the tabs one stop of the Tab key, with the arrow keys, Home and End inside', async ({
  panel,
  openManage,
}) => {
  const at = '#/devices/cameras';
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at });
  const tab = (name: string) => page.getByTestId(`tab-${name}`);
  await expect(tab('cameras')).toHaveAttribute('aria-selected', 'true');
  await tab('cameras').focus();
  await page.keyboard.press('ArrowRight');
  await expect(tab('intercom')).toBeFocused();
  await page.keyboard.press('Home');
  await expect(tab('hardware')).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect(tab('parts')).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('End');
  await expect(tab('parts')).toBeFocused();
  // Moving opens nothing; Tab leads out of the tabs, and back to the one where the keys were.
  await expect(tab('cameras')).toHaveAttribute('aria-selected', 'true');
  // A panel that still loads has nothing that takes the keys.
  await expect(page.getByRole('tabpanel').getByRole('button').first()).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('tabpanel').locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Shift+Tab');
  await expect(tab('parts')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/devices\/parts$/);
  await expect(page.locator('main')).toBeFocused();
  await expect(page.getByRole('tabpanel')).toHaveAccessibleName('All parts');
  expect(complaints).toEqual([]);
});

test('should say on every view what changes wait for a restart, and offer it', async ({
  panel,
  api,
  openManage,
}) => {
  await api('/api/manage/settings', { bridge: { aliases: ['p7'] } }, { method: 'PATCH' });
  const { page } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('restart-needed')).toContainText('Extra names for window.container');
  await openView(page, 'screen');
  await page.getByTestId('restart-now').click();
  await expect(page.getByTestId('restart-choice')).toBeVisible();
  await page.getByTestId('restart-cancel').click();
  // It is gone as soon as the change is.
  await openSetting(page, 'bridge.aliases');
  await page.getByTestId('reset-bridge.aliases').click();
  await expect(page.getByTestId('restart-needed')).toHaveCount(0);
  await api('/api/manage/settings', { bridge: { aliases: null } }, { method: 'PATCH' });
});

for (const width of [320, 390])
  test(`should leave the values their room in German at ${width} px`, async ({ panel, openManage }) => {
    const { page } = await openManage(panel, { token: await panel.token(), locale: 'de-DE', width });
    for (const path of ['home', 'content/pages', 'system', 'connections/network']) {
      await openView(page, path);
      await expect(page.getByText('Wird geladen …')).toHaveCount(0);
      const narrow = await page.evaluate(() =>
        [...document.querySelectorAll('dd')]
          .filter((value) => value.getBoundingClientRect().width < 100)
          .map((value) => value.textContent),
      );
      expect(narrow, path).toEqual([]);
    }
  });

test('should find pages, actions and settings by what people call them', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('view')).toBeVisible();
  const field = page.getByTestId('palette-field');
  const first = page.getByTestId('palette-results').getByRole('option').first();
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await field.fill('wifi');
  await expect(first).toContainText('Network and time');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/#\/connections\/network$/);
  // An own button for those without keys; other languages find the same.
  await page.getByTestId('search-open').click();
  await field.fill('bildschirmschoner');
  await expect(first).toContainText('Idle');
  await field.fill('dim after');
  await page.getByTestId('found-setting-idle.dimAfter').click();
  await expect(page).toHaveURL(/#\/screen\/idle\/idle\.dimAfter$/);
  await expect(page.getByTestId('value-idle.dimAfter')).toBeFocused();
  await page.keyboard.press('Control+k');
  await field.fill('reboot');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  expect(await seriousFaults(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('restart-choice')).toBeVisible();
  await page.getByTestId('restart-cancel').click();
  await page.keyboard.press('Control+k');
  await field.fill('xyzzy');
  await expect(page.getByTestId('palette')).toContainText('Nothing found for “xyzzy”.');
  await page.keyboard.press('Escape');
  await expect(page.getByTestId('palette')).toHaveCount(0);
  expect(complaints).toEqual([]);
});

test('should not wait longer for a person who left and came back ten times', async ({
  panel,
  openManage,
}) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/system/log' });
  const lines = page.getByTestId('lines').locator('.line');
  await expect(lines).not.toHaveCount(0);
  // Over HTTP/1.1 a browser has six connections to a host, and pages that it keeps would keep theirs.
  for (let visit = 0; visit < 10; visit++) {
    await page.goto('about:blank');
    await page.goto(`${await panel.url}/manage/?visit=${visit}#/system/log`);
    await expect(lines, `visit ${visit}`).not.toHaveCount(0);
  }
  // A page that the browser kept goes on where it was.
  await page.evaluate(() => Object.assign(window, { isKept: true }));
  await page.goto('about:blank');
  await page.goBack({ waitUntil: 'commit' });
  await expect(page.getByTestId('feed-state')).toHaveText('live');
  await expect(lines).not.toHaveCount(0);
  expect(await page.evaluate(() => 'isKept' in window)).toBe(true);
});

test('should say over all views that the panel does not answer, and go on by itself when it does', async ({
  panel,
  api,
  openManage,
}) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/content/projects' });
  const offline = page.getByTestId('offline');
  await expect(page.getByTestId('projects')).toBeVisible();
  await expect(offline).toHaveText('');
  await page.context().setOffline(true);
  await openView(page, 'content/pages');
  await expect(offline).toContainText(/is offline, last seen \d\d:\d\d\. Reconnecting…$/);
  await expect(page.getByTestId('problem')).toHaveCount(0);
  await api(
    '/api/manage/settings',
    { kiosk: { pages: [{ name: 'Later', url: 'http://hub.local/' }] } },
    { method: 'PATCH' },
  );
  await page.context().setOffline(false);
  await expect(offline).toHaveText('');
  await expect(page.getByTestId('value-kiosk.pages')).toHaveText('Later');
  await api('/api/manage/settings', { kiosk: { pages: null } }, { method: 'PATCH' });
});

test('should let the keys skip the menu', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('view')).toBeVisible();
  await page.getByTestId('skip').focus();
  await page.keyboard.press('Enter');
  await expect(page.locator('main')).toBeFocused();
});

test('should need at most 400 kB until first use', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('facts')).toContainText('Version');
  const bytes = await page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const ours = files.filter(({ name }) => !name.includes('/api/'));
    return [page!, ...ours].reduce((sum, { transferSize }) => sum + transferSize, 0);
  });
  expect(bytes).toBeLessThan(400_000);
});
