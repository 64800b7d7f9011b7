import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { type Identity, OWNER } from '../../contract/access.ts';
import type { LogLineLevel } from '../../parts/log/contract.ts';
import { createLogger, LogTail, silentLogger, Tail } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { testServer } from '../testing/testServer.ts';

const CONTROL: Identity = { id: 'c', name: 'control only', scopes: ['control'] };

describe('feeds over HTTP', () => {
  const logTail = new LogTail({ write: () => {} });
  const log = createLogger('info', logTail);
  const entries = new Tail<{ text: string }>(500);
  const handlers = {
    'log.read': ({ level }: { level?: LogLineLevel }) => logTail.feed(level),
    'console.read': () => entries.feed('console', (entry) => entry),
  } as unknown as Handlers;
  const dispatcher = new Dispatcher(handlers, silentLogger(), { pageMay: () => false });
  const server = testServer(() => dispatcher, {
    guard: { identify: (token) => (token === 'control' ? CONTROL : OWNER) },
  });
  before(() => server.start());
  after(() => server.stop());

  const get = (path: string, token = 'any') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { authorization: `Bearer ${token}` } });

  it('should send what is kept and what comes, of the level that was asked for', async () => {
    log.info('before');
    log.error('broken before');
    const { status, headers, body } = await get('/api/manage/log?level=error');
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/event-stream']);
    log.info('after');
    log.error('broken after');
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes('broken after')) break;
    }
    const told = [...text.matchAll(/^event: log\ndata: (.+)$/gm)].map(([, data]) => JSON.parse(data!).msg);
    assert.deepEqual(told, ['broken before', 'broken after']);
  });

  it('should refuse a level that there is not', async () => {
    const answer = await get('/api/manage/log?level=loud');
    assert.equal(answer.status, 400);
    assert.equal(((await answer.json()) as { field: string }).field, 'level');
  });

  it('security: should be opened by the scope "view" alone', async () => {
    for (const path of ['/api/manage/log', '/api/manage/console', '/api/remote/page'])
      assert.equal((await get(path, 'control')).status, 403, path);
  });

  it('should send 500 long entries whole to a caller who reads late, and cut it off when 1 MiB more waits', async () => {
    const long = 'x'.repeat(4_096);
    for (let i = 0; i < 500; i++) entries.add({ text: `${i} ${long}` });
    const listen = () => {
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(
        'GET /api/manage/console HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer any\r\n\r\n',
      );
      return socket;
    };
    const late = listen();
    await until(() => late.bytesRead > 0 || late.readableLength > 0);
    entries.add({ text: 'the last' });
    let text = '';
    late.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    await until(() => text.includes('the last'));
    assert.equal(text.match(/^event: console$/gm)?.length, 501);
    late.destroy();

    const never = listen();
    let isClosed = false;
    never.once('close', () => {
      isClosed = true;
    });
    await until(() => never.readableLength > 0);
    never.pause();
    // The kernel takes some megabytes before anything waits in the service.
    for (let i = 0; i < 20_000 && !isClosed; i++) {
      entries.add({ text: long });
      if (i % 100 === 0) await new Promise(setImmediate);
    }
    never.resume();
    await until(() => isClosed);
  });
});

const HOLDER: Identity = { id: 'c', name: 'control', scopes: ['control'] };
const VIEW: Identity = { id: 'v', name: 'view', scopes: ['view'] };
const PATH = '/api/stream/snapshot?url=camera:yard';
const JPEG = Buffer.from('ffd8ffd9', 'hex');
const ALLOWED = 'http://demo.localhost';

/** Readers of endless pictures, each with what it has taken. */
const readers: { taken: number; isLeft: boolean }[] = [];
let chunk = Buffer.alloc(10);

const pictureHandlers = {
  'stream.snapshot': () => ({
    type: 'image/jpeg',
    body: JPEG,
    etag: '"one"',
    takenAt: '2026-11-26T12:00:00.000Z',
  }),
  'stream.mjpeg': () => {
    const reader = { taken: 0, isLeft: false };
    readers.push(reader);
    const gone = Promise.withResolvers<IteratorResult<Uint8Array>>();
    const body: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => body,
      next: async () => {
        if (reader.taken > 2_000) return gone.promise;
        reader.taken++;
        return { done: false, value: chunk };
      },
      return: async () => {
        reader.isLeft = true;
        gone.resolve({ done: true, value: undefined });
        return { done: true, value: undefined };
      },
    };
    return { type: 'multipart/x-mixed-replace; boundary=b', body, isEndless: true };
  },
} as unknown as Handlers;
const pictureDispatcher = new Dispatcher(pictureHandlers, silentLogger(), { pageMay: () => false });
const pictureServer = testServer(() => pictureDispatcher, {
  host: '0.0.0.0',
  guard: {
    identify: (token) => (token === 'control:x' ? HOLDER : token === 'view' ? VIEW : undefined),
    allowedOrigins: () => [ALLOWED],
  },
});

const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;

/** Sends exactly these headers: `fetch` does not let a program say from where a page asks. */
function ask(
  headers: Readonly<Record<string, string>> = {},
  { host = '127.0.0.1', path = PATH, name = host }: { host?: string; path?: string; name?: string } = {},
): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(pictureServer.port, host).setEncoding('latin1');
    const lines = Object.entries({ host: name, connection: 'close', ...headers }).map(
      ([key, value]) => `${key}: ${value}`,
    );
    let text = '';
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('error', reject);
    socket.on('end', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(head.slice(9, 12)), head: head.toLowerCase(), body });
    });
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  });
}

const site = (from: string) => ({ 'sec-fetch-site': from });

describe('pictures of cameras over HTTP', () => {
  before(() => pictureServer.start());
  after(() => pictureServer.stop());

  it('should be there for programs of this machine, and for pages that the panel serves', async () => {
    for (const headers of [{}, site('none'), site('same-origin')]) {
      const { status, head } = await ask(headers);
      assert.equal(status, 200);
      assert.match(head, /content-type: image\/jpeg/);
    }
    assert.equal((await ask(site('same-origin'), { name: 'demo.localhost' })).status, 200);
  });

  it('security: should not be there for pages of others, nor for a project that is not shown', async () => {
    for (const headers of [
      site('cross-site'),
      site('same-site'),
      site('same-origin, none'),
      site(''),
      { ...site('cross-site'), origin: ALLOWED },
      { origin: 'http://evil.example' },
    ])
      assert.equal((await ask(headers)).status, 401, JSON.stringify(headers));
    assert.equal((await ask(site('same-origin'), { name: 'other.localhost' })).status, 401);
  });

  it('should take a token as Bearer, or as the password of Basic, from anywhere', async () => {
    for (const authorization of ['Bearer control:x', basic('any:control:x'), basic(':control:x')])
      assert.equal((await ask({ ...site('cross-site'), authorization })).status, 200, authorization);
  });

  it('security: should need the token to be right, and to hold "control"', async () => {
    const status = async (authorization: string) =>
      (await ask({ ...site('cross-site'), authorization })).status;
    assert.equal(await status(basic('any:view')), 403);
    assert.equal(await status('Bearer view'), 403);
    for (const login of ['any:wrong', 'control:x', 'any:', 'control'])
      assert.equal(await status(basic(login)), 401);
    assert.equal(await status('Basic !'), 401);
  });

  it('security: should need a token from other machines, whatever they say of their page', async (t) => {
    const addresses = Object.values(networkInterfaces()).flat();
    const outside = addresses.find((each) => each?.family === 'IPv4' && !each.internal)?.address;
    if (outside === undefined) return t.skip('this machine has no network');
    for (const headers of [{}, site('none'), site('same-origin')])
      assert.equal((await ask(headers, { host: outside })).status, 401);
    assert.equal((await ask({ authorization: basic('any:control:x') }, { host: outside })).status, 200);
  });

  it('security: should forbid other origins to show or keep them, also where it refuses', async () => {
    for (const headers of [
      {},
      site('cross-site'),
      { ...site('cross-site'), authorization: basic('a:control:x') },
    ]) {
      const { head } = await ask(headers);
      assert.match(head, /cross-origin-resource-policy: same-origin/);
      assert.match(head, /cache-control: no-store/);
      assert.match(head, /x-content-type-options: nosniff/);
      assert.doesNotMatch(head, /access-control-allow-origin/);
    }
    const { head } = await ask({ ...site('cross-site'), origin: ALLOWED, authorization: 'Bearer control:x' });
    assert.match(head, /access-control-allow-origin: http:\/\/demo.localhost/);
  });

  it('security: should let a browser ask for a login only on a page of the panel', async () => {
    const challenge = async (headers: Readonly<Record<string, string>>) =>
      /www-authenticate: (.*)/.exec((await ask({ origin: 'http://x.example', ...headers })).head)?.[1];
    assert.match((await challenge({})) ?? '', /^bearer, basic realm/);
    assert.equal(await challenge(site('cross-site')), 'bearer');
    assert.equal(await challenge({ authorization: 'Bearer wrong' }), 'bearer');
  });

  it('security: should take the password of Basic for no other call', async () => {
    const { status, head } = await ask({ authorization: basic('any:view') }, { path: '/api/remote/led' });
    assert.equal(status, 401);
    assert.match(head, /www-authenticate: bearer\r?$/m);
  });

  it('should answer 304 to who has the picture', async () => {
    const status = async (known: string) => (await ask({ 'if-none-match': known })).status;
    assert.equal(await status('"one"'), 304);
    assert.equal(await status('"zero", W/"one"'), 304);
    assert.equal(await status('*'), 304);
    assert.equal(await status('"two"'), 200);
    const { head, body } = await ask({ 'if-none-match': '"one"' });
    assert.match(head, /etag: "one"/);
    assert.equal(body, '');
  });

  const mjpeg = () => {
    const socket = connect(pictureServer.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write('GET /api/stream/mjpeg?url=camera:yard HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n');
    return socket;
  };

  it('should end with its reader', async () => {
    readers.length = 0;
    const socket = mjpeg().resume();
    await until(() => readers[0]?.taken === 2_001);
    socket.destroy();
    await until(() => readers[0]!.isLeft);
  });

  it('security: should let little wait for a reader who does not read', async () => {
    readers.length = 0;
    chunk = Buffer.alloc(2 ** 20);
    const socket = mjpeg();
    socket.pause();
    await until(() => (readers[0]?.taken ?? 0) > 0);
    let before = 0;
    await until(
      () => {
        const { taken } = readers[0]!;
        const isStill = taken === before;
        before = taken;
        return isStill;
      },
      'the pictures to stand still',
      { everyMs: 200 },
    );
    // What the system takes of it, and two more.
    assert.ok(readers[0]!.taken < 20, String(readers[0]!.taken));
    socket.destroy();
    await until(() => readers[0]!.isLeft);
  });
});
