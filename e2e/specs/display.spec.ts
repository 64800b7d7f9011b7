import type { Api } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { followEvents } from '../heardEvents.ts';

const DISPLAY = '/api/remote/display';
const PLAIN = { on: true, brightness: 80, volume: 40, muted: false, idle: 'active', zoom: 1, rotation: 0 };
/** Changes the settings of the idle time, which act at once. */
const idleSettings = (api: Api, idle: object) => api('/api/manage/settings', { idle }, { method: 'PATCH' });

test('should tell and set the display over HTTP and in the page, and announce it', async ({ page, api }) => {
  expect(await api(DISPLAY)).toEqual({ status: 200, body: PLAIN });
  // The answer of a call says that the panel has heard what came before it.
  await page.evaluate(
    `globalThis.seen = []; container.on('display', (state) => seen.push(state)); container.call('display.state', {})`,
  );
  const set = { brightness: 30, volume: 55, muted: true };
  expect(await api(DISPLAY, set)).toEqual({ status: 200, body: { ...PLAIN, ...set } });
  await expect.poll(() => page.evaluate('seen.at(-1)')).toEqual({ ...PLAIN, ...set });
  expect(await page.evaluate(`container.call('display.set', { muted: false, zoom: 2 })`)).toEqual({
    ...PLAIN,
    ...set,
    muted: false,
    zoom: 2,
  });
  await expect.poll(() => page.evaluate('devicePixelRatio')).toBe(2);
  expect(await page.evaluate(`container.call('display.state', {})`)).toMatchObject({
    zoom: 2,
    brightness: 30,
  });
  expect(await api(DISPLAY, {})).toMatchObject({ status: 200, body: { zoom: 2 } });
  const { idle: _, ...before } = PLAIN;
  expect(await api(DISPLAY, before)).toEqual({ status: 200, body: PLAIN });
});

test('should refuse what is no display, and change nothing', async ({ api }) => {
  const before = await api(DISPLAY);
  for (const [body, field] of [
    [{ idle: 'off' }, 'idle'],
    [{ brightness: 101 }, 'brightness'],
    [{ volume: -1 }, 'volume'],
    [{ zoom: 0.2 }, 'zoom'],
    [{ zoom: 5.1 }, 'zoom'],
    [{ rotation: 45 }, 'rotation'],
    [{ on: 'yes' }, 'on'],
    [{ volume: 3, zoom: 'large' }, 'zoom'],
  ] as const) {
    const { status, body: answer } = await api(DISPLAY, body);
    expect({ status, answer }).toEqual({
      status: 400,
      answer: { error: expect.any(String), code: 'INVALID_REQUEST', field },
    });
  }
  expect(await api(DISPLAY)).toEqual(before);
});

test('should dim, switch off and wake by settings that act at once', async ({ panel, api }) => {
  const states = await followEvents(panel, 'display', ({ idle }) => String(idle));
  expect((await idleSettings(api, { dimAfter: 1 })).status).toBe(200);
  // Nobody has touched the panel since its start.
  await api(`${DISPLAY}/activity`, {});
  await expect.poll(() => states.heard.at(-1)).toBe('dimmed');
  expect((await api(DISPLAY)).body).toMatchObject({ on: true, brightness: 80 });
  expect((await idleSettings(api, { dimAfter: null, offAfter: 1, wakePins: [0] })).status).toBe(200);
  await expect.poll(() => states.heard.at(-1)).toBe('off');
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 0 });
  await api('/api/remote/simulate', { part: 'gpio', pin: 0, level: 1 });
  await expect.poll(() => states.heard.slice(states.heard.indexOf('off'))).toEqual(['off', 'active', 'off']);
  expect((await idleSettings(api, { dimAfter: null, offAfter: null, wakePins: null })).status).toBe(200);
  expect((await api(DISPLAY)).body.idle).toBe('active');
  await states.end();
});

test('should go home when nobody touches it, and forget what a guest left', async ({
  api,
  page,
  startSite,
}) => {
  const home = await startSite({ '/': '<title>home</title>', '/guest': '<title>guest</title>' });
  const guest = { url: `${home.origin('guest.localhost')}/guest` };
  await api('/api/manage/settings', { kiosk: { url: `${home.origin()}/` } }, { method: 'PATCH' });
  await expect(page).toHaveTitle('home');
  await page.evaluate(`localStorage.kept = 'yes'`);
  expect((await api('/api/remote/page/show', guest)).status).toBe(200);
  await expect(page).toHaveTitle('guest');
  await page.evaluate(`localStorage.secret = 'yes'; document.cookie = 'secret=yes'`);
  expect((await idleSettings(api, { homeAfter: 1, clearAtHome: true })).status).toBe(200);
  await expect(page).toHaveTitle('home');
  expect(await page.evaluate('localStorage.kept')).toBe('yes');
  expect((await idleSettings(api, { homeAfter: null, clearAtHome: null })).status).toBe(200);
  await expect
    .poll(async () => {
      await api('/api/remote/page/show', guest);
      await expect(page).toHaveTitle('guest');
      return page.evaluate('[localStorage.secret ?? null, document.cookie]');
    })
    .toEqual([null, '']);
});

test('security: should need the scope control to change the display, and view to read it', async ({
  panel: service,
  api: owner,
}) => {
  const made = await owner('/api/manage/tokens', { name: 'reader', scopes: ['view'] });
  const headers = { authorization: `Bearer ${made.body.token}`, 'content-type': 'application/json' };
  const url = `${await service.url}${DISPLAY}`;
  expect((await fetch(url, { headers })).status).toBe(200);
  for (const path of ['', '/activity'])
    expect((await fetch(`${url}${path}`, { method: 'POST', headers, body: '{}' })).status).toBe(403);
  expect((await fetch(url)).status).toBe(401);
});
