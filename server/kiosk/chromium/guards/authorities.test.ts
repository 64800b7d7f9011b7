import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { AuthorityFiles } from '../../../parts/certificates/authorities.ts';
import { CertificatesService } from '../../../parts/certificates/service.ts';
import { TlsProbe } from '../../../parts/certificates/tlsProbe.ts';
import { silentLogger } from '../../../platform/log.ts';
import { HouseAuthority } from '../../../testing/houseAuthority.ts';
import { selfSigned } from '../../../testing/selfSigned.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** An HTTPS and WebSocket server. */
async function device({
  key,
  cert,
}: {
  key: string;
  cert: string;
}): Promise<{ server: Server; port: number }> {
  const server = createServer({ key, cert }, (_request, response) => {
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', 'text/html');
    response.end(`<title>device</title><script>parent.postMessage('framed', '*')</script>`);
  });
  server.on('upgrade', ({ headers }, socket) => {
    const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${WEBSOCKET_GUID}`);
    socket.on('error', () => {}).on('data', () => socket.destroy());
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port };
}

describe('the authorities of the house', () => {
  const folder = temporaryFolder('authorities');
  const house = new HouseAuthority();
  const stranger = new HouseAuthority();
  const servers: Server[] = [];
  let paths: string[] = [];
  const authorities = new AuthorityFiles(() => paths, silentLogger());
  const service = new CertificatesService({
    probe: new TlsProbe(),
    dataDir: folder,
    authorities: () => authorities.now(),
    log: silentLogger(),
  });
  let kiosk: TestKiosk;
  const open = async (identity: { key: string; cert: string }) => {
    const { server, port } = await device(identity);
    servers.push(server);
    return port;
  };
  before(async () => {
    await service.start();
    kiosk = await TestKiosk.open('/', { '/': '<h1>home</h1>' }, { certificates: service });
    kiosk.mayNavigate = () => true;
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    await service.stop();
  });

  const fetched = (port: number, host = 'p1.localhost') =>
    kiosk.evaluate(`fetch('https://${host}:${port}/').then(() => 'came', () => 'refused')`);

  test('should be trusted for the page, its frames, fetch and WebSockets, and a pin stays what it is', async () => {
    const port = await open(house.issue('DNS:p1.localhost'));
    assert.equal(await fetched(port), 'refused');
    paths = [house.file];
    service.authoritiesChanged();
    assert.equal(await fetched(port), 'came');
    assert.equal(
      await kiosk.evaluate(
        `new Promise((done) => { const socket = new WebSocket('wss://p1.localhost:${port}/'); socket.onopen = () => done('open'); socket.onerror = () => done('refused') })`,
      ),
      'open',
    );
    assert.equal(
      await kiosk.evaluate(
        `new Promise((done) => { onmessage = ({ data }) => done(data); document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://p1.localhost:${port}/' })) })`,
      ),
      'framed',
    );
    await kiosk.host.navigate(`https://p1.localhost:${port}/`);
    await kiosk.untilTrue(`document.title === 'device' && isSecureContext`);
    assert.deepEqual(service.list().certificates, []);
    await until(() => kiosk.host.pageState().state === 'shown', 'the page to be shown');
    await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
    await kiosk.untilTrue(`document.querySelector('h1')?.innerText === 'home'`);
  });

  test('security: should not vouch for another name, an expired certificate, or what it did not sign', async () => {
    paths = [house.file];
    for (const identity of [
      house.issue('DNS:other.localhost'),
      house.issue('DNS:p1.localhost', -1),
      stranger.issue('DNS:p1.localhost'),
      selfSigned('DNS:p1.localhost'),
    ])
      assert.equal(await fetched(await open(identity)), 'refused');
  });

  test('security: should not overrule a pin for another certificate', async () => {
    paths = [];
    const pinned = selfSigned('DNS:p1.localhost');
    const port = await open(pinned);
    assert.equal(await fetched(port), 'refused');
    await service.trust({ host: 'p1.localhost', port, fingerprint: pinned.fingerprint });
    assert.equal(await fetched(port), 'came');
    const server = servers.at(-1)!;
    server.setSecureContext(house.issue('DNS:p1.localhost'));
    server.closeAllConnections();
    paths = [house.file];
    assert.equal(await fetched(port), 'refused');
    const entry = service.list().certificates.find((found) => found.port === port);
    assert.equal(entry?.state, 'changed');
  });

  test('should read a file again when it changes, and leave out what is no certificate', () => {
    const file = join(folder, 'more.pem');
    paths = [file, join(folder, 'missing.pem')];
    assert.deepEqual(authorities.now(), []);
    writeFileSync(file, 'no certificate');
    assert.deepEqual(authorities.now(), []);
    const { cert } = house.issue('DNS:x');
    writeFileSync(file, `words before\n${cert}`);
    assert.equal(authorities.now().length, 1);
    appendFileSync(file, cert);
    assert.equal(new X509Certificate(authorities.now()[1]!).issuer, 'CN=house');
  });
});
