import { usualReply } from '../../server/testing/scriptedCamera.ts';
import { type Api, failure, send } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { offerOf, stopDemo, watch } from '../viewer.ts';

async function sessions(api: Api) {
  return (await api('/api/stream/sessions')).body.sessions as { id: string; viewers: number }[];
}

const close = (api: Api, id: string) => api(`/api/stream/whep/${id}`, undefined, { method: 'DELETE' });

test('should let two viewers of one camera share one connection', async ({ page, api, startCamera }) => {
  const camera = await startCamera(usualReply);
  await stopDemo(page);
  for (const id of ['left', 'right']) expect((await watch(page, id, camera.url())).status).toBe(200);
  expect((await sessions(api)).map(({ id, viewers }) => [id, viewers])).toEqual([
    ['left', 2],
    ['right', 2],
  ]);
  expect(camera.connections).toEqual({ all: 1, open: 1 });
  expect(await close(api, 'left')).toEqual({ status: 200, body: { status: 'stopped' } });
  expect(await sessions(api)).toMatchObject([{ id: 'right', viewers: 1 }]);
  expect(await close(api, 'left')).toEqual(failure(404, 'SESSION_NOT_FOUND'));
  expect(await close(api, 'never-there')).toEqual(failure(404, 'SESSION_NOT_FOUND'));
  await close(api, 'right');
});

test('should refuse the ninth session, and still take over an existing one', async ({
  page,
  api,
  startCamera,
}) => {
  const camera = await startCamera(usualReply);
  await stopDemo(page);
  const ids = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `wall-${number}`);
  for (const id of ids) expect((await watch(page, id, camera.url())).status).toBe(200);
  expect(await watch(page, 'wall-9', camera.url())).toEqual(failure(503, 'SESSION_LIMIT'));
  expect((await watch(page, 'wall-1', camera.url())).status).toBe(200);
  expect((await sessions(api)).map(({ id }) => id).sort()).toEqual(ids);
  for (const id of ids) expect((await close(api, id)).status).toBe(200);
  expect(await sessions(api)).toEqual([]);
});

test('should tell a pending open that its id was taken over, or closed', async ({
  page,
  api,
  startCamera,
}) => {
  const silent = await startCamera(() => undefined);
  const sdp = await offerOf(page);
  await stopDemo(page);
  const first = api('/api/stream/whep/same', { url: silent.url('/1'), sdp });
  await expect.poll(() => silent.connections.all).toBe(1);
  const second = api('/api/stream/whep/same', { url: silent.url('/2'), sdp });
  expect(await first).toEqual(failure(409, 'CONFLICT', /took its id over/));
  await expect.poll(() => silent.connections).toEqual({ all: 2, open: 1 });
  await close(api, 'same');
  expect(await second).toEqual(failure(409, 'CONFLICT', /closed/));
  await expect.poll(() => silent.connections).toEqual({ all: 2, open: 0 });
});

test('should free the sessions of a page that is reloaded within 15 seconds', async ({
  page,
  api,
  startCamera,
}) => {
  const camera = await startCamera(usualReply);
  await expect(page.getByTestId('camera-card')).toHaveAttribute('data-state', 'playing');
  expect((await watch(page, 'forgotten', camera.url())).status).toBe(200);
  const before = (await sessions(api)).map(({ id }) => id);
  expect(before).toHaveLength(2);
  await page.reload();
  await expect
    .poll(async () => (await sessions(api)).filter(({ id }) => before.includes(id)), { timeout: 15_000 })
    .toEqual([]);
});

test('should refuse bad offers, addresses and ids, and name the field', async ({ page, api }) => {
  const sdp = await offerOf(page);
  const url = 'rtsp://127.0.0.1:1/x';
  for (const [id, body, field] of [
    ['x', { url: 'http://127.0.0.1/x', sdp }, 'url'],
    ['x', { sdp }, 'url'],
    ['x', { url, sdp: 'not an offer' }, 'sdp'],
    ['x', { url, sdp: sdp.replaceAll('H264', 'H266') }, 'sdp'],
    ['x', { url, sdp, quality: 'best' }, 'quality'],
    ['no%20blanks', { url, sdp }, 'id'],
  ] as const) {
    const answer = await api(`/api/stream/whep/${id}`, body);
    expect(answer).toEqual(failure(400, 'INVALID_REQUEST', /./, field));
  }
});

test('security: should not let a page of a foreign origin use the stream API', async ({
  panel: service,
  page,
  api,
  startSite,
  startCamera,
}) => {
  const camera = await startCamera(usualReply);
  const site = await startSite({ '/': '<!doctype html><title>foreign</title>' });
  await api('/api/manage/settings', { kiosk: { url: `${site.origin()}/` } }, { method: 'PATCH' });
  await expect(page).toHaveTitle('foreign');
  const { port } = new URL(await service.url);
  const sdp = await offerOf(page);
  const outcomes = await page.evaluate(
    async ([base, body]) => {
      const post = { method: 'POST', body };
      const tries: [string, RequestInit][] = [
        ['sessions', {}],
        ['whep/foreign', { ...post, headers: { 'content-type': 'application/json' } }],
        ['whep/foreign', { method: 'DELETE' }],
        // Sent without a preflight: only the check of Origin is left.
        ['whep/foreign', { ...post, mode: 'no-cors' }],
      ];
      const attempt = ([path, init]: [string, RequestInit]) =>
        fetch(`${base}/api/stream/${path}`, init).then(
          (response) => response.type,
          (error: Error) => error.name,
        );
      return Promise.all(tries.map(attempt));
    },
    [`http://127.0.0.1:${port}`, JSON.stringify({ url: camera.url(), sdp })] as const,
  );
  // Opaque: sent, and the page cannot read the answer.
  expect(outcomes).toEqual(['TypeError', 'TypeError', 'TypeError', 'opaque']);
  expect(camera.connections.all).toBe(0);
  const headers = { origin: site.origin(), 'content-type': 'application/json' };
  const change = { method: 'POST', path: '/api/stream/whep/foreign', headers };
  expect(await send(service, change, JSON.stringify({ url: camera.url(), sdp }))).toEqual(
    failure(403, 'FORBIDDEN'),
  );
  expect(camera.connections.all).toBe(0);
});
