import { type Api, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { statsOf, stopDemo, watch } from '../viewer.ts';

async function sessions(api: Api) {
  return (await api('/api/stream/sessions')).body.sessions as { id: string; viewers: number }[];
}

const close = (api: Api, id: string) => api(`/api/stream/whep/${id}`, undefined, { method: 'DELETE' });

test('should end a session whose page has just closed its connection', async ({ page, api, cameras }) => {
  expect((await watch(page, 'leaving', cameras.url('h264'))).status).toBe(200);
  await expect.poll(async () => (await statsOf(page, 'leaving')).video?.frames).toBeGreaterThan(0);
  await page.evaluate(() => window.viewers!.get('leaving')!.close());
  // By then the panel has received the browser's close message.
  await expect.poll(async () => (await sessions(api)).map(({ id }) => id)).not.toContain('leaving');
  expect(await close(api, 'leaving')).toEqual({ status: 200, body: { status: 'stopped' } });
  expect(await close(api, 'leaving')).toEqual(failure(404, 'SESSION_NOT_FOUND'));
});

test('should let two viewers of a real camera see it at the same time', async ({ page, api, cameras }) => {
  for (const id of ['one', 'two']) expect((await watch(page, id, cameras.url('h264'))).status).toBe(200);
  for (const id of ['one', 'two']) {
    await expect.poll(async () => (await statsOf(page, id)).video?.frames).toBeGreaterThan(10);
  }
  for (const id of ['one', 'two']) await close(api, id);
});

test('should free the session of a page that closes its connection at once, not after silence', async ({
  page,
  api,
  cameras,
}) => {
  await stopDemo(page);
  expect((await watch(page, 'leaving', cameras.url('h264'))).status).toBe(200);
  await expect.poll(async () => (await statsOf(page, 'leaving')).video?.frames).toBeGreaterThan(0);
  await page.evaluate(() => window.viewers!.get('leaving')!.close());
  // A viewer that is only silent is kept for fifteen seconds.
  await expect.poll(() => sessions(api), { timeout: 8_000 }).toEqual([]);
});
