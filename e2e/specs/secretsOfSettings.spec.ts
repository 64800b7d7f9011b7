import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import type { Api } from '../api.ts';
import { expect, test } from '../manageBrowser.ts';
import { openSetting } from '../manageViews.ts';

const KEY = 'S3cret-of-the-house';
const SETTINGS = '/api/manage/settings';

/** A token of the owner's making, and the API for it. */
async function tokenOf(service: FaceplateProcess, owner: Api, scopes: readonly string[]) {
  const { body } = await owner('/api/manage/tokens', { name: `with ${scopes.join(' and ')}`, scopes });
  const token = String(body.token);
  const url = await service.url;
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  return { token, ask };
}

/** What a stream sends within a second. */
async function firstSecond(answer: Response): Promise<string> {
  expect(answer.headers.get('content-type')).toContain('text/event-stream');
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  const late = setTimeout(() => void reader.cancel(), 1_000);
  let text = '';
  for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
  clearTimeout(late);
  return text;
}

test('security: should show no query of a setting, and no script, to who is not the owner', async ({
  panel: service,
  api: owner,
  startSite,
}) => {
  const html =
    '<h1>hub</h1><script>console.log("at " + location.href); setTimeout(() => { throw new Error("x") })</script>';
  const site = await startSite({ [`/wall?token=${KEY}`]: html, [`/hall?token=${KEY}2`]: html });
  const kiosk = {
    url: `${site.origin()}/wall?token=${KEY}#${KEY}`,
    pages: [{ name: 'Hall', url: `${site.origin()}/hall?token=${KEY}2` }],
    inject: [{ origin: site.origin(), js: `globalThis.key = '${KEY}';` }],
  };
  expect((await owner(SETTINGS, { kiosk, log: { level: 'debug' } }, { method: 'PATCH' })).status).toBe(200);
  await expect.poll(() => site.requests.includes(`p1.localhost/wall?token=${KEY}`)).toBe(true);
  await owner('/api/remote/page/show', { page: 'Hall' });
  await expect.poll(() => site.requests.includes(`p1.localhost/hall?token=${KEY}2`)).toBe(true);
  await expect
    .poll(async () => (await owner('/api/remote/page')).body)
    .toMatchObject({ url: kiosk.pages[0]!.url, state: 'failed' });

  const phone = await tokenOf(service, owner, ['view', 'control', 'manage']);
  const shown = await phone.ask('/api/remote/page').then((answer) => answer.json());
  expect(shown).toMatchObject({ url: `${site.origin()}/hall?…`, state: 'failed' });
  const told: Record<string, string> = {};
  for (const path of [
    SETTINGS,
    '/api/remote/page',
    '/api/remote/info',
    '/api/remote/health',
    '/api/manage/journal',
  ])
    told[path] = await phone.ask(path).then((answer) => answer.text());
  for (const path of ['/api/remote/events', '/api/manage/console', '/api/manage/log?level=debug'])
    told[path] = await firstSecond(await phone.ask(path));
  expect(told['/api/manage/console']).toContain('hall?…');
  expect(told['/api/manage/journal']).toMatch(/"command":"page\.state".*hall\?….*"kiosk\.inject":"…"/);
  for (const [where, text] of Object.entries(told)) expect(text, where).not.toContain(KEY);

  // What was shown changes nothing when it is sent back.
  const read = (await phone.ask(SETTINGS).then((answer) => answer.json())) as {
    settings: Record<string, { value?: unknown; set?: boolean }>;
  };
  expect(read.settings['kiosk.inject']).toMatchObject({ set: true, locked: true });
  const back = {
    'kiosk.url': read.settings['kiosk.url']?.value,
    'kiosk.pages': read.settings['kiosk.pages']?.value,
  };
  const answer = await phone.ask(SETTINGS, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(back),
  });
  expect(answer.status).toBe(200);
  const { settings } = (await owner(SETTINGS)).body as unknown as typeof read;
  expect(settings['kiosk.url']?.value).toBe(kiosk.url);
  expect(settings['kiosk.pages']?.value).toEqual(kiosk.pages);
});

test('security: should edit what a phone does not read, and say which secret a change cleared', async ({
  panel: service,
  api: owner,
  openManage,
}) => {
  const pages = [
    { name: 'One', url: `http://127.0.0.1:1/?k=${KEY}1` },
    { name: 'Two', url: `http://127.0.0.1:1/?k=${KEY}2` },
  ];
  const mqtt = { url: 'mqtts://127.0.0.1:1', password: KEY, scopes: [] };
  await owner(SETTINGS, { kiosk: { pages }, mqtt }, { method: 'PATCH' });
  const phone = await tokenOf(service, owner, ['view', 'control', 'manage']);
  const { page } = await openManage(service, { token: phone.token, at: '#/system/settings/kiosk.pages' });
  const now = async (key: string) =>
    ((await owner(SETTINGS)).body.settings as Record<string, { value?: unknown; set?: boolean }>)[key];

  await page.getByTestId('value-kiosk.pages').click();
  await page.getByTestId('editor-field-1-edit').click();
  await expect(page.getByTestId('editor-field-1-url')).toHaveValue('http://127.0.0.1:1/?…');
  await page.getByTestId('editor-field-1-seconds-choice').selectOption({ label: 'Another time…' });
  await page.getByTestId('editor-field-1-seconds-unit').selectOption('second');
  await page.getByTestId('editor-field-1-seconds').fill('30');
  await page.getByTestId('editor-field-1-up').click();
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('value-kiosk.pages')).toHaveText('Two, One');
  expect((await now('kiosk.pages'))?.value).toEqual([{ ...pages[1], seconds: 30 }, pages[0]]);

  const edit = async (key: string, text: string) => {
    await openSetting(page, key);
    await page.getByTestId(`value-${key}`).click();
    await page.getByTestId('editor-field').fill(text);
    await page.getByTestId('editor-save').click();
  };
  await edit('mqtt.url', 'mqtt://127.0.0.1:1');
  await expect(page.getByTestId('editor-mistake')).toContainText('would be sent without TLS');
  await page.getByTestId('editor-field').fill('mqtts://127.0.0.1:2');
  await page.getByTestId('editor-save').click();
  await expect(page.getByRole('status').filter({ hasText: 'Password at the broker' })).toContainText(
    'Cleared',
  );
  await expect(page.getByTestId('value-mqtt.password')).toHaveText('not set');
  expect((await now('mqtt.password'))?.set).toBe(false);

  await openSetting(page, 'update.login');
  await page.getByTestId('value-update.login').click();
  await page.getByTestId('editor-field-username').fill('panel');
  await page.getByTestId('editor-field-password').fill('pw');
  await page.getByTestId('editor-save').click();
  await expect(page.getByTestId('value-update.login')).toHaveText('set');
  await edit('kiosk.url', `http://panel:${KEY}@hub.lan/`);
  await expect(page.getByTestId('editor-mistake')).toContainText('put it into kiosk.logins');
});
