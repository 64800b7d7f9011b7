import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { selfSigned } from '../../../testing/selfSigned.ts';
import { noExtras } from '../../pageExtras.ts';
import { type TestKiosk, trustsNobody } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES = { '/': '<title>open</title>', '/private': '<title>private</title>' };
const STATUS = `fetch(location.origin + '/private').then(({ status }) => status)`;

/** Servers that ask who comes: logins, certificates of the client, and certificates that the browser does not trust. */
export function loginTests(open: OpenKiosk): void {
  describe('servers that ask who comes', () => {
    let kiosk: TestKiosk;
    let logins: { origin: string; username: string; password: string }[] = [];
    const trusted: string[] = [];
    before(async () => {
      kiosk = await open('/', PAGES, {
        pageExtras: { ...noExtras, logins: () => logins },
        certificates: {
          ...trustsNobody,
          mayTrust: async ({ host }) => trusted.includes(host),
          judgeShown: ({ host }) => (trusted.includes(host) ? 'trusted' : 'refused'),
        },
      });
      kiosk.logins.set('/private', 'anna:se:cret"x');
      await kiosk.untilTrue(`document.title === 'open'`);
    });
    after(() => kiosk?.[Symbol.asyncDispose]());

    /** The settings have changed. */
    const follow = async (password?: string) => {
      const origin = kiosk.origin('p1');
      logins = password === undefined ? [] : [{ origin, username: 'anna', password }];
      kiosk.browserMayChange();
      await kiosk.host.navigate(`${origin}/`);
      await kiosk.untilTrue(`document.title === 'open' && document.readyState === 'complete'`);
    };

    test('should get the login of the settings, as it is now, and without one the page gets their 401', async () => {
      assert.equal(await kiosk.evaluate(STATUS), 401);
      await follow('se:cret"x');
      assert.equal(await kiosk.evaluate(STATUS), 200);
      await kiosk.host.navigate(`${kiosk.origin('p1')}/private`);
      await kiosk.untilTrue(`document.title === 'private'`);
      await follow('wrong');
      kiosk.requests.length = 0;
      assert.equal(await kiosk.evaluate(STATUS), 401);
      // A wrong login is tried once.
      // The icon of the page may be asked for at any time.
      const asked = kiosk.requests.filter((request) => request.endsWith('/private'));
      assert.ok(asked.length <= 2, String(asked));
      await follow();
      assert.equal(await kiosk.evaluate(STATUS), 401);
      assert.doesNotMatch(kiosk.logText, /cret|wrong/);
      assert.deepEqual(kiosk.host.recoveries(), {});
    });

    test('security: should get no certificate of the client, and be shown where their own is trusted', async () => {
      const shown: number[] = [];
      const { key, cert } = selfSigned('DNS:p1.localhost');
      const asks = { key, cert, requestCert: true, rejectUnauthorized: false };
      const server = createServer(asks, ({ socket }, response) => {
        shown.push(Object.keys((socket as TLSSocket).getPeerCertificate()).length);
        response.writeHead(200, { 'content-type': 'text/html' }).end('<title>mutual</title>');
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      try {
        trusted.push('p1.localhost');
        kiosk.mayNavigate = () => true;
        await kiosk.host.navigate(`https://p1.localhost:${(server.address() as AddressInfo).port}/`);
        await kiosk.untilTrue(`document.title === 'mutual'`);
        assert.ok(shown.length > 0 && shown.every((fields) => fields === 0));
      } finally {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    });
  });
}
