import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from '../chromium/devTools.ts';
import { type TestKiosk, until } from '../chromium/testKiosk.ts';
import { kioskForTests } from './kioskForTests.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES = { '/': '<h1>home</h1>', '/pop': '<h1>popup</h1>', '/away': '<h1>away</h1>' };

/** Where the page may go, what it may open and use. */
export function navigationTests(open: OpenKiosk): void {
  describe('guards of the kiosk page', () => {
    let kiosk: TestKiosk;
    let devTools: DevTools;
    kioskForTests(
      () => open('/', PAGES, { fakeMedia: true }),
      (opened) => {
        ({ kiosk, devTools } = opened);
      },
    );

    test('security: the page cannot leave its origin, by link or by redirect', async () => {
      await devTools.evaluate(`location.href = '${kiosk.origin('evil')}/away'`);
      await until(() => /navigation refused/.test(kiosk.logText), 'the refusal');
      assert.equal(await kiosk.evaluate('location.pathname'), '/');
      kiosk.logText = '';
      kiosk.redirects.set('/leave', `${kiosk.origin('evil')}/away`);
      await devTools.evaluate(`location.href = '/leave'`);
      await until(() => /navigation refused/.test(kiosk.logText), 'the refusal');
      assert.equal(await kiosk.evaluate('location.host.split(":")[0]'), 'p1.localhost');
      assert.deepEqual(
        kiosk.requests.filter((request) => request.endsWith('/away')),
        [],
      );
    });

    test('security: an iframe cannot take the page away', async () => {
      kiosk.pages.set('/thief', `<script>top.location = '${kiosk.origin('evil')}/away'</script>`);
      for (const attributes of [
        { src: `${kiosk.origin('evil')}/thief` },
        { src: '/thief' },
        { src: `${kiosk.origin('evil')}/thief`, sandbox: 'allow-scripts allow-top-navigation' },
      ])
        void devTools.addFrame(attributes).catch(() => {});
      await until(
        () => kiosk.requests.filter((request) => request.endsWith('/thief')).length === 3,
        'the thieves',
      );
      await sleep(300);
      assert.equal(await kiosk.evaluate('location.href'), `${kiosk.origin('p1')}/`);
      assert.equal(kiosk.requests.includes('evil.localhost/away'), false);
    });

    for (const url of [
      'file:///etc/passwd',
      'chrome://settings',
      'chrome-untrusted://x',
      'data:text/html,x',
      'view-source:http://x.localhost',
      'about:blank',
      'javascript:1',
    ])
      test(`security: the page cannot stay at ${url}`, async () => {
        await devTools.evaluate(`location.href = '${url}'`).catch(() => {});
        await sleep(200);
        await kiosk.untilTrue(`location.href === '${kiosk.origin('p1')}/'`);
      });

    test('security: the host itself shows nothing but what the policy allows', async () => {
      for (const url of [
        'file:///etc/passwd',
        'chrome://settings',
        'javascript:1',
        `${kiosk.origin('evil')}/`,
      ])
        await assert.rejects(() => kiosk.host.navigate(url), /The kiosk may not show/);
      assert.equal(await kiosk.evaluate('location.href'), `${kiosk.origin('p1')}/`);
    });

    test('security: a popup is closed before it asks for anything, and its opener lives on', async () => {
      const opened = [
        `window.open('${kiosk.origin('evil')}/pop')`,
        `window.open('/pop', '_blank', 'noopener')`,
        `window.open('about:blank')`,
        `window.open('about:blank')`,
        `document.body.insertAdjacentHTML('beforeend', '<a id="out" target="_blank" href="/pop">x</a>'), out.click()`,
      ];
      for (const script of opened) {
        kiosk.logText = '';
        await devTools.evaluate(`void (${script})`);
        await until(() => /window refused/.test(kiosk.logText), 'the refusal');
        assert.equal(await devTools.evaluate('1 + 1'), 2);
      }
      await until(async () => (await kiosk.windows()).length === 1, 'all other windows to close');
      assert.deepEqual(kiosk.requests, []);
    });

    test('security: downloads are refused', async () => {
      await devTools.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<a id="save" download="x.html" href="/pop">x</a>'), save.click()`);
      await until(() => /download refused/.test(kiosk.logText), 'the refusal');
    });

    test('security: camera and microphone are for bridge origins only', async () => {
      const ask = `navigator.mediaDevices.getUserMedia({ audio: true, video: true })
      .then((stream) => stream.getTracks().length, (error) => error.name)`;
      assert.equal(await devTools.evaluate(ask), 2);
      assert.equal(
        await devTools.evaluate(`navigator.permissions.query({ name: 'geolocation' }).then((p) => p.state)`),
        'denied',
      );
      kiosk.mayNavigate = () => true;
      await devTools.evaluate(`location.href = '${kiosk.origin('evil')}/away'`);
      await kiosk.untilTrue(`location.host.startsWith('evil') && document.readyState === 'complete'`);
      assert.equal(await kiosk.evaluate(ask), 'NotAllowedError');
    });

    test('security: the shortcuts of the browser have no effect, editing keys do', async () => {
      const prevented = await devTools.evaluate<string[]>(`[
      { key: 'F12' }, { key: 'F7' }, { key: 'p', ctrlKey: true }, { key: 'W', ctrlKey: true, shiftKey: true },
      { key: 'ArrowLeft', altKey: true }, { key: 'Escape', shiftKey: true }, { key: 'BrowserBack' },
      { key: 'c', ctrlKey: true, shiftKey: true }, { key: 'a', ctrlKey: true, altKey: true },
      { key: 'a' }, { key: 'Enter' }, { key: 'c', ctrlKey: true }, { key: 'Escape' }, { key: 'Tab', shiftKey: true },
    ].filter((init) => !document.body.dispatchEvent(
      new KeyboardEvent('keydown', { ...init, bubbles: true, cancelable: true }))).map(({ key }) => key)`);
      assert.deepEqual(prevented, ['F12', 'F7', 'p', 'W', 'ArrowLeft', 'Escape', 'BrowserBack', 'c', 'a']);
    });
  });
}
