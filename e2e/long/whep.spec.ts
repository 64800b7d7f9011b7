import { join } from 'node:path';
import { pageBundle } from '../../build/bundle/pageBundle.ts';
import { zipFile } from '../../server/testing/zipFile.ts';
import { expect, test } from '../fixtures.ts';
import { kioskPage } from '../kioskService.ts';

test('should play a camera in players that others wrote, by standard WHEP, and end with them', async ({
  startFaceplate,
}) => {
  const service = await startFaceplate({ kiosk: true });
  const { page, detach } = await kioskPage(service);
  await expect(page.getByTestId('camera-url')).toHaveValue(/^rtsp:/);
  const camera = await page.getByTestId('camera-url').inputValue();
  const script = await pageBundle(join(import.meta.dirname, '../players/whepPlayers.ts'));
  const html =
    '<!doctype html><meta charset="utf-8"><video autoplay muted playsinline></video><script src="players.js"></script>';
  const archive = zipFile([
    { name: 'index.html', content: html },
    { name: 'players.js', content: script },
  ]);
  const call = async (
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: BodyInit,
  ) => {
    const response = await fetch(`${await service.url}/api/${path}`, {
      method,
      headers: { authorization: `Bearer ${await service.token()}`, ...headers },
      ...(body !== undefined && { body }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  const installed = await call(
    'POST',
    'manage/projects?name=Players',
    { 'content-type': 'application/zip' },
    new Uint8Array(archive),
  );
  expect(installed.status).toBe(200);
  expect((await call('POST', 'manage/projects/players/activate')).status).toBe(200);
  await expect(page).toHaveTitle('ready');

  const sessions = async () =>
    (JSON.parse((await call('GET', 'stream/sessions')).text) as { sessions: { id: string }[] }).sessions.map(
      ({ id }) => id,
    );
  for (const player of ['whipWhep', 'eyevinn'] as const) {
    await page.evaluate(
      async ([name, url]) => {
        window.endPlay = await window.play[name](name, url);
      },
      [player, camera] as const,
    );
    await expect
      .poll(
        () =>
          page
            .locator('video')
            .evaluate((video: HTMLVideoElement) => video.getVideoPlaybackQuality().totalVideoFrames),
        {
          message: player,
          timeout: 15_000,
        },
      )
      .toBeGreaterThan(5);
    expect(await sessions()).toEqual([player]);
    await page.evaluate(() => window.endPlay());
    await expect.poll(sessions, { message: player }).toEqual([]);
  }

  // Without a player: each answer as the standard has it, and every refusal as everywhere.
  const sdp = { 'content-type': 'application/sdp' };
  const offer = await page.evaluate(async () => {
    const pc = new RTCPeerConnection();
    pc.addTransceiver('video', { direction: 'recvonly' });
    return (await pc.createOffer()).sdp!;
  });
  const query = `?url=${encodeURIComponent(camera)}`;
  const made = await call('POST', `stream/whep/plain${query}`, sdp, offer);
  expect(made.status).toBe(201);
  expect(made.headers.get('location')).toBe('/api/stream/whep/plain');
  expect(made.headers.get('content-type')).toMatch(/^application\/sdp/);
  expect(made.text).toMatch(/^v=0\r\n/);
  const patched = await call(
    'PATCH',
    'stream/whep/plain',
    { 'content-type': 'application/trickle-ice-sdpfrag' },
    'a=end-of-candidates',
  );
  expect(patched.status).toBe(405);
  expect(patched.headers.get('allow')).toBe('POST, DELETE, OPTIONS');
  expect(JSON.parse(patched.text).code).toBe('METHOD_NOT_ALLOWED');
  expect((await call('DELETE', 'stream/whep/plain')).status).toBe(200);
  expect((await call('DELETE', 'stream/whep/plain')).status).toBe(404);
  const codeOf = ({ status, text }: { status: number; text: string }) => [status, JSON.parse(text).code];
  expect(codeOf(await call('POST', 'stream/whep/x', sdp, offer))).toEqual([400, 'INVALID_REQUEST']);
  expect(codeOf(await call('POST', `stream/whep/x${query}&url=a`, sdp, offer))).toEqual([
    400,
    'INVALID_REQUEST',
  ]);
  expect(codeOf(await call('POST', `stream/whep/x${query}&more=1`, sdp, offer))).toEqual([
    400,
    'INVALID_REQUEST',
  ]);
  expect(codeOf(await call('POST', `stream/whep/x${query}`, sdp, ''))).toEqual([400, 'INVALID_REQUEST']);
  expect(
    codeOf(await call('POST', `stream/whep/x${query}`, { 'content-type': 'text/plain' }, offer)),
  ).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  expect(codeOf(await call('POST', `stream/whep/x${query}`, sdp, 'v'.repeat(300_000)))).toEqual([
    413,
    'TOO_LARGE',
  ]);
  expect(
    codeOf(await call('POST', `stream/whep/x${query}`, { ...sdp, origin: 'http://evil.example' }, offer)),
  ).toEqual([403, 'FORBIDDEN']);
  await detach();
});
