import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled } from '../server/testing/fakeClock.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import type { FakePage } from './testing/fakePage.ts';
import { TestElectronHost } from './testing/testElectronHost.ts';

// Over the double of testing/electronDouble.ts: these tests never ran in Electron itself.

const metadata = { deviceWidth: 1280, deviceHeight: 800 };
const show = ({ tools }: FakePage, data: string): void =>
  tools.listeners.emit('message', eventOf(), 'Page.screencastFrame', { data, metadata, sessionId: 1 }, '');
/** What was sent to a page, after the first commands. */
const methods = ({ tools }: FakePage, first = 0): string[] =>
  tools.sent.slice(first).map(({ method }) => method);

describe('the live screen in Electron (over a double of Electron)', () => {
  test('should pass on pictures and touches by the debugger of the page, and mark it', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    await settled();
    const first = page.tools.sent.length;
    const pictures: [string, number, number][] = [];
    const watch = kiosk.host.watch({
      onPicture: (jpeg, { width, height }) => pictures.push([Buffer.from(jpeg).toString(), width, height]),
    });
    await settled();
    await settled();
    assert.equal(page.tools.attached, 1);
    assert.equal(methods(page)[0], 'Page.enable');
    assert.equal(methods(page, first)[0], 'Page.addScriptToEvaluateOnNewDocument');
    assert.ok(methods(page).includes('Page.startScreencast'));
    show(page, Buffer.from('one').toString('base64'));
    assert.deepEqual(pictures, [['one', 1280, 800]]);
    watch.input({ type: 'tap', x: 7, y: 8 });
    await settled();
    assert.deepEqual(
      page.tools.sent.filter(({ method }) => method.startsWith('Input.')).map(({ params }) => params),
      [
        { type: 'touchStart', touchPoints: [{ x: 7, y: 8, id: 0 }] },
        { type: 'touchEnd', touchPoints: [] },
      ],
    );
    watch.stop();
    await settled();
    assert.ok(methods(page).includes('Page.stopScreencast'));
    show(page, Buffer.from('two').toString('base64'));
    assert.equal(pictures.length, 1);
  });

  test('should show the dark window of a sleeping panel, and wake it by a touch that the page does not get', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    await settled();
    const first = page.tools.sent.length;
    let wakes = 0;
    await kiosk.host.sleep(() => {
      wakes++;
    });
    const watch = kiosk.host.watch({ onPicture: () => {} });
    await settled();
    assert.ok(methods(kiosk.dark!.page).includes('Page.startScreencast'));
    watch.input({ type: 'tap', x: 7, y: 8 });
    watch.input({ type: 'tap', x: 7, y: 8 });
    assert.equal(wakes, 1);
    assert.deepEqual(methods(page, first), []);
    watch.stop();
  });

  test('should evaluate in the page', async () => {
    await using kiosk = await TestElectronHost.started();
    const { tools } = kiosk.view.page;
    tools.answers.set('Runtime.evaluate', { result: { value: { json: '[1]' } } });
    assert.equal(await kiosk.host.evaluate('[1]'), '[1]');
  });
});
