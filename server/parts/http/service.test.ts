import assert from 'node:assert/strict';
import type { lookup } from 'node:dns';
import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { commands, type ParamsOf } from '../../contract/commands.ts';
import { type Clock, systemClock } from '../../platform/clock.ts';
import { LocalTargets } from '../../platform/net/localTargets.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { until } from '../../testing/waiting.ts';
import { DeviceRequest } from './deviceRequest.ts';
import { HttpRequestService, textOf } from './service.ts';

const MIB = 1024 * 1024;

interface Given {
  readonly clock?: Clock;
  readonly lookup?: typeof lookup;
  readonly ownPorts?: readonly number[];
}

describe('HTTP requests of pages', () => {
  const servers: { close(): unknown; closeAllConnections?(): void }[] = [];
  const pair = selfSigned('DNS:localhost');
  let trusted: boolean;
  let service: HttpRequestService;
  /** How often a raw device has sent what it sends. */
  let answered: number;

  function start({ clock = systemClock, lookup, ownPorts = [] }: Given = {}): void {
    service = new HttpRequestService({
      driver: new DeviceRequest({ judge: () => (trusted ? 'trusted' : 'refused') }),
      targets: new LocalTargets({
        ownPorts: () => ownPorts,
        mayAskOurselves: true,
        ...(lookup && { lookup }),
      }),
      clock,
    });
  }

  beforeEach(() => {
    trusted = false;
    answered = 0;
    start();
  });
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections?.();
    }
  });

  /** A device on a free port of this machine. */
  async function device(answer: RequestListener, server: Server = createServer()): Promise<number> {
    servers.push(server.on('request', answer));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** One that answers with these bytes, whatever it is asked, and leaves the connection open. */
  async function rawDevice(bytes: string | Buffer): Promise<number> {
    const sockets: Socket[] = [];
    const server = createTcpServer((socket) => {
      sockets.push(socket.on('error', () => {}));
      socket.once('data', () => socket.write(bytes, () => answered++));
    });
    servers.push({
      close: () => server.close(),
      closeAllConnections: () => {
        for (const socket of sockets) socket.destroy();
      },
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** As a page asks: the params pass the contract first. */
  function ask(given: Partial<ParamsOf<'http.request'>> & { url: string }, signal = AbortSignal.any([])) {
    return service.request(commands['http.request'].params.parse(given), { signal });
  }

  const answers =
    (body: string | Buffer, headers: Record<string, string | string[]> = {}): RequestListener =>
    (_request, response) =>
      void response.writeHead(200, headers).end(body);

  test('should ask a device, and answer status, headers and text', async () => {
    let asked: IncomingMessage | undefined;
    let body = '';
    const port = await device(async (request, response) => {
      asked = request;
      body = await text(request);
      response.writeHead(201, { 'content-type': 'application/json', 'x-gen': '2' }).end('{"ison":true}');
    });
    const answer = await ask({
      url: `http://127.0.0.1:${port}/rpc/Switch.Set?id=0`,
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-Room': 'Küche' },
      body: '{"on":true,"name":"€"}',
    });
    assert.equal(answer.status, 201);
    assert.equal(answer.body, '{"ison":true}');
    assert.equal(answer.bodyHex, undefined);
    assert.equal(answer.headers['x-gen'], '2');
    assert.equal(asked?.method, 'POST');
    assert.equal(asked?.url, '/rpc/Switch.Set?id=0');
    assert.equal(asked?.headers.host, `127.0.0.1:${port}`);
    assert.equal(asked?.headers['content-type'], 'application/json');
    assert.equal(asked?.headers['content-length'], '24');
    assert.equal(body, '{"on":true,"name":"€"}');
  });

  test('should pass on refusals of the device as answers', async () => {
    const port = await device((_request, response) => void response.writeHead(404).end('nothing'));
    const { status, body } = await ask({ url: `http://127.0.0.1:${port}/` });
    assert.deepEqual({ status, body }, { status: 404, body: 'nothing' });
  });

  test('should answer a body that is no text as hex', async () => {
    const port = await device(
      answers(Buffer.from([0xff, 0xd8, 0x00, 0x0a]), { 'content-type': 'image/jpeg' }),
    );
    const { body, bodyHex } = await ask({ url: `http://127.0.0.1:${port}/` });
    assert.deepEqual({ body, bodyHex }, { body: undefined, bodyHex: 'FFD8000A' });
  });

  test('should know text by its type, its charset and its bytes', () => {
    const latin = Buffer.from('Küche', 'latin1');
    assert.equal(textOf(Buffer.from('Küche'), ''), 'Küche');
    assert.equal(textOf(latin, 'text/plain; charset=iso-8859-1'), 'Küche');
    assert.equal(textOf(latin, 'text/plain'), undefined);
    assert.equal(textOf(Buffer.from('x'), 'text/plain; charset=klingon'), undefined);
    assert.equal(textOf(Buffer.from('hello'), 'application/octet-stream'), undefined);
    assert.equal(textOf(Buffer.from('<svg/>'), 'image/svg+xml'), '<svg/>');
    assert.equal(textOf(Buffer.from([1, 2, 3]), 'application/x-thing'), undefined);
    assert.equal(textOf(Buffer.from(''), 'image/png'), '');
  });

  test('security: should carry no cookies, neither there nor back', async () => {
    let cookie: string | undefined = 'none yet';
    const port = await device((request, response) => {
      ({ cookie } = request.headers);
      response.writeHead(200, { 'set-cookie': ['a=1', 'b=2'] }).end('ok');
    });
    const url = `http://127.0.0.1:${port}/`;
    for (let time = 0; time < 2; time++) {
      const { headers } = await ask({ url });
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.includes('cookie')),
        [],
      );
      assert.equal(cookie, undefined);
    }
    for (const name of ['Cookie', 'COOKIE', 'cookie2'])
      assert.throws(() => ask({ url, headers: { [name]: 'a=1' } }), /cookie/);
  });

  test('security: should let a page set no header of the connection, and split no header', () => {
    for (const headers of [
      { host: 'other' },
      { 'Transfer-Encoding': 'chunked' },
      { 'content-length': '5' },
      { 'Proxy-Authorization': 'x' },
      { 'x-a': 'b\r\nx-c: d' },
      { 'x a': 'b' },
      { 'x-a': 'x'.repeat(8_193) },
      Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`x-${i}`, ''])),
    ])
      assert.throws(() => ask({ url: 'http://192.168.1.9/', headers }), JSON.stringify(headers).slice(0, 80));
  });

  test('security: should refuse addresses outside the local network, and ports of the panel itself', async () => {
    let isAsked = false;
    const port = await device((_request, response) => {
      isAsked = true;
      response.end();
    });
    start({ ownPorts: [port] });
    for (const url of [
      'http://8.8.8.8/',
      'https://[::1]/',
      'http://[::ffff:192.168.1.9]/',
      `http://127.0.0.1:${port}/`,
      `http://localhost:${port}/`,
      `http://2130706433:${port}/`,
      `http://0.0.0.0:${port}/`,
      `http://127.1.1.1:${port}/`,
    ])
      await assert.rejects(ask({ url }), { code: 'FORBIDDEN' }, url);
    assert.ok(!isAsked);
    for (const url of ['file:///etc/passwd', 'ftp://192.168.1.9/', 'javascript:1', 'http://'])
      assert.throws(() => ask({ url }), url);
  });

  test('security: should follow no redirect out of the local network, nor to the panel itself', async () => {
    const own = await device(answers('secret of the panel'));
    let location = '';
    const port = await device((_request, response) => void response.writeHead(302, { location }).end());
    start({ ownPorts: [own] });
    for (location of [
      'http://8.8.8.8/',
      'https://8.8.4.4/x',
      `http://127.0.0.1:${own}/`,
      `http://localhost:${own}/healthz`,
      'file:///etc/passwd',
      'http://[::1]/',
    ])
      await assert.rejects(ask({ url: `http://127.0.0.1:${port}/` }), { code: 'FORBIDDEN' }, location);
  });

  test('security: should connect to the address that was judged, whatever the name means a moment later', async () => {
    let host: string | undefined;
    const port = await device((request, response) => {
      ({ host } = request.headers);
      response.end('device');
    });
    const asked: string[] = [];
    const rebinding = ((name: string, _options: object, callback: (...result: unknown[]) => void) => {
      asked.push(name);
      callback(null, [{ address: asked.length === 1 ? '127.0.0.1' : '8.8.8.8', family: 4 }]);
    }) as unknown as typeof lookup;
    start({ lookup: rebinding });
    const url = `http://rebinding.example:${port}/`;
    assert.equal((await ask({ url })).body, 'device');
    assert.deepEqual(asked, ['rebinding.example']);
    assert.equal(host, `rebinding.example:${port}`);
    await assert.rejects(ask({ url }), { code: 'FORBIDDEN' });
  });

  test('should follow five redirects within the local network, as browsers do', async () => {
    const seen: string[] = [];
    const answer = async (request: IncomingMessage, response: ServerResponse) => {
      const body = await text(request);
      seen.push(`${request.method} ${request.url} ${body}${request.headers.authorization ?? ''}`);
      const [, status, left] = /^\/(\d+)\/(\d+)/.exec(request.url ?? '') ?? [];
      if (left === '0') response.end('there');
      else response.writeHead(Number(status), { location: `/${status}/${Number(left) - 1}` }).end();
    };
    const port = await device(answer);
    const url = `http://127.0.0.1:${port}`;
    assert.equal((await ask({ url: `${url}/307/5`, method: 'PUT', body: 'x' })).body, 'there');
    assert.deepEqual(new Set(seen.map((line) => line.replace(/\/\d$|\/\d /, ' '))), new Set(['PUT /307 x']));
    await assert.rejects(ask({ url: `${url}/307/6` }), { code: 'HARDWARE_ERROR', message: /redirects/ });
    seen.length = 0;
    await ask({ url: `${url}/303/1`, method: 'POST', body: 'x', headers: { authorization: '!' } });
    assert.deepEqual(seen, ['POST /303/1 x!', 'GET /303/0 !']);
  });

  test('security: should not carry a login to another device by a redirect', async () => {
    const logins: (string | undefined)[] = [];
    const other = await device((request, response) => {
      logins.push(request.headers.authorization);
      response.end('other');
    });
    const port = await device((request, response) => {
      logins.push(request.headers.authorization);
      response.writeHead(307, { location: `http://127.0.0.1:${other}/` }).end();
    });
    await ask({ url: `http://admin:pass%20word@127.0.0.1:${port}/` });
    assert.deepEqual(logins, [`Basic ${Buffer.from('admin:pass word').toString('base64')}`, undefined]);
  });

  test('security: should take 1 MiB in either direction, and no byte more', async () => {
    const port = await device(async (request, response) => {
      const size = Number(new URL(request.url!, 'http://x').searchParams.get('size'));
      request.resume();
      // One with its length, one without.
      if (request.url?.startsWith('/told')) response.setHeader('content-length', size);
      response.end(Buffer.alloc(size, 'x'));
    });
    const url = `http://127.0.0.1:${port}`;
    for (const path of ['told', 'untold']) {
      assert.equal((await ask({ url: `${url}/${path}?size=${MIB}` })).body?.length, MIB);
      await assert.rejects(ask({ url: `${url}/${path}?size=${MIB + 1}` }), { code: 'TOO_LARGE' });
    }
    await ask({ url, method: 'POST', body: 'x'.repeat(MIB) });
    await assert.rejects(ask({ url, method: 'POST', body: '€'.repeat(MIB / 3 + 1) }), { code: 'TOO_LARGE' });
  });

  test('security: should not wait for an endless answer', async () => {
    const port = await device((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536, 'x')));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    await assert.rejects(ask({ url: `http://127.0.0.1:${port}/` }), { code: 'TOO_LARGE' });
  });

  test('should give up a device that is silent, wherever it stops, after the time of the page', async () => {
    for (const bytes of [
      '',
      'HTTP/1.1 200 OK\r\nx-a: ',
      'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf',
    ]) {
      const clock = new FakeClock();
      start({ clock });
      const port = await rawDevice(bytes);
      const asked = assert.rejects(ask({ url: `http://127.0.0.1:${port}/`, timeoutMs: 700 }), {
        code: 'HARDWARE_TIMEOUT',
      });
      const before = answered;
      await until(() => answered > before);
      await clock.advance(699);
      await clock.advance(1);
      await asked;
      assert.equal(clock.pending, 0);
    }
  });

  test('should say that a device cannot be reached, or gives no valid answer', async () => {
    const port = await device(answers('x'));
    servers.pop()?.close();
    await assert.rejects(ask({ url: `http://127.0.0.1:${port}/private` }), {
      code: 'HARDWARE_ERROR',
      message: /^127\.0\.0\.1 cannot be reached: ECONNREFUSED[^/]*$/,
    });
    for (const bytes of [
      'PJLINK 0\r',
      `HTTP/1.1 200 OK\r\nx-a: ${'x'.repeat(20_000)}\r\n\r\n`,
      'HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n',
    ])
      await assert.rejects(ask({ url: `http://127.0.0.1:${await rawDevice(bytes)}/` }), {
        code: 'HARDWARE_ERROR',
      });
  });

  test('should say that a device broke off in the middle', async () => {
    const port = await device((_request, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('half');
      setImmediate(() => response.destroy());
    });
    await assert.rejects(ask({ url: `http://127.0.0.1:${port}/` }), { code: 'HARDWARE_ERROR' });
  });

  test('should end a request with the page that asked', async () => {
    let closed = false;
    const page = new AbortController();
    const port = await device((request) => {
      request.once('close', () => (closed = true));
      page.abort(new Error('the page is gone'));
    });
    await assert.rejects(ask({ url: `http://127.0.0.1:${port}/` }, page.signal), /gone/);
    await until(() => closed);
  });

  test('should run at most 16 requests at one time', async () => {
    const waiting: ServerResponse[] = [];
    const port = await device((_request, response) => void waiting.push(response));
    const url = `http://127.0.0.1:${port}/`;
    const asked = Array.from({ length: 16 }, () => ask({ url }));
    await until(() => waiting.length === 16);
    await assert.rejects(ask({ url }), { code: 'CONFLICT' });
    for (const response of waiting.splice(0)) response.end('ok');
    await Promise.all(asked);
    const again = ask({ url });
    await until(() => waiting.length === 1);
    waiting[0]?.end();
    await again;
  });

  test('security: should ask a TLS server only with a certificate that is trusted or pinned', async () => {
    let asked = 0;
    const port = await device(
      (_request, response) => {
        asked++;
        response.end('over TLS');
      },
      createHttpsServer({ key: pair.key, cert: pair.cert }),
    );
    const url = `https://localhost:${port}/`;
    await assert.rejects(ask({ url, headers: { authorization: 'secret' } }), ({ code, message }) => {
      assert.equal(code, 'HARDWARE_ERROR');
      assert.ok(message.includes(pair.fingerprint));
      return true;
    });
    assert.equal(asked, 0);
    trusted = true;
    assert.equal((await ask({ url })).body, 'over TLS');
  });
});
