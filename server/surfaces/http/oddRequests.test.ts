import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { PassThrough } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { silentLogger } from '../../platform/log.ts';
import { ownerOnly, testServer } from '../testing/testServer.ts';
import { answerConnect } from './answers.ts';
import { acceptsGzip } from './api.ts';

const TOKEN = 'test-token-0123456789';
const BEARER = `Authorization: Bearer ${TOKEN}`;
const handlers = {
  'led.state': () => ({ status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } }),
  'stream.open': async ({ sdp }: { sdp: string }) => ({
    sdp: `answer to ${sdp}`,
    talk: 'none',
    profile: null,
  }),
} as unknown as Handlers;
const dispatcher = new Dispatcher(handlers, silentLogger(), { pageMay: () => false });
const server = testServer(() => dispatcher, { guard: { identify: ownerOnly(TOKEN) } });

before(() => server.start());
after(() => server.stop());

/** The answer to a request of these lines, which no ordinary client writes; the connection is closed after it. */
function ask(...lines: string[]): Promise<{ status: number; code: string | undefined }> {
  return new Promise((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1', () =>
      socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`),
    );
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', reject).on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? 0);
      if (status >= 400) assert.match(head, /content-type: application\/json/i, text);
      const code = body.startsWith('{') ? (JSON.parse(body) as { code?: string }).code : undefined;
      resolve({ status, code });
    });
  });
}

const UNAUTHORIZED = { status: 401, code: 'UNAUTHORIZED' };
const FORBIDDEN = { status: 403, code: 'FORBIDDEN' };
const INVALID = { status: 400, code: 'INVALID_REQUEST' };
const NOT_FOUND = { status: 404, code: 'NOT_FOUND' };
const OK = { status: 200, code: undefined };

describe('requests that no browser sends', () => {
  it('security: should authorise a target in absolute form like its path', async () => {
    for (const path of [
      '/api/remote/led/state',
      '/api/remote/nope',
      '/api/manage',
      '/api/%72emote/led/state',
    ])
      for (const target of [`http://127.0.0.1:8080${path}`, `HTTPS://panel-7${path}`, `other://x${path}`])
        assert.deepEqual(await ask(`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1'), UNAUTHORIZED, target);
    const wrong = await ask(
      'GET http://127.0.0.1/api/remote/led/state HTTP/1.1',
      'Host: 127.0.0.1',
      'Authorization: Bearer no',
    );
    assert.deepEqual(wrong, UNAUTHORIZED);
  });

  it('should answer a target in absolute form like its path', async () => {
    const get = (target: string, host = '127.0.0.1') =>
      ask(`GET ${target} HTTP/1.1`, `Host: ${host}`, BEARER);
    assert.deepEqual(await get('http://127.0.0.1:8080/api/remote/led/state'), OK);
    assert.deepEqual(await get('http://panel-7.local/healthz?x=1'), OK);
    assert.deepEqual(await get('http://127.0.0.1/api/remote/nope'), NOT_FOUND);
    assert.deepEqual(await get('http://127.0.0.1'), NOT_FOUND);
    assert.deepEqual(await get('http://127.0.0.1?/healthz'), NOT_FOUND);
  });

  it('security: should refuse a target in absolute form that names another host', async () => {
    for (const [target, host, refusal] of [
      ['http://evil.example/healthz', '127.0.0.1', FORBIDDEN],
      ['http://127.0.0.1/healthz', 'evil.example', FORBIDDEN],
      ['http://a@localhost/healthz', '127.0.0.1', INVALID],
    ] as const)
      assert.deepEqual(await ask(`GET ${target} HTTP/1.1`, `Host: ${host}`, BEARER), refusal, target);
  });

  it('security: should refuse two Host headers, even if both name this panel', async () => {
    for (const [one, other] of [
      ['127.0.0.1', 'evil.example'],
      ['evil.example', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.1'],
    ])
      assert.deepEqual(await ask('GET /healthz HTTP/1.1', `Host: ${one}`, `hOST: ${other}`), INVALID);
  });

  it('security: should refuse a Host header that is not a host', async () => {
    assert.deepEqual(await ask('GET /healthz HTTP/1.1', 'Host: localhost'), OK);
    for (const host of [
      'a#b',
      'user@host',
      'a@localhost',
      'a/b',
      'a b',
      'a:b',
      '[::1',
      '127.0.0.1:123456',
      'ä',
      '',
    ])
      assert.deepEqual(await ask('GET /healthz HTTP/1.1', `Host: ${host}`), INVALID, host);
  });

  it('should ignore an unknown expectation of a request', async () => {
    const get = (path: string, ...more: string[]) =>
      ask(`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', 'Expect: a-miracle', ...more);
    assert.deepEqual(await get('/healthz'), OK);
    assert.deepEqual(await get('/api/remote/led/state'), UNAUTHORIZED);
    assert.deepEqual(await get('/api/remote/led/state', BEARER), OK);
  });

  it('should answer CONNECT like an unknown method, and close the connection', async () => {
    for (const target of ['example.org:443', '127.0.0.1:8080'])
      assert.deepEqual(await ask(`CONNECT ${target} HTTP/1.1`, 'Host: 127.0.0.1', BEARER), NOT_FOUND);
  });

  it('security: should stay up when the caller of CONNECT breaks the connection', () => {
    const socket = new PassThrough();
    answerConnect(socket);
    // Without a listener this throws, which ends the service.
    assert.ok(socket.emit('error', new Error('ECONNRESET')));
    assert.ok(socket.destroyed);
  });

  it('should answer 405 to methods that the path does not have, with any body, after the token', async () => {
    for (const method of ['QUERY', 'PROPFIND', 'TRACE', 'PUT', 'DELETE', 'MKCOL', 'SEARCH', 'PURGE']) {
      const request = [`${method} /api/remote/led/state HTTP/1.1`, 'Host: 127.0.0.1'];
      assert.equal((await ask(...request, BEARER)).status, 405, method);
      assert.equal((await ask(...request)).status, 401, method);
      assert.equal((await ask(`${method} /api/no/such HTTP/1.1`, 'Host: 127.0.0.1', BEARER)).status, 404);
    }
    const withBody = ['QUERY /api/remote/led/state HTTP/1.1', 'Host: 127.0.0.1', 'Content-Type: text/x'];
    assert.equal((await ask(...withBody, BEARER, 'Content-Length: 0')).status, 405);
    const headers = { authorization: `Bearer ${TOKEN}` };
    for (const [method, path, allow] of [
      ['DELETE', '/api/remote/led/state', 'GET, HEAD'],
      ['GET', '/api/remote/led/color', 'POST'],
      ['PUT', '/healthz', 'GET, HEAD'],
      ['POST', '/api/remote/events', 'GET, HEAD'],
      ['PUT', '/api/remote/message/door', 'DELETE'],
    ] as const) {
      const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers });
      assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${path}`);
      assert.deepEqual(await answer.json(), {
        error: `This address takes ${allow}.`,
        code: 'METHOD_NOT_ALLOWED',
      });
    }
  });

  it('should answer HEAD like GET, without the body', async () => {
    for (const path of ['/healthz', '/api/remote/led/state', '/api/no/such'])
      for (const headers of [{ authorization: `Bearer ${TOKEN}` }, { authorization: '' }]) {
        const [head, get] = await Promise.all(
          ['HEAD', 'GET'].map((method) =>
            fetch(`http://127.0.0.1:${server.port}${path}`, { method, headers }),
          ),
        );
        assert.equal(head!.status, get!.status, path);
        for (const name of ['content-type', 'content-length'])
          assert.equal(head!.headers.get(name), get!.headers.get(name), `${name} of ${path}`);
        assert.equal(await head!.text(), '');
        await get!.text();
      }
    // A stream of events would never end.
    assert.deepEqual(await ask('HEAD /api/remote/events HTTP/1.1', 'Host: 127.0.0.1', BEARER), OK);
  });
});

describe('the header Accept-Encoding', () => {
  it('should let gzip be sent where it is named, or all is, and not refused', () => {
    for (const header of [
      'gzip',
      'GZIP',
      'br, gzip',
      'deflate;q=1, gzip;q=0.001',
      'x-gzip',
      '*',
      'identity, *;q=0.5',
    ])
      assert.equal(acceptsGzip(header), true, header);
    for (const header of [
      undefined,
      '',
      'br',
      'identity',
      'gzip;q=0',
      'gzip; q=0.000',
      '*, gzip;q=0',
      '*;q=0',
      'gzipped',
    ])
      assert.equal(acceptsGzip(header), false, header);
  });

  it('security: should be read in time that grows with its length alone', () => {
    const started = process.cpuUsage();
    assert.equal(acceptsGzip(`${' ;,'.repeat(5_000)}br`), false);
    assert.ok(process.cpuUsage(started).user < 1e6);
  });
});

describe('a WHEP address', () => {
  const ALLOW = 'POST, DELETE, OPTIONS';
  const call = async (method: string, type?: string, body?: string) => {
    const response = await fetch(
      `http://127.0.0.1:${server.port}/api/stream/whep/door?url=rtsp%3A%2F%2Fcamera%2F1`,
      {
        method,
        headers: { connection: 'close', ...(type !== undefined && { 'content-type': type }) },
        // Bytes: fetch gives text a type of its own.
        ...(body !== undefined && { body: Buffer.from(body) }),
      },
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  it('should say to OPTIONS what it takes', async () => {
    // As MediaMTX asks before it sends its offer; a preflight of a page has more headers, and is answered by the guard.
    const { status, headers, text } = await call('OPTIONS');
    assert.deepEqual([status, headers.get('allow'), text], [204, ALLOW, '']);
    assert.equal(headers.get('accept-post'), 'application/sdp');
  });

  it('should refuse each other method at once, whatever it brings', async () => {
    for (const [method, type, body] of [
      ['PATCH', 'application/trickle-ice-sdpfrag', 'a=end-of-candidates'],
      ['PATCH', 'application/json', '{"candidate":'],
      ['PUT', 'application/sdp', 'v=0'],
      ['GET'],
    ] as const) {
      const { status, headers, text } = await call(method, type, body);
      assert.deepEqual([status, headers.get('allow')], [405, ALLOW], method);
      const { code, error } = JSON.parse(text);
      assert.equal(code, 'METHOD_NOT_ALLOWED');
      assert.match(error, /POST, DELETE, OPTIONS/);
    }
    const { status, headers, text } = await call('HEAD');
    assert.deepEqual([status, headers.get('allow'), text], [405, ALLOW, '']);
  });

  it('should take an offer in any spelling of its type, and name the types for another', async () => {
    for (const type of ['application/sdp', 'Application/SDP', 'application/sdp; charset=utf-8']) {
      const { status, text } = await call('POST', type, 'v=0');
      assert.deepEqual([status, text], [201, 'answer to v=0'], type);
    }
    for (const type of ['text/plain', undefined]) {
      const { status, text } = await call('POST', type, 'v=0');
      assert.equal(status, 415);
      assert.match(JSON.parse(text).error, /^Send the body as application\/sdp or application\/json\.$/);
    }
  });
});
