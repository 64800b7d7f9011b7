import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../fixtures.ts';

test('should show and change the settings over HTTP, only with the token', async ({ panel: service }) => {
  const url = `${await service.url}/api/manage/settings`;
  const headers = {
    authorization: `Bearer ${await service.token()}`,
    'content-type': 'application/json',
  };
  const patch = async (tree: string) => {
    const response = await fetch(url, { method: 'PATCH', headers, body: tree });
    return { status: response.status, body: await response.json() };
  };

  expect((await fetch(url)).status).toBe(401);
  const read = (await (await fetch(url, { headers })).json()) as { settings: Record<string, unknown> };
  expect(read.settings['http.port']).toMatchObject({ value: 0, default: 8080, source: 'environment' });
  expect(read.settings.token).toMatchObject({ set: false });

  expect(await patch('{"bridge":{"aliases":["panel"]},"log":{"level":"warn"}}')).toMatchObject({
    status: 200,
    body: { restartNeeded: ['bridge.aliases'] },
  });
  const path = join(service.dataDir, 'settings.json');
  const written = await readFile(path, 'utf8');
  expect(JSON.parse(written)).toEqual({ bridge: { aliases: ['panel'] }, log: { level: 'warn' } });

  const wrong = await patch('{"bridge":{"aliases":[1]},"log":{"level":"loud"},"__proto__":{"x":1}}');
  expect(wrong).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST', field: expect.any(String) } });
  expect(await patch('{"http":{"port":9000}}')).toMatchObject({
    status: 409,
    body: { code: 'CONFLICT', field: 'http.port' },
  });
  expect(await patch('[]')).toMatchObject({ status: 400 });
  expect(await readFile(path, 'utf8')).toBe(written);
});

test('should apply a change of a live setting at once', async ({ panel: service, page, startSite }) => {
  const site = (await startSite({ '/': '<h1>dashboard</h1>' })).origin();
  const authorization = `Bearer ${await service.token()}`;
  const call = async (method: string, path: string, body?: object, headers = {}) => {
    const response = await fetch(`${await service.url}${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json', ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const change = async (tree: object) => {
    const { status, body } = await call('PATCH', '/api/manage/settings', tree);
    expect({ status, restartNeeded: body.restartNeeded }).toEqual({ status: 200, restartNeeded: [] });
  };

  const run = () => call('POST', '/api/remote/terminal/exec', { command: 'true' });
  expect((await run()).status).toBe(200);
  await change({ terminal: { enabled: false } });
  expect(await run()).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });

  const fromElsewhere = () => call('POST', '/api/remote/led/on', { on: true }, { origin: site });
  expect((await fromElsewhere()).status).toBe(403);
  await change({ http: { allowedOrigins: [site] } });
  expect((await fromElsewhere()).status).toBe(200);

  await change({ kiosk: { url: `${site}/` } });
  await expect(page.getByRole('heading', { name: 'dashboard' })).toBeVisible();
  const container = () => page.evaluate(() => typeof Reflect.get(window, 'container')).catch(() => 'gone');
  expect(await container()).toBe('undefined');
  await change({ bridge: { origins: [site] } });
  await expect.poll(container).toBe('object');
  await change({ bridge: { origins: null }, kiosk: { url: null } });
  await expect(page.getByTestId('board')).toHaveText('Simulated board');
  await change({ kiosk: { parameters: 'lang=de' }, projects: { parameters: { demo: 'room=12' } } });
  await expect.poll(() => page.url()).toMatch(/\/\/demo\.localhost:\d+\/\?room=12&lang=de$/);
});
