import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { until } from '../../testing/waiting.ts';
import { inTurn } from './listener.ts';
import { HttpServer } from './server.ts';

const make = (port = 0) => new HttpServer({ host: '127.0.0.1', port, log: silentLogger() });

test('should answer STARTING to all callers until the surface is opened', async () => {
  const server = make();
  await server.start();
  try {
    for (const path of ['/healthz', '/api/remote/info', '/']) {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      assert.deepEqual([response.status, response.headers.get('retry-after')], [503, '1'], path);
      assert.equal(((await response.json()) as { code: string }).code, 'STARTING');
    }
  } finally {
    await server.stop();
  }
});

test('should report a port in use before anything else is started', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as AddressInfo;
  try {
    await assert.rejects(make(port).start(), { code: 'EADDRINUSE', port });
  } finally {
    other.close();
  }
});

test('should stop before it was started or opened, and twice', async () => {
  const server = make();
  await server.stop();
  await server.stop();
});

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const paths = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);

/** A server whose requests go in turn, and one connection to it. */
async function start(
  t: TestContext,
  handler: RequestListener,
): Promise<{ peer: Socket; heard: () => string }> {
  const server = createServer(inTurn(handler, 20));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => {});
  t.after(() => {
    peer.destroy();
    server.closeAllConnections();
    server.close();
  });
  let text = '';
  peer.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  return { peer, heard: () => text };
}

test('should pass a request on when the one before it was answered, in their order', async (t) => {
  const open: [string, ServerResponse][] = [];
  const { peer, heard } = await start(t, ({ url }, response) => void open.push([url!, response]));
  peer.write(paths(5).map(get).join(''));
  for (const path of paths(5)) {
    await until(() => open.length === 1, path);
    const [url, response] = open.pop()!;
    assert.equal(url, path);
    response.end(`answer ${url}`);
  }
  await until(() => heard().includes('answer /4'), 'the last answer');
  peer.write(get('/later'));
  await until(() => open.length === 1, 'a request after all were answered');
});

test('should keep the body of a request that waits for its turn', async (t) => {
  const bodies: string[] = [];
  const { peer } = await start(t, async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    bodies.push(body);
    response.end();
  });
  const post = (body: string) =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const large = 'x'.repeat(300_000);
  peer.write(post('first') + post(large) + post('last'));
  await until(() => bodies.length === 3, 'all bodies');
  assert.deepEqual(bodies, ['first', large, 'last']);
});

test('security: should close a connection that sends too many ahead, and pass on none of the rest', async (t) => {
  let passed = 0;
  const { peer } = await start(t, () => void passed++);
  const closed = once(peer, 'close');
  peer.write(get('/').repeat(500));
  await closed;
  assert.equal(passed, 1);
});

test('security: should answer no more than fits where the answers are not read', async (t) => {
  let passed = 0;
  const large = Buffer.alloc(8 * 2 ** 20);
  const { peer } = await start(t, (_request, response) => {
    passed++;
    response.end(large);
  });
  peer.pause();
  peer.write(get('/').repeat(10));
  await until(() => passed > 0, 'the first request');
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
  assert.equal(passed, 1);
  peer.resume();
  await until(() => passed === 10, 'all requests, as answers are read');
});

test('should forget what waits when the connection is gone', async (t) => {
  const open: ServerResponse[] = [];
  const { peer } = await start(t, (_request, response) => void open.push(response));
  peer.write(paths(5).map(get).join(''));
  await until(() => open.length === 1, 'the first request');
  const closed = once(open[0]!, 'close');
  peer.destroy();
  await closed;
  await new Promise(setImmediate);
  assert.equal(open.length, 1);
});
