import assert from 'node:assert/strict';
import { createHash, X509Certificate } from 'node:crypto';
import { createServer, type Server } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { CertificatesService } from '../../../parts/certificates/service.ts';
import { TlsProbe } from '../../../parts/certificates/tlsProbe.ts';
import { silentLogger } from '../../../platform/log.ts';
import { type SelfSigned, selfSigned } from '../../../testing/selfSigned.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const WAITS = `document.title === 'Waiting'`;
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** An HTTPS and WebSocket server that records the requests. */
class Device {
  readonly requests: string[] = [];
  port = 0;
  #server: Server | undefined;

  async start({ key, cert }: SelfSigned): Promise<void> {
    this.#server = createServer({ key, cert }, (request, response) => {
      this.requests.push(`${request.url}`);
      response.setHeader('access-control-allow-origin', '*');
      response.setHeader('cache-control', 'no-store');
      response.setHeader('content-type', 'text/html');
      response.end(`<h1>device</h1><script>parent.postMessage('framed', '*')</script>`);
    });
    this.#server.on('upgrade', ({ headers, url }, socket) => {
      this.requests.push(`${url}`);
      const accept = createHash('sha1').update(`${headers['sec-websocket-key']}${WEBSOCKET_GUID}`);
      socket.on('error', () => {});
      // Anything that comes is the goodbye.
      socket.on('data', () => socket.destroy());
      socket.on('end', () => socket.destroy());
      socket.write(
        `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept.digest('base64')}\r\n\r\n`,
      );
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
  }
}

describe('a server with a certificate that the browser does not trust', () => {
  const dataDir = temporaryFolder('certificates');
  const honest = new TlsProbe();
  /** The certificate that a mere question for it seems to get. */
  let seeming: X509Certificate | undefined;
  const probe = { ask: async (host: string, port: number) => seeming ?? honest.ask(host, port) };
  const service = new CertificatesService({ probe, dataDir, log: silentLogger() });
  const [page, device] = [new Device(), new Device()];
  const [pageCertificate, deviceCertificate] = [selfSigned('DNS:p1.localhost'), selfSigned('DNS:other')];
  let kiosk: TestKiosk;
  before(async () => {
    await service.start();
    await Promise.all([page.start(pageCertificate), device.start(deviceCertificate)]);
    kiosk = await TestKiosk.open('/', { '/': '<h1>home</h1>' }, { certificates: service });
    kiosk.mayNavigate = () => true;
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await Promise.all([page.stop(), device.stop(), service.stop()]);
  });

  const stateOf = (port: number) =>
    service.list().certificates.find((entry) => entry.port === port)?.state ?? 'unknown';
  const screen = () => kiosk.evaluateAnywhere<string>('document.body.innerText').catch(() => '');
  const untilWaiting = async (words: RegExp) => {
    await until(async () => kiosk.evaluateAnywhere<boolean>(WAITS).catch(() => false), 'the waiting page');
    await until(async () => words.test(await screen()), `the words ${words}`);
  };
  const isHome = `location.protocol === 'https:' && document.querySelector('h1')?.innerText === 'device'`;

  test('security: should not be shown, and the screen says why and how to trust it', async () => {
    await kiosk.host.navigate(`https://p1.localhost:${page.port}/`);
    await untilWaiting(/The certificate of p1\.localhost is not trusted \(ERR_CERT_AUTHORITY_INVALID\)/);
    assert.ok((await screen()).includes(pageCertificate.fingerprint));
    assert.equal(stateOf(page.port), 'refused');
    assert.deepEqual(page.requests, []);
  });

  test('should be shown as soon as it is trusted', async () => {
    const { fingerprint } = pageCertificate;
    await service.trust({ host: 'p1.localhost', port: page.port, fingerprint });
    await kiosk.untilTrue(isHome);
    assert.ok(page.requests.length > 0);
    assert.deepEqual(kiosk.host.recoveries(), { 'page-unreachable': 1 });
  });

  test('security: should be refused to fetch, WebSocket and frames of the page until it is trusted', async () => {
    const fetched = `fetch('https://127.0.0.1:${device.port}/fetch').then(() => 'came', () => 'refused')`;
    const socket = `new Promise((resolve) => {
      const socket = new WebSocket('wss://127.0.0.1:${device.port}/socket');
      socket.onopen = () => { socket.close(); resolve('came'); };
      socket.onerror = () => resolve('refused');
    })`;
    // A refused frame stays empty and loads nothing to wait for.
    const framed = (limitMs: number) => `new Promise((resolve) => {
      const frame = document.createElement('iframe');
      addEventListener('message', ({ data }) => data === 'framed' && resolve('came'), { once: true });
      setTimeout(() => resolve('refused'), ${limitMs});
      frame.src = 'https://127.0.0.1:${device.port}/frame';
      document.body.append(frame);
    })`;
    for (const way of [fetched, socket, framed(1_000)])
      assert.equal(await kiosk.evaluate(way), 'refused', way);
    assert.deepEqual(device.requests, []);
    assert.equal(stateOf(device.port), 'refused');
    const { fingerprint } = deviceCertificate;
    await service.trust({ host: '127.0.0.1', port: device.port, fingerprint });
    for (const way of [fetched, socket, framed(9_000)]) assert.equal(await kiosk.evaluate(way), 'came', way);
    assert.deepEqual([...new Set(device.requests)], ['/fetch', '/socket', '/frame']);
  });

  test('security: should be refused again when it shows a certificate other than the trusted one', async () => {
    await page.stop();
    page.requests.length = 0;
    await page.start(selfSigned('DNS:p1.localhost'));
    await kiosk.host.reload();
    await untilWaiting(/It is not the one that was trusted before/);
    assert.equal(stateOf(page.port), 'changed');
    assert.deepEqual(page.requests, []);
    await page.stop();
    await page.start(pageCertificate);
    await kiosk.untilTrue(isHome, 40_000);
    assert.equal(stateOf(page.port), 'trusted');
  });

  test('security: should be detected when it shows the browser another certificate than us', async () => {
    const stranger = selfSigned('DNS:p1.localhost');
    seeming = new X509Certificate(pageCertificate.cert);
    await page.stop();
    await page.start(stranger);
    await kiosk.host.reload();
    await untilWaiting(/Waiting for https/);
    const entry = service.list().certificates.find(({ port }) => port === page.port);
    assert.equal(entry?.state, 'changed');
    assert.equal(entry?.refused?.fingerprint, stranger.fingerprint);
    seeming = undefined;
    await page.stop();
    await page.start(pageCertificate);
    await kiosk.untilTrue(isHome, 40_000);
  });
});
