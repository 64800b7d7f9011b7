import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DevTools } from '../../testing/devTools.ts';
import { kioskForTests } from '../../testing/suite/kioskForTests.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const PAGES = { '/': '<h1>home</h1>' };

describe('guards of the kiosk page in Chromium', () => {
  let kiosk: TestKiosk;
  let devTools: DevTools;
  kioskForTests(
    () => TestKiosk.open('/', PAGES),
    (opened) => {
      ({ kiosk, devTools } = opened);
    },
  );

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
