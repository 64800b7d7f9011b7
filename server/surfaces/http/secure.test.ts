import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { connect, type PeerCertificate } from 'node:tls';
import { Dispatcher, type Handlers } from '../../commands/dispatch.ts';
import { silentLogger } from '../../platform/log.ts';
import { ownAddresses } from '../../platform/net/addresses.ts';
import { selfSigned } from '../../testing/selfSigned.ts';
import { ownerOnly, testServer } from '../testing/testServer.ts';

const TOKEN = 'test-token-0123456789';
const LED = { status: 'ok', state: { on: true, red: 1, green: 2, blue: 3 } };
const first = selfSigned('DNS:localhost');
const second = selfSigned('DNS:localhost');

const handlers = {
  'led.state': () => LED,
  'led.on': () => LED,
} as unknown as Handlers;
const dispatcher = new Dispatcher(handlers, silentLogger(), { pageMay: () => false });
const server = testServer(() => dispatcher, { guard: { identify: ownerOnly(TOKEN) }, requestLimitMs: 500 });

before(async () => {
  await server.start();
  await server.openSecure(0, first);
});
after(() => server.stop());

interface Answer {
  readonly status: number | undefined;
  readonly body: unknown;
}

function call(path: string, headers: Record<string, string> = {}, body?: string): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const all = { host: 'localhost', authorization: `Bearer ${TOKEN}`, ...headers };
  const sent = request(
    {
      host: '127.0.0.1',
      servername: 'localhost',
      port: server.securePort,
      path,
      method: body === undefined ? 'GET' : 'POST',
      ca: [first.cert, second.cert],
      headers: body === undefined ? all : { ...all, 'content-type': 'application/json' },
      agent: false,
    },
    (response) => json(response).then((body) => resolve({ status: response.statusCode, body }), reject),
  );
  sent.on('error', reject).end(body);
  return promise;
}

/** What the server answers to bytes, until it closes the connection. */
async function answerTo(bytes: string): Promise<string> {
  const socket = connect({ port: server.securePort!, host: '127.0.0.1', rejectUnauthorized: false });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

describe('HTTPS', () => {
  it('should answer the same calls as HTTP, by the same rules', async () => {
    assert.deepEqual(await call('/api/remote/led/state'), { status: 200, body: LED });
    assert.equal((await call('/api/remote/led/state', { authorization: 'Bearer x' })).status, 401);
    assert.equal((await call('/api/remote/led/state', { host: 'evil.example' })).status, 403);
    assert.equal((await call('/api/no/such')).status, 404);
    assert.equal((await call('/api/remote/led/on', {}, '{"on":1}')).status, 400);
    assert.equal((await call('/api/remote/led/on', {}, `{"on":"${'x'.repeat(2 ** 20)}"}`)).status, 413);
  });

  it('security: should take its own Origin, with the scheme https, and no other', async () => {
    const from = (origin: string) => call('/api/remote/led/on', { origin }, '{"on":true}');
    assert.equal((await from('https://localhost')).status, 200);
    assert.equal((await from('http://localhost')).status, 403);
  });

  it('security: should keep the limits of HTTP: odd requests, large headers, slow senders', async () => {
    assert.match(await answerTo('nonsense\r\n\r\n'), /^HTTP\/1\.1 400 .*"INVALID_REQUEST"/s);
    assert.match(await answerTo(`GET / HTTP/1.1\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`), /^HTTP\/1\.1 413 /);
    assert.match(await answerTo('GET /healthz HTTP/1.1\r\nHost: local'), /^HTTP\/1\.1 408 /);
    assert.match(await answerTo('CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n'), /^HTTP\/1\.1 404 /);
  });

  it('security: should close what speaks no TLS, or old TLS, and go on', async () => {
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x00\x05nonsense', '\0'.repeat(99)]) {
      const socket = connectPlain(server.securePort!, '127.0.0.1');
      socket.on('error', () => {}).resume();
      socket.write(bytes);
      await once(socket, 'close');
    }
    const old = connect({
      port: server.securePort!,
      host: '127.0.0.1',
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
    });
    const [error] = (await once(old, 'error')) as [Error & { code: string }];
    assert.match(error.code, /^ERR_SSL_|^EPROTO|^ECONNRESET/);
    assert.equal((await call('/healthz')).status, 200);
  });

  it('should show another certificate from the next connection on', async () => {
    const socket = connect({ port: server.securePort!, host: '127.0.0.1', rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    server.setIdentity(second);
    assert.equal((socket.getPeerCertificate() as PeerCertificate).fingerprint256, first.fingerprint);
    const next = connect({ port: server.securePort!, host: '127.0.0.1', rejectUnauthorized: false });
    await once(next, 'secureConnect');
    assert.equal((next.getPeerCertificate() as PeerCertificate).fingerprint256, second.fingerprint);
    // The connection of before still works.
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /);
    socket.destroy();
    next.destroy();
  });
});

describe('plain HTTP for this machine alone', () => {
  // An address of the network stands for another machine: the connection comes from there, not from loopback.
  const outside = ownAddresses().find(({ isInternal, family }) => !isInternal && family === 'IPv4')?.address;
  const skip = outside === undefined && 'this machine has no network';
  const make = () => testServer(() => dispatcher, { guard: { identify: ownerOnly(TOKEN) }, host: '0.0.0.0' });
  /** The first bytes that come back for a request, or `closed`. */
  const ask = async (host: string, port: number): Promise<string> => {
    const socket = connectPlain(port, host).on('error', () => {});
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    const first = await Promise.race([
      once(socket, 'data').then(([bytes]) => String(bytes)),
      once(socket, 'close').then(() => 'closed'),
    ]);
    socket.destroy();
    return first;
  };

  it('security: should close what comes from elsewhere before its first byte, and what is open', {
    skip,
  }, async (t) => {
    const http = make();
    t.after(() => http.stop());
    await http.start();
    await http.openSecure(0, first);
    assert.match(await ask(outside!, http.port), /^HTTP\/1\.1 200 /);
    const before = connectPlain(http.port, outside!).on('error', () => {});
    before.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(before, 'data');
    http.closePlain();
    await once(before, 'close');
    assert.equal(await ask(outside!, http.port), 'closed');
    assert.match(await ask('127.0.0.1', http.port), /^HTTP\/1\.1 200 /);
    const secure = connect({ port: http.securePort!, host: outside!, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    secure.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.match(String((await once(secure, 'data'))[0]), /^HTTP\/1\.1 200 /);
    secure.destroy();
  });

  it('security: should lock nobody out while HTTPS is off', { skip }, async (t) => {
    const http = make();
    t.after(() => http.stop());
    await http.start();
    http.closePlain();
    assert.match(await ask(outside!, http.port), /^HTTP\/1\.1 200 /);
  });
});
