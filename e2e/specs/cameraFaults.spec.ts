import { usualReply } from '../../server/testing/scriptedCamera.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';
import { offerOf, playInDemo, stopDemo } from '../viewer.ts';

const garbage = Buffer.from('\x00\x01\x02\xff\xfe no RTSP \r\n\r\n', 'latin1');

test.describe('a camera that', () => {
  test('refuses the connection should be reported as CAMERA_UNREACHABLE', async ({
    page,
    api,
    startCamera,
  }) => {
    const camera = await startCamera(usualReply);
    const url = camera.url();
    await camera.stop();
    const answer = await api('/api/stream/whep/refused', { url, sdp: await offerOf(page) });
    expect(answer).toEqual(failure(502, 'CAMERA_UNREACHABLE', /ECONNREFUSED/));
    await playInDemo(page, url);
    await expect(page.getByTestId('camera-status')).toContainText('(CAMERA_UNREACHABLE)');
    await expect(page.getByTestId('camera-card')).toHaveAttribute('data-state', 'waiting');
    await camera.start(Number(new URL(url).port));
    // The page retries automatically: the returned camera plays (it has no picture, so it stays connecting).
    await expect.poll(() => camera.methods()).toContain('PLAY');
  });

  for (const [what, reply] of [
    ['sends garbage', garbage],
    ['has no video', { status: 200, headers: ['Content-Type: application/sdp'], body: 'v=0\r\n' }],
    ['is out of order', { status: 500 }],
  ] as const) {
    test(`${what} should be reported as CAMERA_PROTOCOL and disconnected`, async ({
      page,
      api,
      startCamera,
    }) => {
      const camera = await startCamera((request) =>
        request.method === 'DESCRIBE' ? reply : usualReply(request),
      );
      await stopDemo(page);
      const answer = await api('/api/stream/whep/strange', { url: camera.url(), sdp: await offerOf(page) });
      expect(answer).toEqual(failure(502, 'CAMERA_PROTOCOL'));
      await expect.poll(() => camera.connections).toEqual({ all: 1, open: 0 });
      expect((await api('/api/stream/sessions')).body.sessions).toEqual([]);
      await playInDemo(page, camera.url());
      await expect(page.getByTestId('camera-status')).toContainText('(CAMERA_PROTOCOL)');
    });
  }
});

test('should close the session of a camera once nobody watches it and when the service stops', async ({
  startFaceplate,
  page,
  startCamera,
}) => {
  const camera = await startCamera(usualReply);
  const service = await startFaceplate({ args: ['--streams.lingerSeconds', '0'] });
  const api = await apiOf(service);
  const sdp = await offerOf(page);
  const open = (id: string) => api(`/api/stream/whep/${id}`, { url: camera.url(), sdp });
  expect((await open('short')).status).toBe(200);
  expect((await api('/api/stream/whep/short', undefined, { method: 'DELETE' })).body).toEqual({
    status: 'stopped',
  });
  await expect.poll(() => camera.connections).toEqual({ all: 1, open: 0 });
  expect(camera.methods().at(-1)).toBe('TEARDOWN');

  expect((await open('to-the-end')).status).toBe(200);
  expect(camera.connections).toEqual({ all: 2, open: 1 });
  const { code, left } = await service.stop();
  expect({ code, left }).toEqual({ code: 0, left: [] });
  await expect.poll(() => camera.connections.open).toBe(0);
  expect(camera.methods().at(-1)).toBe('TEARDOWN');
});
