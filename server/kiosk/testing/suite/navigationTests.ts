import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import type { DevTools } from '../devTools.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import { kioskForTests } from './kioskForTests.ts';
import type { LendKiosk } from './openKiosk.ts';

const PAGES = { '/': '<h1>home</h1>', '/pop': '<h1>popup</h1>', '/away': '<h1>away</h1>' };

/** Where the page may go, what it may open and use. */
export function navigationTests(open: LendKiosk): void {
  describe('guards of the kiosk page', () => {
    let kiosk: TestKiosk;
    let devTools: DevTools;
    kioskForTests(
      () => open('/', PAGES),
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

    test('security: an iframe cannot replace the page', async () => {
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
      await timeToGoWrong(300);
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
        await timeToGoWrong(200);
        await kiosk.untilTrue(`location.href === '${kiosk.origin('p1')}/'`);
      });

    test('security: the host itself shows only what the policy allows', async () => {
      for (const url of [
        'file:///etc/passwd',
        'chrome://settings',
        'javascript:1',
        `${kiosk.origin('evil')}/`,
      ])
        await assert.rejects(() => kiosk.host.navigate(url), /The kiosk may not show/);
      assert.equal(await kiosk.evaluate('location.href'), `${kiosk.origin('p1')}/`);
    });

    test('security: a popup is closed before it requests anything, and its opener stays', async () => {
      const opened = [
        `window.open('${kiosk.origin('evil')}/pop')`,
        `window.open('${kiosk.origin('evil')}/pop', '_blank', 'noopener')`,
        `window.open('about:blank')`,
        `window.open('about:blank')`,
        `document.body.insertAdjacentHTML('beforeend', '<a id="out" target="_blank" href="${kiosk.origin('evil')}/pop">x</a>'), out.click()`,
      ];
      for (const script of opened) {
        kiosk.logText = '';
        await devTools.evaluate(`void (${script})`);
        await until(() => /window refused/.test(kiosk.logText), 'the refusal');
        assert.equal(await devTools.evaluate('1 + 1'), 2);
      }
      await kiosk.untilWindows(1);
      assert.deepEqual(kiosk.requests, []);
    });

    test('security: a link for a new window opens in the page itself if it may be shown', async () => {
      await devTools.evaluate(`void window.open('/pop')`);
      await kiosk.untilTrue(`location.pathname === '/pop'`);
      assert.equal((await kiosk.windows()).length, 1);
      assert.equal(kiosk.requests.filter((request) => request.endsWith('/pop')).length, 1);
    });

    test('security: downloads are refused', async () => {
      await devTools.evaluate(`document.body.insertAdjacentHTML('beforeend',
      '<a id="save" download="x.html" href="/pop">x</a>'), save.click()`);
      await until(() => /download refused/.test(kiosk.logText), 'the refusal');
    });

    test('no guard throws into the page, whatever event it dispatches where', async () => {
      const errors = await devTools.evaluate(`(() => {
        const errors = [];
        addEventListener('error', ({ message }) => message && errors.push(message));
        document.body.innerHTML = '<form><input name="getAttribute"><input name="ownerDocument"></form>'
          + '<a href="/pop"><b></b></a><svg><a href="http://["></a></svg>';
        const types = new Set(['keydown', 'keyup', 'focusin', 'focusout', 'navigate']);
        for (const owner of [window, document, document.body, navigation])
          for (const name in owner) if (name.startsWith('on')) types.add(name.slice(2));
        types.delete('error');
        const places = [window, document, navigation, ...document.body.querySelectorAll('*')];
        for (const type of types)
          for (const place of places)
            place.dispatchEvent(new Event(type, { bubbles: true, cancelable: true, composed: true }));
        return [types.size > 100, errors];
      })()`);
      assert.deepEqual(errors, [true, []]);
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
      await devTools.evaluate(
        `heard = [], void (document.body.onkeydown = ({ key, defaultPrevented }) => heard.push([key, defaultPrevented]))`,
      );
      // Real keys: a page may do what it likes with its own. Modifiers: 1 Alt, 2 Ctrl, 8 Shift.
      const keys: readonly (readonly [key: string, modifiers: number])[] = [
        ['F12', 0],
        ['F7', 0],
        ['p', 2],
        ['W', 10],
        ['ArrowLeft', 1],
        ['Escape', 8],
        ['BrowserBack', 0],
        ['c', 10],
        ['a', 3],
        ['a', 0],
        ['Enter', 0],
        ['c', 2],
        ['Escape', 0],
        ['Tab', 8],
      ];
      for (const [key, modifiers] of keys)
        await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, modifiers });
      await kiosk.untilTrue(`heard.length === ${keys.length}`);
      const heard = await devTools.evaluate<[string, boolean][]>('heard');
      const prevented = heard.filter(([, isPrevented]) => isPrevented).map(([key]) => key);
      assert.deepEqual(prevented, ['F12', 'F7', 'p', 'W', 'ArrowLeft', 'Escape', 'BrowserBack', 'c', 'a']);
    });
  });
}
