import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import type { DevTools } from '../../testing/devTools.ts';
import { frameKinds } from '../../testing/suite/frameKinds.ts';
import { kioskForTests } from '../../testing/suite/kioskForTests.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const names = { binding: '_bindingOfTheTest', deliver: '_deliverOfTheTest' };

/** Calls the binding on request if it can see it, and reports to its parent what it saw. */
const FRAME = `<script>
  onmessage = () => {
    const had = typeof window['${names.binding}'];
    if (had === 'function') window['${names.binding}']('{"id":1,"method":"sendUdp","args":["127.0.0.1",666,"00"]}');
    parent.postMessage(had, '*');
  };
</script>`;

const PAGES = {
  '/': '<h1>home</h1>',
  '/frame': FRAME,
  '/away': '<h1>away</h1>',
};

/** One browser for both: a start of it takes more than their tests. */
describe('a page in Chromium', () => {
  let kiosk: TestKiosk;
  let devTools: DevTools;
  kioskForTests(
    () => TestKiosk.open('/', PAGES, { makeNames: () => names }),
    (opened) => {
      ({ kiosk, devTools } = opened);
    },
  );

  describe('guards of the kiosk page in Chromium', () => {
    test('security: dialogs, print and file choosers neither block nor open', async () => {
      assert.deepEqual(
        await devTools.evaluate(`[typeof alert('x'), confirm('x'), prompt('x'), typeof print()]`),
        ['undefined', false, null, 'undefined'],
      );
      const cancelled = await devTools.evaluate(`new Promise((done) => {
      const input = Object.assign(document.createElement('input'), { type: 'file', oncancel: () => done('cancelled') });
      document.body.append(input);
      input.click();
    })`);
      assert.equal(cancelled, 'cancelled');
    });

    test('security: the key guard survives a document that opens itself again', async () => {
      await devTools.evaluate(`(async () => {
      EventTarget.prototype.addEventListener = () => {};
      document.open(), document.write('<body>new'), document.close();
      await new Promise((resolve) => setTimeout(resolve));
      heard = [];
      document.body.onkeydown = ({ key, defaultPrevented }) => heard.push(key + defaultPrevented);
    })()`);
      for (const key of ['F12', 'x'])
        await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key });
      await kiosk.untilTrue('heard.length === 2');
      assert.deepEqual(await devTools.evaluate('heard'), ['F12true', 'xfalse']);
    });

    test('should leave alone events that the page makes itself', async () => {
      const cancelled = await devTools.evaluate(`[
      new KeyboardEvent('keydown', { key: 'F2', cancelable: true }),
      new KeyboardEvent('keydown', { key: 's', ctrlKey: true, cancelable: true }),
      new WheelEvent('wheel', { ctrlKey: true, cancelable: true }),
      new MouseEvent('contextmenu', { cancelable: true }),
    ].filter((event) => !window.dispatchEvent(event)).map(({ type }) => type)`);
      assert.deepEqual(cancelled, []);
    });

    test('security: the key guard is in frames of other processes too, before a real key arrives', async () => {
      kiosk.pages.set(
        '/keys',
        `<input onfocus="parent.postMessage('focused', '*')"><script>
        onmessage = () => document.querySelector('input').focus();
        onkeydown = (event) => parent.postMessage(event.key + event.defaultPrevented, '*')</script>`,
      );
      await devTools.addFrame({ src: `${kiosk.origin('evil')}/keys` });
      await devTools.evaluate(`heard = [], onmessage = ({ data }) => heard.push(data)`);
      await until(async () => {
        await devTools.evaluate(
          `document.querySelector('iframe').focus(), frames[0].postMessage('focus', '*')`,
        );
        return devTools.evaluate<boolean>(`heard.includes('focused')`);
      }, 'the focus in the frame');
      for (const [key, modifiers] of [
        ['F3', 0],
        ['f', 2],
        ['x', 0],
      ] as const) {
        await devTools.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', key, modifiers });
        await kiosk.untilTrue(`heard.includes('${key}true') || heard.includes('${key}false')`);
      }
      assert.deepEqual(await devTools.evaluate(`heard.filter((text) => text !== 'focused')`), [
        'F3true',
        'ftrue',
        'xfalse',
      ]);
    });
  });

  // Last: the binding that these tests leak stays in the browser.
  describe('security of the bridge in Chromium', () => {
    /** Gives the binding back to every frame of this renderer, as a fault in our page script could. */
    const leakBinding = () => devTools.send('Runtime.addBinding', { name: names.binding });

    for (const [what, attributes] of Object.entries(frameKinds)) {
      test(`security: a leaked binding in a ${what} is refused by the host`, async () => {
        await devTools.addFrame(attributes(kiosk, FRAME));
        await leakBinding();
        const called = await devTools.evaluate(`new Promise((answer) => {
        addEventListener('message', ({ data }) => answer(data), { once: true });
        frames[0].postMessage('call', '*');
      })`);
        // Frames in another renderer have no binding to leak; then there is nothing to refuse.
        if (called === 'function')
          await until(() => /bridge: call refused/.test(kiosk.logText), 'the refusal');
        else await timeToGoWrong(100);
        assert.deepEqual(kiosk.dispatched, []);
        if (what === 'same-origin iframe') assert.equal(called, 'function');
      });
    }

    test('security: the binding is not within reach of the page that holds the bridge', async () => {
      assert.equal(await devTools.evaluate(`typeof window['${names.binding}']`), 'undefined');
    });

    test('security: an isolated world of the page is refused by the host', async () => {
      const { frameTree } = await devTools.send<{ frameTree: { frame: { id: string } } }>(
        'Page.getFrameTree',
      );
      const { executionContextId } = await devTools.send<{ executionContextId: number }>(
        'Page.createIsolatedWorld',
        {
          frameId: frameTree.frame.id,
        },
      );
      await leakBinding();
      const { result } = await devTools.send<{ result: { value: string } }>('Runtime.evaluate', {
        contextId: executionContextId,
        expression: `window['${names.binding}']('{"id":1,"method":"sendUdp","args":["127.0.0.1",666,"00"]}'); 'called'`,
      });
      assert.equal(result.value, 'called');
      await until(() => /bridge: call refused/.test(kiosk.logText), 'the refusal');
      assert.deepEqual(kiosk.dispatched, []);
    });

    test('security: a leaked binding in a page that went to a foreign origin is refused by the host', async () => {
      kiosk.mayNavigate = () => true;
      await devTools.evaluate(`location.href = '${kiosk.origin('evil')}/away'`);
      await kiosk.untilTrue(`location.host.startsWith('evil') && document.readyState === 'complete'`);
      assert.equal(await kiosk.evaluate(`typeof window['${names.binding}']`), 'undefined');
      await leakBinding();
      await devTools.evaluate(
        `window['${names.binding}']('{"id":1,"method":"sendUdp","args":["127.0.0.1",666,"00"]}')`,
      );
      await until(() => /bridge: call refused/.test(kiosk.logText), 'the refusal');
      assert.deepEqual(kiosk.dispatched, []);
    });

    test('security: a lie of the page about its answers fools only itself', async () => {
      await devTools.evaluate(`window['${names.deliver}']('{"id":99,"result":"lie"}')`);
      await devTools.evaluate(`window['${names.deliver}']('{"event":"__proto__","payload":1}')`);
      assert.equal(
        await devTools.evaluate(`container.sendUdp('127.0.0.1', 9, '00').then((a) => a.status)`),
        'ok',
      );
    });
  });
});
