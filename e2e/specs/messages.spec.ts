import { type Api, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { followEvents } from '../heardEvents.ts';
import { glassOf, killBrowser } from '../kioskService.ts';

const MESSAGE = '/api/remote/message';

/** Ends what the test has shown: the panel is shared. */
async function clear(api: Api, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) await api(`${MESSAGE}/${id}`, undefined, { method: 'DELETE' });
}

test('should show a message over HTTP, and tell which button was pressed', async ({ page, panel, api }) => {
  const glass = await glassOf(page);
  const events = await followEvents(panel, 'message', ({ id, action, button }) =>
    [id, action, button].filter(Boolean).join(' '),
  );
  const buttons = [{ id: 'open', label: 'Open the door' }];
  const message = {
    id: 'door',
    title: 'Front door',
    text: 'Somebody <b>rings</b>.',
    level: 'warning',
    buttons,
  };
  expect(await api(MESSAGE, message)).toEqual({ status: 200, body: { id: 'door' } });
  await expect(glass.getByRole('alert', { name: 'Front door' })).toContainText('Somebody <b>rings</b>.');
  await glass.getByRole('button', { name: 'Open the door' }).click();
  await expect.poll(() => events.heard).toEqual(['door shown', 'door pressed open']);
  await events.end();
  await expect(glass.getByRole('alert')).toHaveCount(0);
  expect(await api(`${MESSAGE}/door`, undefined, { method: 'DELETE' })).toEqual(failure(404, 'NOT_FOUND'));
});

test('should take messages of the page, and remove them', async ({ page, api }) => {
  const glass = await glassOf(page);
  const shown = await page.evaluate(async () => {
    const { container } = window as unknown as {
      container: {
        call(command: string, params: object): Promise<unknown>;
        on(event: string, hear: unknown): void;
      };
    };
    const heard: unknown[] = [];
    Object.assign(window, { heard });
    container.on('message', (event: unknown) => heard.push(event));
    return container.call('message.show', { text: 'From the page', id: 'mine', seconds: 0, style: 'full' });
  });
  expect(shown).toEqual({ id: 'mine' });
  await expect(glass.getByRole('alertdialog')).toContainText('From the page');
  expect(await api(`${MESSAGE}/mine`, undefined, { method: 'DELETE' })).toMatchObject({
    body: { status: 'removed' },
  });
  await expect(glass.getByRole('alertdialog')).toHaveCount(0);
  const heard = () => page.evaluate(() => (window as unknown as { heard: unknown[] }).heard);
  await expect.poll(heard).toEqual([
    { id: 'mine', action: 'shown' },
    { id: 'mine', action: 'dismissed' },
  ]);
});

test('should refuse the message that has no room, and let an alarm in', async ({ page, api }) => {
  const glass = await glassOf(page);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) => api(MESSAGE, { id: `of-${n}`, text: `Message ${n}`, seconds: 0 })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(21);
  expect(answers.filter(({ body }) => body.code === 'CONFLICT')).toHaveLength(19);
  expect(await api(MESSAGE, { id: 'fire', text: 'Fire', level: 'alarm', seconds: 0 })).toMatchObject({
    status: 200,
  });
  await expect(glass.locator('#message-text')).toHaveText('Fire');
  await clear(api, 'fire');
  await expect(glass.locator('#message-text')).toHaveText(/^Message/);
});

test('should name the field of a message that is not valid', async ({ api }) => {
  const bad = {
    text: '',
    level: 'loud',
    style: 'modal',
    seconds: -1,
    image: 'file:///etc/passwd',
    buttons: [{}],
  };
  for (const [field, value] of Object.entries(bad)) {
    const { status, body } = await api(MESSAGE, { text: 'x', [field]: value });
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(String(body.field)).toContain(field);
  }
});

test('should fetch a picture for a message, and show none of what is no picture', async ({
  page,
  api,
  startSite,
}) => {
  const glass = await glassOf(page);
  const site = await startSite({ '/page': '<h1>no picture</h1>' });
  await api(MESSAGE, { id: 'door', text: 'Door', image: `${site.origin()}/page`, seconds: 0 });
  await expect(glass.locator('#message-text')).toHaveText('Door');
  await expect(glass.locator('.picture')).toBeHidden();
  await clear(api, 'door');
});

test('should show a message again after the browser crashed', async ({
  panel: service,
  page: _,
  api,
  openPage,
}) => {
  await api(MESSAGE, { id: 'still', text: 'Still here', seconds: 0 });
  await killBrowser(service);
  await expect(async () => {
    const again = await openPage(service);
    const glass = await glassOf(again);
    await expect(glass.locator('#message-text')).toHaveText('Still here', { timeout: 2_000 });
  }).toPass({ timeout: 40_000 });
});

test('should show the page, dark, behind a dialog, and take it away with it', async ({ page, api }) => {
  const glass = await glassOf(page);
  await api(MESSAGE, { id: 'ask', text: 'Close the valve?', style: 'dialog', seconds: 0 });
  await expect(glass.locator('#backdrop')).toHaveCSS('background-image', /^url\("data:image\/jpeg/);
  await clear(api, 'ask');
  await expect(glass.locator('#backdrop')).toBeHidden();
  expect(await glass.locator('#backdrop').evaluate((it) => getComputedStyle(it).backgroundImage)).toBe(
    'none',
  );
});

test('should answer confirm of the page by a press on the glass', async ({ page }) => {
  const glass = await glassOf(page);
  for (const [button, answer] of [
    ['OK', true],
    ['Cancel', false],
  ] as const) {
    const confirmed = page.evaluate(() => confirm('Sure?'));
    await expect(glass.getByRole('alertdialog')).toContainText('Sure?');
    await glass.getByRole('button', { name: button, exact: true }).click();
    expect(await confirmed).toBe(answer);
  }
});

test('security: should keep a message from the page', async ({ page, api }) => {
  const glass = await glassOf(page);
  await api(MESSAGE, { id: 'code', text: 'The code is 4711', seconds: 0 });
  await expect(glass.locator('#message-text')).toHaveText('The code is 4711');
  const seen = await page.evaluate(async (url) => {
    const frame = document.createElement('iframe');
    frame.src = url;
    document.body.append(frame);
    await new Promise((resolve) => setTimeout(resolve, 500));
    const isReadable = (() => {
      try {
        return frame.contentDocument !== null;
      } catch {
        return false;
      }
    })();
    const text = await fetch(url)
      .then((answer) => answer.text())
      .catch(() => 'refused');
    return {
      isReadable,
      text,
      opened: window.open(url),
      text4711: document.body.textContent?.includes('4711'),
    };
  }, glass.url());
  expect(seen).toEqual({ isReadable: false, text: 'refused', opened: null, text4711: false });
  await clear(api, 'code');
});
