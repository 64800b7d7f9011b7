import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { selfSigned } from '../../../testing/selfSigned.ts';
import { noExtras } from '../../pageExtras.ts';
import type { DevTools } from '../devTools.ts';
import { type TestKiosk, trustsNobody, until } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES = {
  '/': '<title>open</title>',
  '/private': '<title>private</title>',
  '/other': '<title>other</title>',
  '/hub': '<title>hub</title>',
  '/door': 'open',
  '/worker.js': `fetch('/door', { method: 'POST' }).then(({ status }) => postMessage(status))`,
};
/** What a worker gets that asks the server of its page. */
const WORKER = `new Promise((done) => { new Worker('/worker.js').onmessage = ({ data }) => done(data) })`;
const LOGIN = 'anna:se:cret"x';
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
      for (const path of ['/private', '/hub', '/door', '/worker.js']) kiosk.logins.set(path, LOGIN);
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

    test('security: should get the login of the settings from chosen pages and their own, and never from one site to another', async () => {
      const [home, hub, evil] = ['p1', 'hub', 'evil'].map((name) => kiosk.origin(name)) as [
        string,
        string,
        string,
      ];
      kiosk.mayNavigate = () => true;
      kiosk.redirects.set('/away', `${hub}/door`);
      logins = [{ origin: hub, username: 'anna', password: LOGIN.slice(5) }];
      kiosk.browserMayChange();
      const show = async (url: string, title: string) => {
        await kiosk.host.navigate(url);
        await kiosk.untilTrue(`document.title === '${title}' && document.readyState === 'complete'`);
        return kiosk.devTools();
      };
      /** Whether the last request to a path of the hub carried the login, after all that `act` caused. */
      const carried = async (path: string, act: () => Promise<unknown>) => {
        kiosk.authorizations.clear();
        await act();
        const request = `hub.localhost${path}`;
        await until(() => kiosk.authorizations.has(request), request);
        return kiosk.authorizations.get(request) === `Basic ${btoa(LOGIN)}`;
      };
      const post = (page: DevTools) =>
        carried('/door', () =>
          page.evaluate(
            `fetch('${hub}/door', { method: 'POST', mode: 'no-cors', credentials: 'include', body: 'x' }).then(() => {})`,
          ),
        );
      const picture = (page: DevTools) =>
        carried('/door', () =>
          page.evaluate(
            `new Promise((done) => { const picture = new Image(); picture.onerror = () => done(); picture.src = '${hub}/door' })`,
          ),
        );
      const socket = (page: DevTools) =>
        carried('/door', () =>
          page.evaluate(
            `new Promise((done) => { new WebSocket('${hub.replace('http', 'ws')}/door').onerror = () => done() })`,
          ),
        );
      const frame = (page: DevTools, src: string, path: string) =>
        carried(path, () => page.addFrame({ src }));
      const form = (page: DevTools) =>
        carried('/door', () =>
          page.evaluate(`new Promise((done) => {
            const frame = document.createElement('iframe');
            frame.name = 'frame' + Math.random();
            document.body.append(frame);
            frame.onload = () => done();
            const form = document.createElement('form');
            Object.assign(form, { method: 'post', action: '${hub}/door', target: frame.name });
            document.body.append(form);
            form.submit();
          })`),
        );

      let page = await show(`${home}/`, 'open');
      assert.equal(await frame(page, `${hub}/hub`, '/hub'), true);
      const below = await kiosk.frameTools();
      assert.equal(await post(below), true);
      assert.equal(await below.evaluate(WORKER), 200);
      below.close();
      assert.equal(await post(page), false);
      assert.equal(await picture(page), false);
      assert.equal(await socket(page), false);
      assert.equal(await form(page), false);
      assert.equal(await frame(page, `${evil}/away`, '/door'), false);
      page.close();

      page = await show(`${evil}/other`, 'other');
      assert.equal(await post(page), false);
      assert.equal(await picture(page), false);
      assert.equal(await socket(page), false);
      assert.equal(await form(page), false);
      assert.equal(await frame(page, `${hub}/hub`, '/hub'), false);
      page.close();

      // As the page of the screen saver.
      const ready = Promise.withResolvers<void>();
      kiosk.bridgeOrigins.push(kiosk.origin('glass'));
      const glass = await kiosk.host.openLayer({
        name: 'glass',
        url: `${kiosk.origin('glass')}/other`,
        sink: { onMessage: () => {}, onPageGone: () => {} },
        mayFrame: ({ origin }) => origin === hub,
        onReady: () => ready.resolve(),
      });
      glass.hurry?.();
      await ready.promise;
      page = await kiosk.ownTools('glass');
      assert.equal(await frame(page, `${hub}/hub`, '/hub'), true);
      page.close();
      await glass.close();
      kiosk.bridgeOrigins.pop();

      // Whoever shows it: the page is the login's own.
      page = await show(`${hub}/hub`, 'hub');
      assert.equal(await post(page), true);
      assert.equal(await page.evaluate(WORKER), 200);
      assert.equal(await socket(page), true);
      await page.addFrame({ src: `${evil}/other` });
      const foreign = await kiosk.frameTools();
      assert.equal(await post(foreign), false);
      assert.equal(await picture(foreign), false);
      assert.equal(await socket(foreign), false);
      assert.equal(await frame(foreign, `${hub}/hub`, '/hub'), false);
      foreign.close();
      page.close();

      // The browser may remember a login that the server took.
      page = await show(`${evil}/other`, 'other');
      assert.equal(await post(page), false);
      assert.equal(await frame(page, `${hub}/hub`, '/hub'), false);
      page.close();
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
