import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { HttpDoor } from './httpDoor.ts';

async function startRelay(t: TestContext, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

test('should send login and query, and treat any 2xx as opened', async (t) => {
  const asked: unknown[] = [];
  const port = await startRelay(t, (request, response) => {
    asked.push([request.method, request.url, request.headers.authorization, request.headers.host]);
    response.writeHead(204).end();
  });
  await new HttpDoor().open(`http://us%65r:p%40ss@127.0.0.1:${port}/relay?n=1`);
  const login = `Basic ${Buffer.from('user:p@ss').toString('base64')}`;
  assert.deepEqual(asked, [['GET', '/relay?n=1', login, `127.0.0.1:${port}`]]);
});

test('security: should follow no redirect, and show no login in its errors', async (t) => {
  const asked: unknown[] = [];
  const port = await startRelay(t, (request, response) => {
    asked.push(request.url);
    response.writeHead(302, { location: '/elsewhere' }).end();
  });
  await assert.rejects(
    new HttpDoor().open(`http://user:secret@127.0.0.1:${port}/open/4711`),
    (error: Error) => {
      assert.match(error.message, /status 302/);
      assert.doesNotMatch(error.message, /secret|user|4711/);
      return true;
    },
  );
  assert.deepEqual(asked, ['/open/4711']);
});

test('security: should connect only to the local network, whatever a name resolves to', async () => {
  const door = new HttpDoor({ resolve: async () => ['203.0.113.7'] });
  for (const url of [
    'http://door.example/',
    'http://8.8.8.8/',
    'http://[2001:db8::1]/',
    'http://0.0.0.0/',
    'http://100.64.0.1/',
  ])
    await assert.rejects(door.open(url), { code: 'FORBIDDEN' }, url);
});

test('security: should connect to the address that was checked, not resolve the name again', async (t) => {
  const asked: unknown[] = [];
  const port = await startRelay(t, (request, response) => {
    asked.push(request.headers.host);
    response.end();
  });
  let resolved = 0;
  const resolve = async () => [resolved++ === 0 ? '127.0.0.1' : '203.0.113.7'];
  await new HttpDoor({ resolve }).open(`http://door.invalid:${port}/`);
  assert.deepEqual([asked, resolved], [[`door.invalid:${port}`], 1]);
});

test('should say what is wrong: no host, no name, no answer, no HTTP', async (t) => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('hello\r\n\r\n');
    socket.destroySoon();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await assert.rejects(new HttpDoor().open(`http://127.0.0.1:${port}/`), {
    message: /no valid answer|cannot be reached/,
  });
  const silent = await startRelay(t, () => undefined);
  const hurried = new HttpDoor({ timeoutMs: 200 });
  await assert.rejects(hurried.open(`http://127.0.0.1:${silent}/`), { code: 'HARDWARE_TIMEOUT' });
  const nameless = new HttpDoor({ resolve: () => Promise.reject(new Error('ENOTFOUND')) });
  await assert.rejects(nameless.open('http://door.invalid/'), { message: /not known/ });
  server.close();
  await once(server, 'close');
  await assert.rejects(new HttpDoor().open(`http://127.0.0.1:${port}/`), { message: /ECONNREFUSED/ });
});
