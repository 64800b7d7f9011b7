import { networkInterfaces } from 'node:os';
import { apiOf, failure, send } from '../api.ts';
import { expect, test } from '../fixtures.ts';

/** A board without LED bar, pins and serial ports, and a panel whose token may be guessed at. */
const GENERIC = { args: ['--board', 'generic-linux'] };

test('should run a command and return its output, its exit code and its time', async ({ api }) => {
  const answer = await api('/api/remote/terminal/exec', { command: 'echo out; echo err >&2; exit 3' });
  expect(answer).toEqual({
    status: 200,
    body: {
      command: 'echo out; echo err >&2; exit 3',
      stdout: 'out\n',
      stderr: 'err\n',
      exitCode: 3,
      duration: expect.stringMatching(/^\d+ms$/),
      timedOut: false,
    },
  });
});

test('should send the snapshot first, then events as they happen', async ({ panel, api }) => {
  const hangUp = new AbortController();
  const response = await fetch(`${await panel.url}/api/remote/events`, {
    headers: { authorization: `Bearer ${await panel.token()}` },
    signal: hangUp.signal,
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  let heard = '';
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard += chunk;
  })().catch(() => undefined);
  await expect.poll(() => heard).toMatch(/^event: snapshot\ndata: \{.*"gpio":\[.*\n\n/);
  await api('/api/remote/led/color', { red: 5, green: 6, blue: 7 });
  await api('/api/remote/led/color', { red: 7, green: 6, blue: 5 });
  await expect.poll(() => heard).toMatch(/\n\nevent: led\ndata: \{.*"red":7,"green":6,"blue":5\}\n\n/);
  hangUp.abort();
  await reading;
});

test('should answer every kind of bad request as the catalogue says', async ({ panel, api }) => {
  const write = '/api/remote/gpio/write';
  const raw = (body: string, type: string) =>
    api(write, undefined, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${token}`, 'content-type': type },
    });
  const token = await panel.token();
  const json = 'application/json';
  expect(await raw('{"pin":', json)).toEqual(failure(400, 'INVALID_REQUEST'));
  expect(await api(write, { pin: 4, level: 1 })).toEqual(failure(400, 'INVALID_REQUEST', /pin/, 'pin'));
  expect(await api(write, { pin: 2, level: 1, why: 'x' })).toEqual(
    failure(400, 'INVALID_REQUEST', /why/, 'why'),
  );
  expect(await raw('pin=2', 'application/x-www-form-urlencoded')).toEqual(
    failure(415, 'UNSUPPORTED_MEDIA_TYPE'),
  );
  expect(await raw(`{"pin":2,"level":1,"pad":"${'x'.repeat(2 ** 20)}"}`, json)).toEqual(
    failure(413, 'TOO_LARGE'),
  );
  expect(await api('/api/remote/no/such')).toEqual(failure(404, 'NOT_FOUND'));
  expect(await api(write)).toEqual(failure(405, 'METHOD_NOT_ALLOWED'));
});

test('should answer UNSUPPORTED_HARDWARE for every part that the board does not have', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(GENERIC);
  const api = await apiOf(service);
  const calls: readonly (readonly [path: string, body?: object | undefined, words?: RegExp])[] = [
    ['led/state'],
    ['led/on', { on: true }],
    ['gpio/read', { pin: 0 }],
    ['gpio/write', { pin: 2, level: 1 }],
    ['simulate', { part: 'gpio', pin: 0, level: 1 }],
    ['climate', undefined, /climate sensor/],
    ['simulate', { part: 'button', name: 'Bell', state: 'down' }, /buttons/],
  ];
  for (const [path, body, words] of calls) {
    expect(await api(`/api/remote/${path}`, body)).toEqual(failure(501, 'UNSUPPORTED_HARDWARE', words));
  }
  const serial = { port: '/dev/ttyS5', baudRate: 9600, hex: '00' };
  expect(await api('/api/remote/serial/write', serial)).toEqual(failure(404, 'NOT_FOUND'));
  const scan = { part: 'scan', name: 'Reader', text: '1' };
  expect(await api('/api/remote/simulate', scan)).toEqual(failure(404, 'NOT_FOUND', /Reader/));
});

test('security: should refuse callers without the token, and slow down guessing', async ({
  sharedFaceplate,
}) => {
  const service = await sharedFaceplate(GENERIC);
  const info = (headers: Record<string, string>) =>
    send(service, { path: '/api/remote/info?token=in-the-query', headers });
  const guess = { authorization: 'Bearer guess-of-the-token' };
  expect(await info({})).toEqual(failure(401, 'UNAUTHORIZED'));
  for (let tries = 0; tries < 10; tries++) expect(await info(guess)).toEqual(failure(401, 'UNAUTHORIZED'));
  expect(await info(guess)).toEqual(failure(429, 'RATE_LIMITED'));
  const token = await service.token();
  expect((await info({ authorization: `Bearer ${token}` })).status).toBe(200);
  for (const secret of [token, 'guess-of-the-token', 'in-the-query']) {
    expect(service.output).not.toContain(secret);
  }
});

test('security: should refuse a foreign Host and changes from a foreign Origin', async ({ panel }) => {
  const authorization = `Bearer ${await panel.token()}`;
  const rebound = { path: '/healthz', headers: { host: 'panel.evil.example' } };
  expect(await send(panel, rebound)).toEqual(failure(403, 'FORBIDDEN'));
  const foreign = { authorization, origin: 'http://evil.example', 'content-type': 'application/json' };
  const change = { method: 'POST', path: '/api/remote/led/on', headers: foreign };
  expect(await send(panel, change, '{"on":true}')).toEqual(failure(403, 'FORBIDDEN'));
});

test('security: should require the token for streams from other addresses, and show these no pages', async ({
  startFaceplate,
}) => {
  const host = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  test.skip(host === undefined, 'This machine has no address but the loopback one.');
  const service = await startFaceplate({ args: ['--http.host', host!, '--http.announce', 'false'] });
  const sessions = { host, path: '/api/stream/sessions' };
  expect(await send(service, sessions)).toEqual(failure(401, 'UNAUTHORIZED'));
  const authorization = `Bearer ${await service.token()}`;
  expect((await send(service, { ...sessions, headers: { authorization } })).status).toBe(200);
  const page = { host, path: '/', headers: { host: 'demo.localhost' } };
  expect(await send(service, page)).toEqual(failure(403, 'FORBIDDEN'));
  const settings = { host, path: '/', headers: { host: 'settings.localhost', authorization } };
  expect(await send(service, settings)).toEqual(failure(403, 'FORBIDDEN'));
  expect((await send(service, { host, path: '/healthz' })).status).toBe(200);
});
