import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../../testing/selfSigned.ts';
import { TlsProbe } from './tlsProbe.ts';

async function listen(t: TestContext, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test('should read the certificate of an untrusted server, and send it nothing', async (t) => {
  const { key, cert, fingerprint } = selfSigned('DNS:p1.localhost');
  let heard = '';
  const server = createTlsServer({ key, cert }, (socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      heard += data;
    });
  });
  const port = await listen(t, server);
  for (const host of ['127.0.0.1', 'localhost', 'p1.localhost'])
    assert.equal((await new TlsProbe().ask(host, port)).fingerprint256, fingerprint);
  assert.equal(heard, '');
});

test('should give up on a server that speaks no TLS, is silent, or is not there', async (t) => {
  // Both read: otherwise they would never notice that the other end is gone.
  const talker = createServer((socket) => {
    socket.on('error', () => {}).resume();
    socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
  });
  const port = await listen(t, talker);
  await assert.rejects(new TlsProbe().ask('127.0.0.1', port));
  const sockets: { destroy(): void }[] = [];
  const silent = createServer((socket) => sockets.push(socket.on('error', () => {}).resume()));
  const silentPort = await listen(t, silent);
  await assert.rejects(new TlsProbe(200).ask('127.0.0.1', silentPort), /in time/);
  for (const socket of sockets) socket.destroy();
  await assert.rejects(new TlsProbe().ask('127.0.0.1', 1));
});
