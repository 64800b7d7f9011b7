import type { BuiltInPageChannel } from '../../server/kiosk/builtInPageContract.ts';
import type { PageStatus } from '../../server/kiosk/settingsPage/contract.ts';
import { expect, test } from '../manageBrowser.ts';
import { openEachView } from '../manageViews.ts';

const LOCKED: PageStatus = { mode: 'settings', setupStep: null, pin: 'set', locked: true, waitSeconds: 0 };

test('should take a token, keep it for the next visit, and forget it', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel);
  await page.getByTestId('token-field').fill('a-token-of-another-panel');
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('token-mistake')).toHaveText(/not a token of this panel/);
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  await page.getByTestId('token-field').fill(` ${await panel.token()} `);
  await page.getByTestId('sign-in').click();
  await expect(page.getByTestId('parts')).toContainText('gpio');
  await page.reload();
  await expect(page.getByTestId('parts')).toContainText('gpio');
  await page.getByTestId('sign-out').click();
  await expect(page.getByTestId('token-field')).toBeVisible();
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
  const phone = await openManage(panel, { token, at: '#/settings' });
  for (const key of ['kiosk.pin', 'kiosk.inject', 'bridge.origins', 'terminal.enabled', 'kiosk.user']) {
    const row = phone.page.getByTestId(`setting-${key}`);
    await expect(row).toContainText(words);
    await expect(row.locator('button.value, input, select').first()).toBeDisabled();
  }
  await expect(phone.page.getByTestId('setting-idle.dimTo')).not.toContainText(words);
  const owner = await openManage(panel, { token: await panel.token(), at: '#/settings' });
  await expect(owner.page.getByTestId('setting-kiosk.pin')).toBeVisible();
  await expect(owner.page.locator('main')).not.toContainText(words);
});

// The other looks are in e2e/long/manageLooks.spec.ts.
test('should open each view at 390 px, light, without a complaint', async ({ panel, openManage }) => {
  test.slow();
  await openEachView(
    await openManage(panel, { width: 390, scheme: 'light', token: await panel.token() }),
    390,
  );
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

test('should need at most 400 kB until first use', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await expect(page.getByTestId('parts')).toContainText('gpio');
  const bytes = await page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const ours = files.filter(({ name }) => !name.includes('/api/'));
    return [page!, ...ours].reduce((sum, { transferSize }) => sum + transferSize, 0);
  });
  expect(bytes).toBeLessThan(400_000);
});
