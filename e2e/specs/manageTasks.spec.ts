import type { Page } from '@playwright/test';
import { expect, test } from '../manageBrowser.ts';
import { openView, viewPaths } from '../manageViews.ts';

/** What an owner does: the taps that lead from Home to the control, and the control. */
const TASKS: Readonly<Record<string, { readonly taps: readonly string[]; readonly control: string }>> = {
  'see what it shows': { taps: [], control: 'picture' },
  'change what it shows': { taps: ['quick-page'], control: 'page-url' },
  'send a message': { taps: ['quick-message'], control: 'message-text' },
  'set when it is night': { taps: ['entry-screen', 'tab-schedule'], control: 'offTime' },
  'invite somebody': { taps: ['open-people', 'make-code'], control: 'code' },
};

for (const width of [390, 1280])
  test(`should take an owner to each of the five tasks in two taps at ${width} px`, async ({
    panel,
    openManage,
  }) => {
    const { page } = await openManage(panel, { token: await panel.token(), width });
    for (const [task, { taps, control }] of Object.entries(TASKS)) {
      await openView(page, 'home');
      await expect(page.getByTestId('facts')).toBeVisible();
      expect(taps.length, task).toBeLessThanOrEqual(2);
      for (const tap of taps) await page.getByTestId(tap).click();
      await expect(page.getByTestId(control), task).toBeVisible();
    }
  });

/** Views that are a list. */
const LISTS = ['system/settings', 'people/activity', 'system/api'];

test('should need no more than three screens for a view that is no list', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  for (const path of await viewPaths(page)) {
    if (LISTS.includes(path)) continue;
    await openView(page, path);
    await expect(page.getByText('Loading…')).toHaveCount(0);
    expect(await heightOf(page), path).toBeLessThanOrEqual(3 * 800);
  }
});

function heightOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollHeight);
}

test('should turn the intercom on from its own page, and say that a restart is needed', async ({
  panel,
  api,
  openManage,
}) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/devices/intercom' });
  await page.getByTestId('turn-on').click();
  await expect(page.getByTestId('restart-now')).toBeVisible();
  // It is so for whoever comes later, too.
  await page.reload();
  await page.getByTestId('restart-now').click();
  await expect(page.getByTestId('restart-choice')).toBeVisible();
  await page.getByTestId('restart-cancel').click();
  await api('/api/manage/settings', { sip: { enabled: null } }, { method: 'PATCH' });
});

test('should turn HTTPS on where it is off, and change settings beside what they are for', async ({
  panel,
  api,
  openManage,
}) => {
  const { page } = await openManage(panel, {
    token: await panel.token(),
    at: '#/connections/network/http.announce',
  });
  await expect(page.getByTestId('setting-http.announce')).toBeInViewport();
  await page.getByTestId('turn-on').click();
  await expect(page.getByTestId('restart-now')).toBeVisible();
  await api('/api/manage/settings', { https: { port: null } }, { method: 'PATCH' });
});
