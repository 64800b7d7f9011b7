import { zipFile } from '../../server/testing/zipFile.ts';
import { type Api, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { killBrowser } from '../kioskService.ts';

const PAGES = { '/': '<title>site</title><h1>site</h1>', '/a': '<h1>a</h1>', '/b': '<h1>b</h1>' };

const show = (api: Api, body: object) => api('/api/remote/page/show', body);
const state = async (api: Api) => (await api('/api/remote/page')).body;

test('should show an address and come home after its seconds, also over a crash of the browser', async ({
  panel: service,
  page,
  api,
  startSite,
}) => {
  const site = await startSite(PAGES);
  await expect.poll(() => state(api)).toMatchObject({ state: 'shown', home: true, until: null });
  const home = (await state(api)).url;
  expect((await api('/api/remote/page/home', {})).body).toMatchObject({ url: home, state: 'shown' });

  const url = `${site.origin('dash.localhost')}/a`;
  const answer = await show(api, { url, seconds: 600 });
  expect(answer).toMatchObject({ status: 200, body: { url, state: 'loading', title: '', home: false } });
  const { until } = answer.body;
  await expect(page.locator('h1')).toHaveText('a');
  expect(await page.evaluate(() => typeof (window as { container?: unknown }).container)).toBe('undefined');
  await expect.poll(() => state(api)).toMatchObject({ url, state: 'shown', home: false, until });

  // It keeps to its own origin.
  await page.evaluate((away) => location.assign(away), `${site.origin('evil.localhost')}/b`).catch(() => {});
  await page.evaluate((away) => location.assign(away), String(home)).catch(() => {});
  await page.evaluate(() => location.assign('/b'));
  await expect(page.locator('h1')).toHaveText('b');
  expect(site.requests).not.toContain('evil.localhost/b');

  await killBrowser(service);
  await expect.poll(() => state(api), { timeout: 15_000 }).toMatchObject({ url, state: 'shown', until });
  const { until: soon } = (await show(api, { url, seconds: 3 })).body;
  await expect
    .poll(() => state(api), { timeout: 30_000 })
    .toMatchObject({ url: home, state: 'shown', home: true, until: null });
  expect(Date.now()).toBeGreaterThan(Date.parse(String(soon)) - 1_000);
});

test('should refuse what is no page to show, and say which field', async ({ api, panel }) => {
  const { port } = new URL(await panel.url);
  const one = /exactly one of url, page and project/;
  expect(await show(api, {})).toEqual(failure(400, 'INVALID_REQUEST', one));
  expect(await show(api, { url: 'http://a.example/', page: 'x' })).toEqual(
    failure(400, 'INVALID_REQUEST', one),
  );
  for (const url of [
    'ftp://a.example/',
    'javascript:1',
    'file:///etc/passwd',
    '',
    `http://a.example/${'x'.repeat(3_000)}`,
    'http://u:p@a.example/',
  ])
    expect(await show(api, { url })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', field: 'url' },
    });
  for (const seconds of [0, 86_401, 1.5, '5'])
    expect(await show(api, { url: 'http://a.example/', seconds })).toMatchObject({
      status: 400,
      body: { field: 'seconds' },
    });
  for (const url of [
    `http://settings.localhost:${port}/`,
    `http://127.0.0.1:${port}/manage/`,
    `http://localhost:${port}/`,
  ])
    expect(await show(api, { url })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  expect(await show(api, { page: 'none' })).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await show(api, { project: 'none' })).toMatchObject({
    status: 404,
    body: { code: 'PROJECT_NOT_FOUND' },
  });
  expect((await api('/api/remote/page')).body).toMatchObject({ home: true });
});

test('should show another project without a container, and a page that asks by the bridge', async ({
  page,
  panel,
  api,
}) => {
  const archive = zipFile([{ name: 'index.html', content: '<!doctype html><h1>other</h1>' }]);
  const installed = await api('/api/manage/projects?name=Other', undefined, {
    method: 'POST',
    body: new Uint8Array(archive),
    headers: { authorization: `Bearer ${await panel.token()}`, 'content-type': 'application/zip' },
  });
  expect(installed.status).toBe(200);
  const answer = await page.evaluate(() => {
    const { container } = window as never as {
      container: { call(name: string, params: object): Promise<object> };
    };
    return container.call('page.show', { project: 'other' });
  });
  expect(answer).toMatchObject({ state: 'loading', home: false });
  await expect(page.locator('h1')).toHaveText('other');
  expect(await page.evaluate(() => typeof (window as { container?: unknown }).container)).toBe('undefined');
  expect((await api('/api/manage/projects/other', undefined, { method: 'DELETE' })).status).toBe(200);
  await expect.poll(() => state(api)).toMatchObject({ state: 'shown', home: true });
});

test('should take turns by kiosk.pages, stand a flood and two callers, and follow the settings', async ({
  page,
  api,
  startSite,
}) => {
  const site = await startSite(PAGES);
  const pages = [
    { name: 'A', url: `${site.origin('dash.localhost')}/a`, seconds: 1 },
    { name: 'B', url: `${site.origin('other.localhost')}/b`, seconds: 1 },
    { name: 'Still', url: `${site.origin('dash.localhost')}/` },
  ];
  const change = (tree: object) => api('/api/manage/settings', tree, { method: 'PATCH' });
  // On a busy machine an address of before may arrive last, and is left again.
  const recoveries = async () => ({
    ...((await api('/api/remote/info')).body.recoveries as object),
    'stray-page': undefined,
  });
  const before = await recoveries();
  expect((await change({ kiosk: { pages } })).status).toBe(200);
  for (const text of ['a', 'b', 'a']) await expect(page.locator('h1')).toHaveText(text);
  expect((await show(api, { page: 'Still' })).status).toBe(200);
  await expect(page).toHaveTitle('site');
  expect((await change({ kiosk: { pages: [{ name: 'A', url: 'javascript:1' }] } })).status).toBe(400);

  // A flood: the last one counts, and nothing breaks.
  const answers = await Promise.all(
    Array.from({ length: 300 }, (_, i) =>
      show(api, { url: `${site.origin('dash.localhost')}/${i % 2 ? 'a' : 'b'}` }),
    ),
  );
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  await Promise.all([show(api, { page: 'A' }), show(api, { page: 'Still' })]);
  await expect
    .poll(() => state(api))
    .toMatchObject({ url: expect.stringMatching(/dash\.localhost.*\/a?$/), state: 'shown' });
  expect(await recoveries()).toEqual(before);

  expect((await change({ kiosk: { pages: null } })).status).toBe(200);
  await api('/api/remote/page/home', {});
  await expect.poll(() => state(api)).toMatchObject({ state: 'shown', home: true });
});
