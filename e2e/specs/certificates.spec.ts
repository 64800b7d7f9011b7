import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { ScriptedCamera, ScriptedVideo, usualReply } from '../../server/testing/scriptedCamera.ts';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { failure, send } from '../api.ts';
import { expect, test } from '../fixtures.ts';

const CERTIFICATES = '/api/manage/certificates';
const SETTINGS = '/api/manage/settings';

test('should show a dashboard with a self-signed certificate once it is trusted, with the parameters of the panel', async ({
  panel: service,
  api,
  openPage,
}) => {
  const { key, cert, fingerprint } = selfSigned('DNS:dashboard.localhost');
  const asked: string[] = [];
  const dashboard = createServer({ key, cert }, (request, response) => {
    asked.push(`${request.url}`);
    response.setHeader('content-type', 'text/html');
    response.end('<title>dashboard</title><h1>dashboard</h1>');
  });
  dashboard.listen(0, '127.0.0.1');
  await once(dashboard, 'listening');
  const { port } = dashboard.address() as AddressInfo;
  try {
    const kiosk = { url: `https://dashboard.localhost:${port}/view?tab=1`, parameters: 'room=12' };
    expect((await api(SETTINGS, { kiosk }, { method: 'PATCH' })).status).toBe(200);
    const list = async () => (await api(CERTIFICATES)).body.certificates;
    const place = { host: 'dashboard.localhost', port };

    expect((await send(service, { path: CERTIFICATES })).status).toBe(401);
    await expect.poll(list, { timeout: 20_000 }).toHaveLength(1);
    expect(await list()).toMatchObject([
      { ...place, state: 'refused', trusted: null, refused: { fingerprint } },
    ]);
    const other = fingerprint.replaceAll(/[0-9A-F]/g, '0');
    const wrong = await api(`${CERTIFICATES}/trust`, { ...place, fingerprint: other });
    expect(wrong).toEqual(failure(409, 'CONFLICT', /another fingerprint/, 'fingerprint'));
    const elsewhere = await api(`${CERTIFICATES}/trust`, { ...place, port: 1, fingerprint });
    expect(elsewhere).toEqual(failure(404, 'NOT_FOUND'));
    expect(asked).toEqual([]);

    expect((await api(`${CERTIFICATES}/trust`, { ...place, fingerprint })).status).toBe(200);
    await expect.poll(() => asked, { timeout: 20_000 }).toContain('/view?tab=1&room=12');
    await expect(await openPage(service)).toHaveTitle('dashboard');
    expect(await list()).toMatchObject([{ ...place, state: 'trusted', refused: null }]);
    expect((await api(`${CERTIFICATES}/forget`, place)).body).toEqual({ status: 'forgotten' });
    // The page may request its icon now, and be refused again.
    expect(await list()).not.toContainEqual(expect.objectContaining({ state: 'trusted' }));
  } finally {
    dashboard.closeAllConnections();
    dashboard.close();
  }
});

test('should play an rtsps camera whose certificate was trusted, with the login of the settings', async ({
  panel,
  api,
}) => {
  const pair = selfSigned();
  const login = { host: '127.0.0.1', user: 'panel', password: 's3cret' };
  const authorization = `Basic ${btoa('panel:s3cret')}`;
  const camera = new ScriptedCamera(
    (request) =>
      request.headers.get('authorization') === authorization
        ? usualReply(request)
        : { status: 401, headers: ['WWW-Authenticate: Basic realm="camera"'] },
    pair,
  );
  const video = new ScriptedVideo(camera);
  await camera.start();
  video.start();
  try {
    expect((await api(SETTINGS, { streams: { logins: [login] } }, { method: 'PATCH' })).status).toBe(200);
    const query = new URLSearchParams({ url: camera.url() });
    const inspect = () => api(`/api/stream/inspect?${query}`);
    expect((await inspect()).body).toMatchObject({
      ok: false,
      code: 'CAMERA_TLS',
      verdict: expect.stringContaining(pair.fingerprint),
      hint: expect.stringContaining('settings page'),
    });
    expect(camera.requests).toEqual([]);

    const { fingerprint } = pair;
    const trust = { host: '127.0.0.1', port: camera.port, fingerprint };
    expect((await api(`${CERTIFICATES}/trust`, trust)).status).toBe(200);
    expect((await inspect()).body).toMatchObject({ ok: true, code: 'OK' });
    const { body } = await api(SETTINGS);
    expect(body.settings).toMatchObject({ 'streams.logins': { set: true } });
    expect(JSON.stringify(body) + panel.output).not.toContain('s3cret');
  } finally {
    video.stop();
    await camera.stop();
  }
});
