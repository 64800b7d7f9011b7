import type { Page } from '@playwright/test';
import { zipFile } from '../../server/testing/zipFile.ts';
import { expect, test } from '../manageBrowser.ts';
import { openView, seriousFaults, viewPaths } from '../manageViews.ts';

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
const LISTS = ['people/activity', 'system/api'];

test('should need no more than three screens for a view that is no list', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  for (const path of await viewPaths(page)) {
    if (LISTS.includes(path)) continue;
    await openView(page, path);
    await expect(page.getByText('Loading…')).toHaveCount(0);
    const groups = page.locator('.side-index').getByRole('tab');
    for (const group of (await groups.count()) > 0 ? await groups.all() : [undefined]) {
      await group?.click();
      const name = `${path} ${(await group?.textContent()) ?? ''}`;
      expect(await heightOf(page), name).toBeLessThanOrEqual(3 * 800);
    }
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

test('should show an installed project as a card, with what is done seldom in a menu for the keys too', async ({
  panel,
  api,
  openManage,
}) => {
  const install = async (text: string) => {
    const archive = zipFile([{ name: 'index.html', content: `<h1>${text}</h1>` }]);
    const headers = {
      authorization: `Bearer ${await panel.token()}`,
      'content-type': 'application/zip',
    };
    const init = { method: 'POST', headers, body: new Uint8Array(archive) };
    expect((await api('/api/manage/projects?name=Lobby', undefined, init)).status).toBe(200);
  };
  await install('one');
  const at = '#/content/projects';
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at });
  const project = page.getByTestId('project-lobby');
  const item = (name: RegExp) => project.getByRole('menuitem', { name });
  await page.getByTestId('project-menu-lobby').focus();
  await page.keyboard.press('ArrowDown');
  await expect(item(/^Parameters/)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(item(/^Previous version/)).toBeFocused();
  await expect(item(/^Previous version/)).toBeDisabled();
  await expect(item(/^Previous version/)).toContainText('There is no version before this one.');
  await page.keyboard.press('End');
  await expect(item(/^Remove/)).toBeFocused();
  expect(await seriousFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect(project.getByRole('menu')).toHaveCount(0);
  await expect(page.getByTestId('project-menu-lobby')).toBeFocused();

  await page.keyboard.press('Enter');
  await expect(item(/^Parameters/)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByTestId('parameters-lobby').fill('room=12');
  await page.getByTestId('parameters').getByRole('button', { name: 'Save' }).click();
  await expect(project).toContainText('room=12');
  await install('two');
  await page.reload();
  await page.getByTestId('project-menu-lobby').click();
  await item(/^Back to the version of/).click();
  await page.getByTestId('yes').click();
  await page.getByTestId('project-menu-lobby').click();
  await expect(item(/^Previous version/)).toBeDisabled();
  await item(/^Remove/).click();
  await page.getByTestId('yes').click();
  await expect(page.getByTestId('projects')).toContainText('No project is installed');
  await api('/api/manage/settings', { projects: { parameters: null } }, { method: 'PATCH' });
  expect(complaints).toEqual([]);
});

test('should show what happens after the last touch as a line in its order', async ({
  panel,
  api,
  openManage,
}) => {
  const idle = { saverAfter: 60, dimAfter: 120 };
  await api('/api/manage/settings', { idle }, { method: 'PATCH' });
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/screen/idle' });
  const line = page.getByTestId('idle-line').getByRole('listitem');
  await expect(line).toHaveText([
    /^Touch/,
    /^Screen saver\s*1 min$/,
    /^Dimmed\s*2 min$/,
    /^Screen off\s*never$/,
    /^Home page\s*never$/,
  ]);
  await line.nth(3).getByRole('link').click();
  await expect(page.getByTestId('setting-idle.offAfter')).toHaveClass(/pointed/);
  await api('/api/manage/settings', { idle: { saverAfter: null, dimAfter: null } }, { method: 'PATCH' });
});

test('should set the first door up in three steps, and lead back to the one with a mistake', async ({
  panel,
  api,
  openManage,
}) => {
  const { page } = await openManage(panel, { token: await panel.token() });
  await page.route('**/api/remote/intercom', (route) =>
    route.fulfill({
      json: {
        status: { callStatus: 'idle', incomingCallerName: '', registered: false, lastError: null },
        ...{ doNotDisturb: false, doors: [], panels: [], history: [] },
      },
    }),
  );
  await page.route('**/api/manage/settings', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const answer = await (await route.fetch()).json();
    answer.settings['sip.enabled'].value = true;
    await route.fulfill({ json: answer });
  });
  await openView(page, 'devices/intercom');
  await page.getByTestId('door-add').click();
  const next = page.getByTestId('door-next');
  await expect(next).toBeDisabled();
  await page.getByTestId('door-name').fill('Front door');
  await page.getByTestId('door-peer').fill('the house');
  await next.click();
  await page.getByTestId('door-dtmf').fill('*9');
  expect(await seriousFaults(page)).toEqual([]);
  await next.click();
  await next.click();
  await expect(page.getByTestId('door-peer')).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByTestId('door-dialog')).toContainText('must be an IP address, or an extension');
  await page.getByTestId('door-peer').fill('192.168.20.9');
  for (const _ of [1, 2, 3]) await next.click();
  await expect(page.getByTestId('door-dialog')).toHaveCount(0);
  await expect(page.getByTestId('restart-needed')).toContainText('Doors');
  await api('/api/manage/settings', { sip: { doors: null } }, { method: 'PATCH' });
});
