import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { noExtras } from '../pageExtras.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

test('should open WebSockets of a page that has logged in', async (t) => {
  const wanted = `Basic ${btoa('anna:secret')}`;
  const challenge = { 'www-authenticate': 'Basic realm="hub"' };
  const server = createServer(({ headers }, response) => {
    if (headers.authorization !== wanted) response.writeHead(401, challenge).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end('<title>hub</title>');
  });
  server.on('upgrade', ({ headers }, socket) => {
    socket.on('error', () => {}).on('data', () => socket.destroy());
    if (headers.authorization !== wanted) {
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm="hub"\r\nContent-Length: 0\r\n\r\n',
      );
      return;
    }
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${WEBSOCKET_GUID}`);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const origin = `http://hub.localhost:${port}`;
  const logins = [{ origin, username: 'anna', password: 'secret' }];
  await using kiosk = await TestKiosk.open(
    '/',
    { '/': 'x' },
    { pageExtras: { ...noExtras, logins: () => logins } },
  );
  kiosk.mayNavigate = () => true;
  await kiosk.host.navigate(`${origin}/`);
  await kiosk.untilTrue(`document.title === 'hub'`);
  const open = `new Promise((done) => { const socket = new WebSocket('ws://hub.localhost:${port}/'); socket.onopen = () => done('open'); socket.onerror = () => done('refused') })`;
  assert.equal(await kiosk.evaluate(open), 'open');
});
