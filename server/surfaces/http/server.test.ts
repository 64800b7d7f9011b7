import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { ownerOnly, testServer } from '../testing/testServer.ts';

const TOKEN = 'test-token-0123456789';
const LED = { on: true, red: 1, green: 2, blue: 3 };
const log = silentLogger();
const bus = new EventBus(log);
let ledFails: Error | undefined;
let hangs: ((signal: AbortSignal) => void) | undefined;
let clock = 0;
let allowedOrigins: string[] = ['http://demo.localhost'];
let folder = '';

const handlers = {
  'led.state': () => {
    if (ledFails) throw ledFails;
    return { status: 'ok', state: LED };
  },
  'led.color': () => ({ status: 'ok', state: { ...LED, red: 300 } }),
  'gpio.write': (params: object) => ({ status: 'ok', ...params, ok: true }),
  'system.reboot': () => ({ status: 'rebooting' }),
  'apps.uninstall': () => ({ status: 'uninstalled' }),
  'stream.sessions': () => ({ sessions: [], max: 8 }),
  'stream.inspect': ({ url }: { url: string }) => ({
    ok: true,
    code: 'OK',
    verdict: url,
    hint: '',
    mended: [],
    video: null,
    audio: null,
    talk: null,
  }),
  'terminal.exec': (_params: object, { signal }: { signal: AbortSignal }) =>
    new Promise((_, reject) => {
      hangs?.(signal);
      signal.addEventListener('abort', () => reject(signal.reason));
    }),
} as unknown as Handlers;
let dispatcher = new Dispatcher(handlers, log, { pageMay: () => false });

const server = testServer(() => dispatcher, {
  bus,
  pages: {
    folderOf: (id) => (id === 'demo' ? folder : undefined),
    hasTypeScript: () => true,
    isOwn: () => false,
    pictureOf: async () => undefined,
    manage: '/nowhere',
  },
  guard: { identify: ownerOnly(TOKEN), allowedOrigins: () => allowedOrigins, now: () => clock },
  requestLimitMs: 400,
});

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  json: { error?: string; code?: string; field?: string; [key: string]: unknown };
}

/** node:http, since fetch may not set Host and Origin. `null` leaves a header out. */
function call(
  method: string,
  path: string,
  headers: Record<string, string | null> = {},
  body?: string | Buffer,
): Promise<Answer> {
  const all: Record<string, string | null> = {
    host: '127.0.0.1',
    authorization: `Bearer ${TOKEN}`,
    ...headers,
  };
  if (body !== undefined && all['content-type'] === undefined) all['content-type'] = 'application/json';
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)) as Record<
    string,
    string
  >;
  return new Promise((resolve, reject) => {
    const req = request(
      { port: server.port, host: '127.0.0.1', method, path, headers: sent, setHost: false, agent: false },
      (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        res.on('end', () => {
          let json = {};
          try {
            json = JSON.parse(text);
          } catch {}
          resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json });
        });
      },
    );
    req.on('error', reject);
    req.end(body);
  });
}

/** The answer to raw bytes on the socket. */
function raw(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => resolve(text));
  });
}

before(async () => {
  folder = temporaryFolder('pages');
  await writeFile(join(folder, 'index.html'), '<!doctype html><title>demo</title>');
  await writeFile(join(folder, 'code.ts'), 'const n: number = 1;\nexport { n };\n');
  await server.start();
});
after(async () => {
  await server.stop();
});
beforeEach(() => {
  ledFails = undefined;
  clock += 1_000_000;
});

function assertFailure(answer: Answer, status: number, code: string, field?: string): void {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.json.code, code);
  assert.equal(answer.json.field, field);
  assert.match(answer.json.error ?? '', /^[A-Z].+\.$/);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
}

describe('compression', () => {
  const inspect = async (length: number, encoding: string) => {
    const url = `rtsp://camera/${'a'.repeat(length)}`;
    const headers = { authorization: `Bearer ${TOKEN}`, 'accept-encoding': encoding };
    const address = `http://127.0.0.1:${server.port}/api/stream/inspect?url=${url}`;
    const answer = await fetch(address, { headers });
    assert.equal(((await answer.json()) as { verdict: string }).verdict, url);
    return answer.headers;
  };

  it('should be used for JSON over 1 KiB, for callers who accept it', async () => {
    const long = await inspect(1500, 'gzip');
    assert.equal(long.get('content-encoding'), 'gzip');
    assert.equal(long.get('vary'), 'accept-encoding');
    assert.ok(Number(long.get('content-length')) < 300);
    assert.equal((await inspect(1500, 'identity')).get('content-encoding'), null);
    assert.equal((await inspect(500, 'gzip')).get('content-encoding'), null);
  });

  it('security: should not be undone for requests, where a small body could become a large one', async () => {
    const body = gzipSync(JSON.stringify({ red: 1, green: 1, blue: 1 }));
    const answer = await call('POST', '/api/remote/led/color', { 'content-encoding': 'gzip' }, body);
    assert.deepEqual([answer.status, answer.json.code], [400, 'INVALID_REQUEST']);
  });
});

describe('answers', () => {
  it('should answer a command with its result, and healthz without a token', async () => {
    const led = await call('GET', '/api/remote/led/state');
    assert.deepEqual([led.status, led.json], [200, { status: 'ok', state: LED }]);
    const health = await call('GET', '/healthz', { authorization: null });
    assert.deepEqual(health.json, { status: 'ok', version: '1.2.3' });
  });

  it('should accept a POST without fields with and without an empty JSON body', async () => {
    for (const headers of [{}, { 'content-type': 'application/json' }]) {
      assert.deepEqual((await call('POST', '/api/remote/reboot', headers)).json, { status: 'rebooting' });
    }
  });

  it('should take path fields decoded', async () => {
    assert.equal((await call('DELETE', '/api/remote/apps/system/org.gnome.Calc')).status, 200);
    assertFailure(
      await call('DELETE', '/api/remote/apps/system/a%2Fb'),
      400,
      'INVALID_REQUEST',
      'packageName',
    );
    assertFailure(
      await call('DELETE', '/api/remote/apps/system/a', { 'content-length': '19' }, '{"packageName":"b"}'),
      400,
      'INVALID_REQUEST',
      'packageName',
    );
  });

  it('should refuse unreadable JSON, non-objects, wrong, missing and unknown fields with the name of the field', async () => {
    const write = (body: string | Buffer) => call('POST', '/api/remote/gpio/write', {}, body);
    for (const body of ['{', '"x"', '[]', 'null', '1', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const answer = await write(body);
      assert.equal(answer.status, 400, String(body));
      assert.equal(answer.json.code, 'INVALID_REQUEST');
    }
    // Even if no field is needed.
    for (const body of ['null', '[]', '1'])
      assertFailure(await call('POST', '/api/remote/reboot', {}, body), 400, 'INVALID_REQUEST');
    assertFailure(await write('{"pin":32,"level":1}'), 400, 'INVALID_REQUEST', 'pin');
    assertFailure(await write('{"pin":1.5,"level":1}'), 400, 'INVALID_REQUEST', 'pin');
    assertFailure(await write('{"pin":1,"level":"1"}'), 400, 'INVALID_REQUEST', 'level');
    assertFailure(await write('{"pin":1}'), 400, 'INVALID_REQUEST', 'level');
    assertFailure(await write('{"pin":1,"level":1,"colour":2}'), 400, 'INVALID_REQUEST', 'colour');
    assertFailure(
      await write('{"pin":1,"level":1,"__proto__":{"x":1}}'),
      400,
      'INVALID_REQUEST',
      '__proto__',
    );
  });

  it('should refuse other content types with 415', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      assertFailure(
        await call('POST', '/api/remote/gpio/write', { 'content-type': type }, '{"pin":1,"level":1}'),
        415,
        'UNSUPPORTED_MEDIA_TYPE',
      );
    }
  });

  it('should refuse bodies over 1 MiB and oversized headers with 413', async () => {
    assertFailure(
      await call('POST', '/api/remote/gpio/write', {}, ' '.repeat(1024 * 1024 + 1)),
      413,
      'TOO_LARGE',
    );
    assert.match(
      await raw(`GET / HTTP/1.1\r\nHost: localhost\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`),
      /^HTTP\/1\.1 413 .*TOO_LARGE/s,
    );
  });

  it('security: should refuse an offer over 256 KiB before it has arrived', async () => {
    const head = 'POST /api/stream/whep/x HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const refused = /^HTTP\/1\.1 413 .*larger than 256 KiB.*TOO_LARGE/s;
    // Neither body ever ends: waiting for it would end in the time limit (408).
    const announced = `Connection: close\r\nContent-Length: ${256 * 1024 + 1}\r\n\r\n`;
    assert.match(await raw(`${head}${announced}{`), refused);
    const size = 256 * 1024 + 1;
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    assert.match(
      await raw(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`),
      refused,
    );
    const largest = `${' '.repeat(256 * 1024 - 2)}{}`;
    assertFailure(await call('POST', '/api/stream/whep/x', {}, largest), 400, 'INVALID_REQUEST', 'url');
  });

  it('security: should refuse 0.9 MB to /api/pair before it has arrived', async () => {
    const head = 'POST /api/pair HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n';
    const refused = /^HTTP\/1\.1 413 .*larger than 1 KiB.*TOO_LARGE/s;
    // Neither body ever ends, as above.
    assert.match(await raw(`${head}Connection: close\r\nContent-Length: 900000\r\n\r\n{`), refused);
    const chunk = `${(1025).toString(16)}\r\n${' '.repeat(1025)}\r\n`;
    assert.match(
      await raw(`${head}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`),
      refused,
    );
    // The longest name in its longest spelling.
    const longest = `{"code":"12345678","name":"${'\\ud83d\\ude00'.repeat(64)}","x":1}`;
    assertFailure(await call('POST', '/api/pair', {}, longest), 400, 'INVALID_REQUEST', 'x');
  });

  it('should answer 404 in JSON to unknown routes, and 405 to wrong methods', async () => {
    assertFailure(await call('GET', '/nothing'), 404, 'NOT_FOUND');
    assertFailure(await call('GET', '/api/remote/nothing'), 404, 'NOT_FOUND');
    assertFailure(await call('DELETE', '/api/remote/led/state'), 405, 'METHOD_NOT_ALLOWED');
    assertFailure(await call('POST', '/healthz', {}, '{}'), 405, 'METHOD_NOT_ALLOWED');
    assertFailure(await call('GET', '/%ff'), 400, 'INVALID_REQUEST');
  });

  it('should answer bytes that are not HTTP with 400 in JSON', async () => {
    for (const bytes of [
      '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n',
      'HELLO\r\n\r\n',
      'GET / HTTP/9.9\r\n\r\n',
    ]) {
      assert.match(await raw(bytes), /^HTTP\/1\.1 400 Bad Request\r\n.*"code":"INVALID_REQUEST"/s);
    }
    assert.match(
      await raw('GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n'),
      /^HTTP\/1\.1 400 .*INVALID_REQUEST/s,
    );
  });

  it('should answer an incomplete request with 408', async () => {
    const head = 'POST /api/remote/gpio/write HTTP/1.1\r\nHost: localhost\r\n';
    assert.match(await raw(head), /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
    const body = `${head}Authorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`;
    assert.match(await raw(body), /^HTTP\/1\.1 408 .*"code":"REQUEST_TIMEOUT"/s);
  });

  it('should pass on the failure of a service with its code', async () => {
    ledFails = new FaceplateError('HARDWARE_ERROR', 'The LED bar failed (EIO).');
    assertFailure(await call('GET', '/api/remote/led/state'), 502, 'HARDWARE_ERROR');
  });

  it('should show nothing of an internal error but its log id', async () => {
    ledFails = new Error('secret detail');
    const answer = await call('GET', '/api/remote/led/state');
    assertFailure(answer, 500, 'INTERNAL');
    assert.match(answer.text, /under [0-9a-f]{8}\./);
    assert.doesNotMatch(answer.text, /secret/);
    assertFailure(
      await call('POST', '/api/remote/led/color', {}, '{"red":1,"green":1,"blue":1}'),
      500,
      'INTERNAL',
    );
  });

  it('should end the command of a caller who hangs up', async () => {
    const signal = await new Promise<AbortSignal>((resolve) => {
      const body = '{"command":"sleep 9"}';
      const socket = connect(server.port, '127.0.0.1', () =>
        socket.write(
          `POST /api/remote/terminal/exec HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        ),
      );
      hangs = (running) => {
        resolve(running);
        socket.destroy();
      };
    });
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    assert.ok(signal.aborted);
  });

  it('should answer calls in flight with SHUTTING_DOWN when the service stops', async () => {
    const started = new Promise<void>((resolve) => {
      hangs = () => resolve();
    });
    const pending = call('POST', '/api/remote/terminal/exec', {}, '{"command":"x"}');
    await started;
    await dispatcher.stop();
    assertFailure(await pending, 503, 'SHUTTING_DOWN');
    assertFailure(await call('GET', '/api/remote/led/state'), 503, 'SHUTTING_DOWN');
    dispatcher = new Dispatcher(handlers, log, { pageMay: () => false });
  });
});

describe('who may call', () => {
  it('should refuse a missing token with 401 and WWW-Authenticate before route and body', async () => {
    for (const [method, path] of [
      ['GET', '/api/remote/led/state'],
      ['GET', '/api/remote/nothing'],
      ['GET', '/api/remote'],
      ['GET', '/api/manage/anything'],
      ['DELETE', '/api/remote/led/state'],
      ['GET', '/api/%72emote/led/state'],
      ['GET', '/api/remote/events'],
    ] as const) {
      const answer = await call(method, path, { authorization: null });
      assertFailure(answer, 401, 'UNAUTHORIZED');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
    assertFailure(
      await call('POST', '/api/remote/gpio/write', { authorization: null }, '{'),
      401,
      'UNAUTHORIZED',
    );
  });

  it('should refuse a wrong token, including a prefix or another scheme', async () => {
    for (const authorization of [
      'Bearer wrong',
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
      TOKEN,
    ]) {
      assertFailure(await call('GET', '/api/remote/led/state', { authorization }), 401, 'UNAUTHORIZED');
    }
  });

  it('should slow down guessing: 429 after ten wrong tokens, for a minute, and never for the right one', async () => {
    const wrong = () => call('GET', '/api/remote/led/state', { authorization: 'Bearer guess' });
    for (let i = 0; i < 10; i++) assertFailure(await wrong(), 401, 'UNAUTHORIZED');
    assertFailure(await wrong(), 429, 'RATE_LIMITED');
    assert.equal((await call('GET', '/api/remote/led/state')).status, 200);
    assertFailure(await call('GET', '/api/remote/led/state', { authorization: null }), 401, 'UNAUTHORIZED');
    clock += 59_000;
    assertFailure(await wrong(), 429, 'RATE_LIMITED');
    clock += 1_001;
    assertFailure(await wrong(), 401, 'UNAUTHORIZED');
  });

  it('security: should inspect cameras only with the token, even from loopback', async () => {
    const path = '/api/stream/inspect?url=rtsp%3A%2F%2Fcam%2F1';
    for (const spelled of [path, path.replace('inspect', '%69nspect')]) {
      const { status, json } = await call('GET', spelled, { authorization: null });
      assert.deepEqual([status, json.code], [401, 'UNAUTHORIZED']);
    }
    assert.equal((await call('GET', path)).json.verdict, 'rtsp://cam/1');
  });

  it('should accept the query fields of a GET, and refuse unknown, repeated and missing ones', async () => {
    const path = '/api/stream/inspect';
    for (const query of ['', '?url=rtsp://a/&x=1', '?url=rtsp://a/&url=rtsp://b/', '?url=http://a/']) {
      const { status, json } = await call('GET', path + query);
      assert.deepEqual([status, json.code], [400, 'INVALID_REQUEST'], query);
    }
    // Without query fields, a cache buster does no harm.
    assert.equal((await call('GET', '/api/stream/sessions?_=1')).status, 200);
  });

  it('should serve streams to loopback without a token', async () => {
    const answer = await call('GET', '/api/stream/sessions', { authorization: null });
    assert.deepEqual(answer.json, { sessions: [], max: 8 });
  });

  it('should refuse a foreign Host header (DNS rebinding) before everything else', async () => {
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'xlocalhost',
      '127.0.0.1.evil.example',
      'panel-8',
    ]) {
      assertFailure(await call('GET', '/healthz', { host }), 403, 'FORBIDDEN');
      assertFailure(await call('GET', '/api/remote/x', { host, authorization: null }), 403, 'FORBIDDEN');
    }
    for (const host of [
      '127.0.0.1:8080',
      '192.168.1.7',
      '[::1]:80',
      'localhost',
      'LOCALHOST:1',
      'Panel-7',
      'panel-7.local',
      'demo.localhost',
    ]) {
      assert.equal((await call('GET', '/healthz', { host })).status, 200, host);
    }
  });

  it('should refuse changes from a foreign origin and send it no CORS headers', async () => {
    for (const origin of [
      'http://evil.example',
      'null',
      'http://demo.localhost:1',
      'https://demo.localhost',
    ]) {
      assertFailure(await call('POST', '/api/remote/reboot', { origin }), 403, 'FORBIDDEN');
      assertFailure(
        await call('DELETE', '/api/stream/whep/x', { origin, authorization: null }),
        403,
        'FORBIDDEN',
      );
      const read = await call('GET', '/api/remote/led/state', { origin });
      assert.equal(read.status, 200);
      assert.equal(read.headers['access-control-allow-origin'], undefined);
      const preflight = await call('OPTIONS', '/api/remote/reboot', {
        origin,
        'access-control-request-method': 'POST',
      });
      assert.equal(preflight.headers['access-control-allow-origin'], undefined);
    }
  });

  it('should let the active project and allowed origins call, with preflight', async () => {
    allowedOrigins = ['http://demo.localhost', 'http://desk.example:3000'];
    for (const origin of allowedOrigins) {
      const answer = await call('POST', '/api/remote/reboot', { origin });
      assert.equal(answer.status, 200);
      assert.equal(answer.headers['access-control-allow-origin'], origin);
      assert.equal(answer.headers.vary, 'Origin');
      const preflight = await call('OPTIONS', '/api/remote/reboot', {
        origin,
        authorization: null,
        'access-control-request-method': 'POST',
      });
      assert.equal(preflight.status, 204);
      assert.match(String(preflight.headers['access-control-allow-headers']), /authorization/);
    }
    allowedOrigins = ['http://demo.localhost'];
  });
});

describe('pages of projects', () => {
  it('should serve a project at the root of its own origin only', async () => {
    assert.match(
      (await call('GET', '/', { host: 'demo.localhost:8080', authorization: null })).text,
      /<title>demo/,
    );
    for (const host of ['other.localhost', 'localhost', '127.0.0.1', 'a.demo.localhost']) {
      assertFailure(await call('GET', '/', { host }), 404, 'NOT_FOUND');
    }
  });

  it('should strip the types of TypeScript modules and show their source on demand', async () => {
    const code = await call('GET', '/code.ts', { host: 'demo.localhost' });
    assert.match(String(code.headers['content-type']), /^text\/javascript/);
    assert.match(code.text, /const n\s+= 1;/);
    assert.match(
      (await call('GET', '/code.ts?source', { host: 'demo.localhost' })).text,
      /const n: number = 1/,
    );
  });

  it('should not leave the folder of the project', async () => {
    for (const path of [
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/..%2f..%2fetc%2fpasswd',
      '/..%5c..%5cetc',
      '/%2e%2e/x.ts',
      '//etc/passwd',
      '/a%00b',
    ]) {
      const answer = await call('GET', path, { host: 'demo.localhost' });
      assert.ok(answer.status >= 400 && answer.status < 500, `${path}: ${answer.status}`);
      assert.ok(answer.json.code);
    }
  });
});

describe('events', () => {
  it('should send the snapshot first, then facts as they happen', async () => {
    const text = await new Promise<string>((resolve) => {
      const req = request(
        {
          port: server.port,
          host: '127.0.0.1',
          path: '/api/remote/events',
          headers: { 'accept-encoding': 'gzip', authorization: `Bearer ${TOKEN}` },
        },
        (res) => {
          assert.equal(res.headers['content-type'], 'text/event-stream');
          assert.equal(res.headers['content-encoding'], undefined);
          let seen = '';
          res.setEncoding('utf8').on('data', (chunk) => {
            if (seen === '') setImmediate(() => bus.emit('led', LED));
            seen += chunk;
            if (seen.includes('event: led')) {
              req.destroy();
              resolve(seen);
            }
          });
        },
      );
      req.end();
    });
    assert.match(
      text,
      /^event: snapshot\ndata: \{.*"power":\{"state":"awake"\}.*\}\n\nevent: led\ndata: \{"on":true,.*\}\n\n/s,
    );
    await until(() => bus.size === 0, 'the end of the stream');
    assert.equal(bus.size, 0, 'a closed stream leaves no listener');
  });
});
