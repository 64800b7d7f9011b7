import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { makeOwnCertificate } from '../../../platform/tls/ownCertificate.ts';
import { freeSipPort } from '../../../testing/sip/ports.ts';
import { until } from '../../../testing/waiting.ts';
import { infoRequest, startTransport } from '../../testing/sip/testTransport.ts';
import type { Hop } from './hop.ts';
import type { TlsTrust } from './tlsTrust.ts';

const LOOPBACK = '127.0.0.1';
const INFO = infoRequest('SIP/2.0/TLS 127.0.0.1;branch=z9hG4bK1');

const identity = () => makeOwnCertificate('Hall');
const everybody: TlsTrust = { judge: () => 'trusted', onTrusted: () => () => {} };
const tlsHop = (port: number): Hop => ({ protocol: 'tls', host: LOOPBACK, port });

/** A TLS caller that accepts any certificate. */
async function caller(t: TestContext, port: number, localPort = 0): Promise<TLSSocket> {
  const options = { host: LOOPBACK, port, localPort, rejectUnauthorized: false };
  const socket = connectTls(options);
  t.after(() => socket.destroy());
  await once(socket, 'secureConnect');
  return socket.on('error', () => {});
}

/** The bytes that came, and whether the remote party has closed. */
function follow(socket: Socket): { bytes: number; isClosed: boolean } {
  const state = { bytes: 0, isClosed: false };
  socket.on('error', () => {});
  socket.on('data', (data) => {
    state.bytes += data.length;
  });
  socket.on('close', () => {
    state.isClosed = true;
  });
  return state;
}

test('should speak TLS to a pinned remote party, and be answered on the same connection', async (t) => {
  const far = await startTransport(t, { identity });
  const seen: unknown[] = [];
  const near = await startTransport(t, {
    trust: {
      ...everybody,
      judge: ({ host, port }, { fingerprint256 }, reason) => {
        seen.push([host, port, fingerprint256, reason]);
        return 'trusted';
      },
    },
  });
  await near.transport.send(INFO, tlsHop(far.transport.portOf('tls')));
  await until(() => far.received.length === 1);
  const { source } = far.received[0]!;
  assert.equal(source.protocol, 'tls');
  assert.match(
    JSON.stringify(seen),
    /^\[\["127\.0\.0\.1",\d+,"([0-9A-F]{2}:){31}..","DEPTH_ZERO_SELF_SIGNED_CERT"\]\]$/,
  );
  await far.transport.send(INFO, { ...source, flow: source.connection });
  await until(() => near.received.length === 1);
});

test('security: should say why a remote party is not trusted, and whether it was once', async (t) => {
  const far = await startTransport(t, { identity });
  const hop = tlsHop(far.transport.portOf('tls'));
  const near = await startTransport(t);
  const unknown = /not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\), SHA-256 [0-9A-F:]{95}/;
  await assert.rejects(near.transport.send(INFO, hop), unknown);
  const pinned = await startTransport(t, { trust: { ...everybody, judge: () => 'changed' } });
  await assert.rejects(pinned.transport.send(INFO, hop), /is not the one that was trusted before, SHA-256/);
  assert.deepEqual(far.received, []);
});

test('should say so when the remote party speaks no TLS', async (t) => {
  // It reads: otherwise it would never notice that the other end is gone.
  const server = createServer((socket) =>
    socket
      .on('error', () => {})
      .resume()
      .end('SIP/2.0 400 Bad Request\r\n\r\n'),
  );
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { transport } = await startTransport(t);
  const sentence = /^TLS could not be agreed on, ERR_SSL_[A-Z_]+$/;
  await assert.rejects(transport.send(INFO, tlsHop(port)), { message: sentence });
});

test('security: should send nothing to a TLS server that is not trusted', async (t) => {
  let bytes = 0;
  const server = createTlsServer(await identity(), (socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      bytes += data.length;
    });
  });
  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  t.after(() => server.close());
  const { transport } = await startTransport(t);
  const { port } = server.address() as { port: number };
  await assert.rejects(transport.send(Buffer.from('secret'), tlsHop(port)), /not trusted/);
  assert.equal(bytes, 0);
});

test('security: should not send a request over a connection that somebody opened to us', async (t) => {
  // A stranger with the address of a switched-off panel could wait on its port without a certificate check.
  const near = await startTransport(t, { identity, trust: everybody });
  const port = await freeSipPort();
  const stranger = await caller(t, near.transport.portOf('tls'), port);
  const heard = follow(stranger);
  stranger.write(INFO);
  await until(() => near.received.length === 1);
  assert.equal(near.received[0]!.source.port, port);
  await assert.rejects(near.transport.send(INFO, tlsHop(port)), { code: 'ECONNREFUSED' });
  assert.equal(heard.bytes, 0);
});

test('security: should not even show a certificate to an address that may not call', async (t) => {
  const { transport, received } = await startTransport(t, { identity, accepts: () => false });
  const socket = connectTls({ host: LOOPBACK, port: transport.portOf('tls'), rejectUnauthorized: false });
  let isSecure = false;
  socket.on('secureConnect', () => {
    isSecure = true;
  });
  const state = follow(socket);
  await until(() => state.isClosed);
  assert.deepEqual([isSecure, received], [false, []]);
});

test('security: should accept nothing unencrypted on the TLS port', async (t) => {
  const { transport, received } = await startTransport(t, { identity });
  const clear = connect(transport.portOf('tls'), LOOPBACK);
  const state = follow(clear);
  clear.write(infoRequest('SIP/2.0/TCP 127.0.0.1;branch=z9hG4bK1'));
  await until(() => state.isClosed);
  assert.deepEqual(received, []);
});

test('should forget connections that are gone: in total there may be more than at one time', async (t) => {
  const { transport, received } = await startTransport(t, { identity });
  for (let count = 1; count <= 110; count++) {
    const socket = await caller(t, transport.portOf('tls'));
    socket.write(INFO);
    await until(() => received.length === count);
    socket.destroy();
    await once(socket, 'close');
  }
});

test('should stop in the middle of a handshake', async (t) => {
  const { transport } = await startTransport(t, { identity });
  const socket = connect(transport.portOf('tls'), LOOPBACK);
  const state = follow(socket);
  await once(socket, 'connect');
  // Once a second connection is answered, the first one has been accepted.
  await caller(t, transport.portOf('tls'));
  const before = performance.now();
  await transport.stop();
  await until(() => state.isClosed);
  assert.ok(performance.now() - before < 2_000);
});

test('should say which port is taken, and that the last port has no next one', async (t) => {
  const port = await freeSipPort();
  const other = createServer().listen(port + 1, LOOPBACK);
  await once(other, 'listening');
  t.after(() => other.close());
  const taken = { code: 'PORT_BUSY', message: new RegExp(` ${port + 1} .*sip\\.port`) };
  await assert.rejects(startTransport(t, { identity, port }), taken);
  const last = startTransport(t, { identity, port: 65_535 });
  await assert.rejects(last, { code: 'INVALID_REQUEST', field: 'sip.port' });
});
