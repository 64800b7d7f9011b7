import { type Api, apiOf } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { openView } from '../manageViews.ts';

const reset = (api: Api, ...keys: string[]) =>
  api('/api/manage/settings', Object.fromEntries(keys.map((key) => [key, null])), { method: 'PATCH' });

async function settingOf(api: Api, key: string): Promise<unknown> {
  const { settings } = (await api('/api/manage/settings')).body as {
    settings: Record<string, { value: unknown }>;
  };
  return settings[key]?.value;
}

test('should switch the light, zoom and turn, and follow what others do', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  await api('/api/remote/display', { on: true, zoom: 1, brightness: 60, muted: false });
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/screen/display',
  });
  const light = page.getByTestId('light');
  await expect(light).toBeChecked();
  await light.click();
  await expect(page.getByTestId('idle-state')).toHaveText('Dark');
  await expect(light).not.toBeChecked();
  expect((await api('/api/remote/display')).body).toMatchObject({ on: false, idle: 'off' });
  await light.click();
  await expect(page.getByTestId('idle-state')).toHaveText('In use');
  await page.getByTestId('zoom').selectOption('1.5');
  await expect.poll(async () => (await api('/api/remote/display')).body).toMatchObject({ zoom: 1.5 });
  await page.getByTestId('brightness').fill('35');
  await expect.poll(async () => (await api('/api/remote/display')).body).toMatchObject({ brightness: 35 });

  await api('/api/remote/display', { zoom: 1.1, brightness: 80, on: false });
  await expect(page.getByTestId('zoom')).toHaveValue('1.1');
  await expect(page.getByTestId('brightness')).toHaveValue('80');
  await expect(light).not.toBeChecked();
  await api('/api/remote/display', { on: true, zoom: 1 });
  expect(complaints).toEqual([]);
});

test('should offer what the screen does while nobody is there, in words', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/screen/idle',
  });
  const field = page.getByTestId('editor-field');
  const type = (text: string) => field.fill(text).then(() => page.getByTestId('editor-save').click());

  await expect(page.getByTestId('value-idle.saverAfter')).toHaveText('Default: never');
  await page.getByTestId('value-idle.saverAfter').click();
  await page.getByTestId('editor-field-choice').selectOption({ label: '5 min' });
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('value-idle.saverAfter')).toHaveText('5 min');
  await page.getByTestId('value-idle.saverAfter').click();
  await page.getByTestId('editor-field-choice').selectOption({ label: 'Another time…' });
  await type('-1');
  await expect(page.getByTestId('editor-mistake')).toContainText('from 0 to 604800');
  await page.getByTestId('editor-field-unit').selectOption('hour');
  await type('25');
  await expect(page.getByTestId('value-idle.saverAfter')).toHaveText('25 hr');
  expect(await settingOf(api, 'idle.saverAfter')).toBe(90_000);

  const saver = page.getByTestId('setting-idle.saver').getByRole('combobox');
  await saver.selectOption({ label: 'Photos' });
  await expect(saver).toHaveValue('2');
  await saver.selectOption({ label: 'A page…' });
  await type('http://hub.local/saver');
  await expect(page.getByTestId('value-idle.saver')).toHaveText('http://hub.local/saver');
  expect(await settingOf(api, 'idle.saver')).toBe('http://hub.local/saver');
  await saver.selectOption({ label: 'Black' });
  await expect(page.getByTestId('value-idle.saver')).toHaveCount(0);
  expect(await settingOf(api, 'idle.saver')).toBe('black');

  await page.getByTestId('value-idle.photos').click();
  await type('/home/photos');
  await expect(page.getByTestId('value-idle.photos')).toHaveText('/home/photos');
  await page.getByTestId('value-idle.wakePins').getByLabel('IO 2').click();
  await expect(page.getByTestId('value-idle.wakePins').getByLabel('IO 2')).toBeChecked();
  expect(await settingOf(api, 'idle.wakePins')).toEqual([1]);

  await openView(page, 'screen/display');
  const layouts = page.getByTestId('value-keyboard.layouts');
  for (const name of ['Spanish', 'English']) {
    await layouts.getByLabel(name).click();
    await expect(layouts.getByLabel(name)).toBeChecked();
  }
  expect(await settingOf(api, 'keyboard.layouts')).toEqual(['es', 'en']);
  await layouts.getByLabel('Spanish').click();
  await expect(layouts.getByLabel('Spanish')).not.toBeChecked();
  expect(await settingOf(api, 'keyboard.layouts')).toEqual(['en']);

  // What another caller changes is seen as well.
  await openView(page, 'screen/idle');
  await expect(page.getByTestId('value-idle.saverAfter')).toHaveText('25 hr');
  await reset(api, 'idle.saverAfter', 'idle.saver', 'idle.photos', 'idle.wakePins', 'keyboard.layouts');
  await expect(page.getByTestId('value-idle.saverAfter')).toHaveText('Default: never');
  // The browser itself reports the time that was refused.
  expect(complaints.filter((text) => !/400/.test(text))).toEqual([]);
});

test('should set when the panel sleeps, as a week', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  const before = { enabled: false, onTime: '07:00', offTime: '22:00', onDays: [] };
  await api('/api/remote/rtc/alarm', before);
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/screen/schedule',
  });
  await expect(page.getByTestId('week').getByRole('listitem')).toHaveCount(7);
  await expect(page.getByTestId('week').getByRole('listitem').first()).toHaveText('Mon07:00–22:00');
  await page.getByTestId('offTime').fill('07:00');
  await page.getByTestId('schedule-save').click();
  await expect(page.getByTestId('schedule-mistake')).toContainText('must differ');
  await page.getByTestId('offTime').fill('00:30');
  for (const day of [6, 0]) await page.getByTestId(`wakes-${day}`).uncheck();
  await expect(page.getByTestId('week').getByRole('listitem').last()).toHaveText('Sunasleep');
  await expect(page.getByTestId('week').getByRole('listitem').nth(5)).toHaveText('Sat00:00–00:30');
  await page.getByTestId('schedule-save').click();
  await expect(page.getByTestId('notice')).toHaveText('Saved.');
  await expect(page.getByTestId('schedule-on')).toBeChecked();
  expect((await api('/api/remote/rtc/alarm')).body).toMatchObject({
    ...{ enabled: true, onTime: '07:00', offTime: '00:30', onDays: [1, 2, 3, 4, 5] },
  });
  await page.getByTestId('schedule-on').click();
  await expect(page.getByTestId('schedule-on')).not.toBeChecked();
  // What others change is seen as well.
  await api('/api/remote/rtc/alarm', before);
  await expect(page.getByTestId('offTime')).toHaveValue('22:00');
  expect(complaints.filter((text) => !/400/.test(text))).toEqual([]);
});

test('should show a message and take it back', async ({ panel, openManage }) => {
  const { page, complaints } = await openManage(panel, {
    token: await panel.token(),
    at: '#/content/messages',
  });
  await expect(page.getByTestId('message-show')).toBeDisabled();
  const preview = page.getByTestId('message-preview');
  await page.getByTestId('template-alarm').click();
  await expect(page.getByTestId('message-sound')).toHaveValue('alarm');
  await expect(preview.locator('.full.alarm')).toContainText('Please leave the building.');
  await page.getByTestId('template-doorbell').click();
  await page.getByTestId('message-sound').selectOption('none');
  await page.getByTestId('message-title').fill('Kitchen');
  await page.getByTestId('message-text').fill('Dinner is <b>ready</b>.');
  await page.getByTestId('message-style').selectOption('dialog');
  await page.getByTestId('message-level').selectOption('warning');
  await page.getByTestId('message-seconds').fill('0');
  await expect(preview.locator('.dialog.warning')).toHaveText(/^Kitchen\s*Dinner is <b>ready<\/b>\.$/);
  await page.getByTestId('message-show').click();
  await expect(page.getByTestId('message-last')).toHaveText('It is on the screen.');
  await page.getByTestId('message-remove').click();
  await expect(page.getByTestId('message-last')).toHaveText('It was closed.');
  await expect(page.getByTestId('message-remove')).toBeDisabled();
  expect(complaints.filter((text) => !/404/.test(text))).toEqual([]);
});

test('should play a sound, say a text and be silent', async ({ panel, openManage }) => {
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/content/messages' });
  const asked: string[] = [];
  page.on('request', (request) => {
    if (/sound|speak/.test(request.url()))
      asked.push(`${request.method()} ${new URL(request.url()).pathname} ${request.postData() ?? ''}`.trim());
  });
  await page.getByTestId('sound-bell').click();
  await page.getByTestId('speech-text').fill('Hello');
  await page.getByTestId('speech-language').selectOption('de');
  await page.getByTestId('speech-say').click();
  await page.getByTestId('sound-stop').first().click();
  await expect
    .poll(() => asked)
    .toEqual([
      'POST /api/remote/sound {"name":"bell"}',
      'POST /api/remote/speak {"text":"Hello","language":"de","chime":true}',
      'DELETE /api/remote/sound',
    ]);
});

test('should show a page and go home, and follow what others show', async ({
  panel,
  openManage,
  startSite,
}) => {
  const api = await apiOf(panel);
  const site = await startSite({ '/': '<title>Weather</title><h1>Sun</h1>' });
  const { page, complaints } = await openManage(panel, { token: await panel.token(), at: '#/content/pages' });
  await expect(page.getByTestId('page-home')).toBeDisabled();
  const url = `${site.origin('dash.localhost')}/`;
  await page.getByTestId('page-url').fill(url);
  await page.getByTestId('page-seconds').fill('600');
  await page.getByTestId('page-show').click();
  await expect(page.getByTestId('page-state')).toHaveText(/shown/i);
  await expect(page.getByTestId('view')).toContainText('Weather');
  expect((await api('/api/remote/page')).body).toMatchObject({ url, home: false });
  await page.getByTestId('page-home').click();
  await expect(page.getByTestId('page-home')).toBeDisabled();
  await api('/api/remote/page/show', { url, seconds: 600 });
  await expect(page.getByTestId('page-home')).toBeEnabled();
  await api('/api/remote/page/home', {});
  await expect(page.getByTestId('page-home')).toBeDisabled();
  expect(complaints).toEqual([]);
});

test('should edit the list of pages', async ({ panel, openManage }) => {
  const api = await apiOf(panel);
  const { page } = await openManage(panel, { token: await panel.token(), at: '#/content/pages', width: 390 });
  const field = (name: string) => page.getByTestId(`editor-field-${name}`);
  const write = async (at: number, name: string, address: string) => {
    await field('add').click();
    await field(`${at}-name`).fill(name);
    await field(`${at}-url`).fill(address);
  };
  await page.getByTestId('value-kiosk.pages').click();
  await write(0, 'Home', 'http://hub.local/');
  await field('0-seconds-choice').selectOption({ label: 'Another time…' });
  await field('0-seconds-unit').selectOption('second');
  await field('0-seconds').fill('20');
  await write(1, 'Weather', 'https://');
  // The other entry is folded; the mistake opens the one that it is in, and stands at its field.
  await field('0-edit').click();
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('editor-mistake')).toContainText('must be an http or https URL');
  await expect(field('1-url')).toHaveAttribute('aria-invalid', 'true');
  await field('1-url').fill('https://weather.example/');
  await field('1-up').click();
  await expect(field('0-name')).toHaveValue('Weather');
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('editor')).toHaveCount(0);
  await expect(page.getByTestId('value-kiosk.pages')).toHaveText('Weather, Home');
  expect(await settingOf(api, 'kiosk.pages')).toEqual([
    { name: 'Weather', url: 'https://weather.example/' },
    { name: 'Home', url: 'http://hub.local/', seconds: 20 },
  ]);
  await page.getByTestId('value-kiosk.pages').click();
  await field('0-remove').click();
  await field('0-remove').click();
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('value-kiosk.pages')).toHaveText('Not set');
  expect(await settingOf(api, 'kiosk.pages')).toEqual([]);
});

for (const [locale, words] of [
  ['de-DE', ['Licht', 'Mitteilung auf dem Bildschirm', 'Jetzt auf dem Bildschirm']],
  ['es-ES', ['Luz', 'Mensaje en la pantalla', 'Ahora en la pantalla']],
] as const)
  test(`should speak ${locale} on the views of the wall`, async ({ panel, openManage }) => {
    const { page } = await openManage(panel, { token: await panel.token(), at: '#/screen/display', locale });
    for (const [at, view] of ['screen/display', 'content/messages', 'content/pages'].entries()) {
      await openView(page, view);
      await expect(page.getByRole('heading', { name: words[at]!, exact: true })).toBeVisible();
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0);
    }
  });
