import { readFile, stat, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { FaceplateProcess } from '../../server/testing/faceplateProcess.ts';
import { selfSigned } from '../../server/testing/selfSigned.ts';
import { apiOf, failure } from '../api.ts';
import { expect, test } from '../fixtures.ts';

/** Not the panel of all specs: ten wrong tokens in a minute lock this machine out. */
const PLAIN = {};
const HTTPS = { args: ['--https.port', '0', '--http.plain', 'loopback'] };

/** A call with a token of the test. */
async function callAs(
  service: FaceplateProcess,
  token: string,
  path: string,
  body?: object,
  method = 'POST',
) {
  const response = await fetch(`${await service.url}${path}`, {
    ...(body && { method, body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

/** Opens a stream and reads its first event; `ended` tells when it ended, in milliseconds of performance.now(). */
async function follow(service: FaceplateProcess, token: string, path: string) {
  const response = await fetch(`${await service.url}${path}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const reader = response.body!.getReader();
  await reader.read();
  const ended = (async () => {
    while (!(await reader.read()).done);
    return performance.now();
  })();
  return { ended };
}

test('security: should open with a token what its scopes say, and name the scope that is missing', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const tokens = '/api/manage/tokens';
  const made = await api(tokens, { name: 'lights', scopes: ['control'] });
  expect(made).toEqual({
    status: 200,
    body: {
      id: expect.any(String),
      name: 'lights',
      scopes: ['control'],
      token: expect.stringMatching(/^[\w-]{43}$/),
    },
  });
  const token = String(made.body.token);
  expect((await callAs(service, token, '/api/remote/led/on', { on: true })).status).toBe(200);
  for (const [path, body, scope] of [
    ['/api/remote/info', undefined, 'view'],
    ['/api/remote/events', undefined, 'view'],
    ['/api/remote/reboot', {}, 'manage'],
    ['/api/remote/terminal/exec', { command: 'id' }, 'terminal'],
    [tokens, undefined, 'manage'],
    [tokens, { name: 'more', scopes: ['control'] }, 'manage'],
  ] as const)
    expect(await callAs(service, token, path, body)).toEqual(
      failure(403, 'FORBIDDEN', new RegExp(`"${scope}"`)),
    );
  expect(await callAs(service, token, '/api/no/such')).toEqual(failure(404, 'NOT_FOUND'));

  const manager = await api(tokens, { name: 'manager', scopes: ['manage'] });
  const manage = String(manager.body.token);
  expect(await callAs(service, manage, tokens, { name: 'x', scopes: ['manage', 'terminal'] })).toEqual(
    failure(403, 'FORBIDDEN', /"terminal"/),
  );
  for (const [field, value] of [
    ['token', 'x'.repeat(16)],
    ['https.port', 0],
    ['terminal.enabled', true],
  ] as const)
    expect(await callAs(service, manage, '/api/manage/settings', { [field]: value }, 'PATCH')).toEqual(
      failure(403, 'FORBIDDEN', new RegExp(`^Only the owner's token may change ${field}\\.$`), field),
    );
  const listed = await api(tokens);
  expect(listed.body).toMatchObject({
    tokens: [{ id: 'owner' }, { name: 'lights', lastAddress: '127.0.0.1' }, {}],
  });
  expect(JSON.stringify(listed.body)).not.toContain(token);
  const stored = await readFile(join(service.dataDir, 'tokens.json'), 'utf8');
  expect(stored).not.toContain(token);
  expect((await stat(join(service.dataDir, 'tokens.json'))).mode & 0o777).toBe(0o600);
});

test('security: should open single commands with a token, and no stream of events', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const tokens = '/api/manage/tokens';
  const made = await api(tokens, { name: 'shades', commands: ['led.color', 'system.info', 'token.create'] });
  expect(made).toMatchObject({ status: 200, body: { scopes: [] } });
  const token = String(made.body.token);
  const color = { red: 1, green: 2, blue: 3 };
  expect((await callAs(service, token, '/api/remote/led/color', color)).status).toBe(200);
  expect((await callAs(service, token, '/api/remote/info')).status).toBe(200);
  for (const [path, body] of [
    ['/api/remote/led/on', { on: true }],
    ['/api/remote/led/state', undefined],
    ['/api/remote/events', undefined],
    ['/api/manage/log', undefined],
    [tokens, undefined],
  ] as const)
    expect(await callAs(service, token, path, body), path).toEqual(
      failure(403, 'FORBIDDEN', /^This token opens single commands/),
    );
  expect(await callAs(service, token, '/api/no/such')).toEqual(failure(404, 'NOT_FOUND'));
  expect(await callAs(service, token, tokens, { name: 'more', scopes: ['view'] })).toEqual(
    failure(403, 'FORBIDDEN', /"view"/),
  );
  expect(await callAs(service, token, tokens, { name: 'more', commands: ['system.info', 'led.on'] })).toEqual(
    failure(403, 'FORBIDDEN', /led\.on/),
  );
  expect((await callAs(service, token, tokens, { name: 'less', commands: ['system.info'] })).status).toBe(
    200,
  );
  for (const commands of [['led.colour'], [], ['sip.call']])
    expect(await api(tokens, { name: 'x', commands })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_REQUEST', field: 'commands' },
    });
  const { tokens: list } = (await api(tokens)).body as {
    tokens: { name: string; scopes: unknown; commands: unknown }[];
  };
  const entry = (name: string) => list.find((each) => each.name === name);
  expect(entry('shades')).toMatchObject({
    scopes: [],
    commands: ['led.color', 'system.info', 'token.create'],
  });
  expect(entry('owner')?.commands).toBe(null);
  // A yes at the panel is still asked for.
  await api('/api/manage/settings', { 'approval.commands': ['led.color'] }, { method: 'PATCH' });
  expect(await callAs(service, token, '/api/remote/led/color', color)).toEqual(failure(403, 'NOT_APPROVED'));
  await api('/api/manage/settings', { 'approval.commands': [] }, { method: 'PATCH' });
});

test('security: should end the streams of a token within a second of its end, and refuse it', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const { body } = await api('/api/manage/tokens', { name: 'listener', scopes: ['view'] });
  const revoked = await follow(service, String(body.token), '/api/remote/events');
  const kept = new AbortController();
  const other = await fetch(`${await service.url}/api/remote/events`, {
    headers: { authorization: `Bearer ${await service.token()}` },
    signal: kept.signal,
  });
  const at = performance.now();
  expect(
    await api(`/api/manage/tokens/${body.id}`, undefined, {
      method: 'DELETE',
      headers: await owner(service),
    }),
  ).toEqual({ status: 200, body: { status: 'revoked', revoked: [body.id] } });
  expect((await revoked.ended) - at).toBeLessThan(1_000);
  expect(await callAs(service, String(body.token), '/api/remote/info')).toEqual(failure(401, 'UNAUTHORIZED'));

  const expiresAt = new Date(Date.now() + 1_500).toISOString();
  const short = await api('/api/manage/tokens', { name: 'short', scopes: ['view'], expiresAt });
  const expired = await follow(service, String(short.body.token), '/api/remote/events');
  await expired.ended;
  expect(Date.now() - Date.parse(expiresAt)).toBeLessThan(1_500);
  expect(await callAs(service, String(short.body.token), '/api/remote/info')).toEqual(
    failure(401, 'UNAUTHORIZED'),
  );
  // The owner's stream is still open.
  const reader = other.body!.getReader();
  expect((await reader.read()).done).toBe(false);
  kept.abort();
});

const owner = async (service: FaceplateProcess) => ({ authorization: `Bearer ${await service.token()}` });

test('security: should change nothing for a paired phone that lets code or a person in', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const { code } = (await api('/api/manage/pairing', {})).body;
  const paired = await api('/api/pair', { code, name: 'phone' });
  const change = (settings: object) =>
    callAs(service, String(paired.body.token), '/api/manage/settings', settings, 'PATCH');
  for (const [field, value] of [
    ['kiosk.browserArguments', ['--alsa-output-device=file:FILE=|id,FORMAT=raw']],
    ['kiosk.browserArguments', ['--disable-gpu']],
    ['kiosk.pin', '2580'],
    ['kiosk.user', 'root'],
    ['kiosk.inject', [{ origin: 'http://a.lan', js: 'alert(1)' }]],
    ['kiosk.secureOrigins', ['http://a.lan']],
    ['kiosk.authorities', ['/tmp/ca.pem']],
    ['bridge.origins', ['http://a.lan']],
    ['bridge.allowInstall', true],
    ['apps.installDir', '/tmp'],
    ['board', '/tmp/board.json'],
    ['host', 'none'],
    ['mqtt.scopes', ['terminal']],
    ['mqtt.fleet', true],
    ['http.host', '10.9.9.9'],
    ['http.allowedHosts', ['a.lan']],
    ['http.allowedOrigins', ['http://a.lan']],
    ['sip.panelSecret', 'a-secret-of-the-house'],
    ['kiosk.pin', null],
  ] as const)
    expect(await change({ [field]: value, 'idle.dimTo': 5 })).toEqual(
      failure(403, 'FORBIDDEN', /^Only the owner's token may change/, field),
    );
  expect(await change({ kiosk: { debugPort: 9222 } })).toEqual(
    failure(400, 'INVALID_REQUEST', /environment or a flag alone/, 'kiosk.debugPort'),
  );
  const evil = { kiosk: { browserArguments: ['--alsa-output-device=file:FILE=|id,FORMAT=raw'] } };
  expect(await api('/api/manage/settings', evil, { method: 'PATCH' })).toEqual(
    failure(400, 'INVALID_REQUEST', /does not take/, 'kiosk.browserArguments'),
  );
  const { settings } = (await api('/api/manage/settings')).body as {
    settings: Record<string, { source: string }>;
  };
  expect(settings['idle.dimTo']?.source).toBe('default');
  expect((await change({ 'idle.dimTo': 5, mqtt: { url: 'mqtt://127.0.0.1:1' } })).status).toBe(200);
});

test('security: should revoke with a token what was made with it, and leave its own names to the panel', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const tokens = '/api/manage/tokens';
  const revoke = async (token: string, path: string) => {
    const init = { method: 'DELETE', headers: { authorization: `Bearer ${token}` } };
    const response = await fetch(`${await service.url}${tokens}/${path}`, init);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  for (const name of ['owner', ' Panel', 'PAGE', 'mqtt', 'оwner'])
    expect(await api(tokens, { name, scopes: ['view'] })).toEqual(
      failure(400, 'INVALID_REQUEST', /./, 'name'),
    );
  const phone = (await api(tokens, { name: 'phone', scopes: ['view', 'manage'] })).body;
  const made = await callAs(service, String(phone.token), tokens, {
    name: 'its',
    scopes: ['view', 'manage'],
  });
  const child = made.body;
  const { code } = (await callAs(service, String(child.token), '/api/manage/pairing', {})).body;
  const grandchild = (await api('/api/pair', { code, name: 'friend' })).body;
  expect((await api(tokens)).body).toMatchObject({
    tokens: [{ by: null }, { by: 'owner' }, { by: phone.id }, { by: child.id }],
  });
  const open = await follow(service, String(grandchild.token), '/api/remote/events');
  expect(await revoke(String(child.token), `${phone.id}?keepChildren=true`)).toEqual(
    failure(403, 'FORBIDDEN', /owner/, 'keepChildren'),
  );
  const owners = await service.token();
  expect(await revoke(owners, `${child.id}?keepChildren=true`)).toEqual({
    status: 200,
    body: { status: 'revoked', revoked: [child.id] },
  });
  expect((await callAs(service, String(grandchild.token), '/api/remote/info')).status).toBe(200);
  expect(await revoke(owners, String(phone.id))).toEqual({
    status: 200,
    body: { status: 'revoked', revoked: [phone.id, grandchild.id] },
  });
  await open.ended;
  for (const { token } of [phone, child, grandchild])
    expect(await callAs(service, String(token), '/api/remote/info')).toEqual(failure(401, 'UNAUTHORIZED'));
});

test('security: should lead phones to HTTPS where it is on, and close plain HTTP for others where that is wanted', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(HTTPS);
  const port = Number(await service.line(/^faceplate https (\d+)$/));
  const api = await apiOf(service);
  const { url } = (await api('/api/manage/pairing', {})).body;
  expect(url).toMatch(new RegExp(`^https://[^/]+:${port}/manage/#pair=\\d{8}$`));
  expect((await api('/api/remote/info')).status).toBe(200);
  const manager = (await api('/api/manage/tokens', { name: 'manager', scopes: ['manage'] })).body;
  const change = { http: { plain: 'all' } };
  expect(await callAs(service, String(manager.token), '/api/manage/settings', change, 'PATCH')).toEqual(
    failure(403, 'FORBIDDEN', /owner/, 'http.plain'),
  );
});

test('should answer by HTTPS with a certificate of its own, and with one of the house', async ({
  sharedFaceplate,
  startFaceplate,
  dataDir,
}) => {
  const own = await sharedFaceplate(HTTPS);
  const port = Number(await own.line(/^faceplate https (\d+)$/));
  const info = (await (await apiOf(own))('/api/remote/info')).body;
  expect(info.https).toEqual({ port, fingerprint: expect.stringMatching(/^[0-9A-F]{2}(:[0-9A-F]{2}){31}$/) });
  const shown = await certificateOf(port);
  expect(shown).toEqual({ fingerprint: (info.https as { fingerprint: string }).fingerprint, status: 200 });
  const plain = await apiOf(await sharedFaceplate(PLAIN));
  expect((await plain('/api/remote/info')).body.https).toBeNull();

  const [cert, key] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')];
  const pair = selfSigned('IP:127.0.0.1');
  await writeFile(cert, pair.cert);
  await writeFile(key, pair.key);
  const args = ['--https.port', '0', '--https.certificate', cert, '--https.key', key];
  const house = await startFaceplate({ args });
  const housePort = Number(await house.line(/^faceplate https (\d+)$/));
  expect((await certificateOf(housePort)).fingerprint).toBe(pair.fingerprint);
});

// The last of this panel: nobody on this machine may pair with it for a minute.
test('security: should pair by a code that works once, and lock out who guesses', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(PLAIN);
  const api = await apiOf(service);
  const pair = async (code: unknown, name: unknown = 'phone') => {
    const response = await fetch(`${await service.url}/api/pair`, {
      method: 'POST',
      body: JSON.stringify({ code, name }),
      headers: { 'content-type': 'application/json' },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const begin = async () => (await api('/api/manage/pairing', {})).body as { code: string; url: string };
  const { code, url } = await begin();
  const { port } = new URL(await service.url);
  expect(url).toMatch(new RegExp(`^http://[^/]+:${port}/manage/#pair=${code}$`));
  for (const [bad, name] of [
    ['1234567', 'phone'],
    [code, ''],
    [code, 'x'.repeat(65)],
  ])
    expect((await pair(bad, name)).status).toBe(400);
  const paired = await pair(code);
  expect(paired).toMatchObject({
    status: 200,
    body: { name: 'phone', scopes: ['view', 'control', 'manage'] },
  });
  expect((await callAs(service, String(paired.body.token), '/api/remote/info')).status).toBe(200);
  expect(await pair(code)).toEqual(failure(401, 'UNAUTHORIZED'));
  const next = (await begin()).code;
  const wrong = next === '00000000' ? '11111111' : '00000000';
  for (let i = 0; i < 4; i++) expect(await pair(wrong)).toEqual(failure(401, 'UNAUTHORIZED'));
  expect(await pair(wrong)).toEqual(failure(429, 'RATE_LIMITED'));
  expect(await pair(next)).toEqual(failure(429, 'RATE_LIMITED'));
});

/** What an HTTPS server on loopback shows, and its answer to /healthz. */
function certificateOf(port: number): Promise<{ fingerprint: string; status: number | undefined }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path: '/healthz', rejectUnauthorized: false, agent: false };
    const sent = request(options, (response) => {
      const { fingerprint256 } = (response.socket as import('node:tls').TLSSocket).getPeerCertificate();
      json(response).then(
        () => resolve({ fingerprint: fingerprint256, status: response.statusCode }),
        reject,
      );
    });
    sent.on('error', reject).end();
  });
}
