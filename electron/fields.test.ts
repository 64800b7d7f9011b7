import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { settled } from '../server/testing/fakeClock.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import type { FakePage } from './testing/fakePage.ts';
import { HOME, TestElectronHost } from './testing/testElectronHost.ts';

const FIELD = { type: 'text', inputMode: '', enterKeyHint: '' };

/** An event of Chromium's protocol. @param frame session of the frame that it comes from */
const emit = ({ tools }: FakePage, method: string, params: object = {}, frame = ''): void =>
  tools.listeners.emit('message', eventOf(), method, params, frame);

/** What the script in the page, or in a frame of it, reports. */
const report = (page: FakePage, what: object, frame = ''): void => {
  const binding = page.tools.sent.find(
    (sent) => sent.method === 'Runtime.addBinding' && (sent.frame ?? '') === frame,
  );
  const { name } = binding!.params as { name: string };
  const params = { name, payload: JSON.stringify(what), executionContextId: 1 };
  emit(page, 'Runtime.bindingCalled', params, frame);
};
const touched = (page: FakePage, frame?: string): void => {
  report(page, { by: 'touch' }, frame);
  report(page, { field: FIELD }, frame);
};
const attach = (page: FakePage, type: string, frame: string, parent = ''): void =>
  emit(
    page,
    'Target.attachedToTarget',
    { sessionId: frame, targetInfo: { type, targetId: 't', url: '' } },
    parent,
  );
const keysOf = ({ tools }: FakePage): unknown[] =>
  tools.sent
    .filter(({ method }) => method === 'Input.dispatchKeyEvent')
    .map(({ params, frame }) => [(params as { type: string }).type, (params as { key: string }).key, frame]);

describe('fields and keys in the Electron host (over a double of Electron)', () => {
  test('should tell which field has the focus, and press keys in its page', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    await kiosk.host.pressKey('x');
    touched(page);
    assert.deepEqual(kiosk.focus, { field: FIELD, by: 'touch' });
    await kiosk.host.pressKey('h');
    assert.deepEqual(keysOf(page), [
      ['keyDown', 'h', undefined],
      ['keyUp', 'h', undefined],
    ]);
    report(page, {});
    assert.equal(kiosk.focus, undefined);
  });

  test('should watch frames of other sites, and frames in them, and press keys by their page', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    attach(page, 'iframe', 'F1');
    attach(page, 'iframe', 'F2', 'F1');
    attach(page, 'worker', 'W1');
    assert.deepEqual(new Set(page.tools.sent.map(({ frame }) => frame)), new Set([undefined, 'F1', 'F2']));
    const script = page.tools.sent.find(({ method, frame }) => /addScript/.test(method) && frame === 'F2');
    assert.equal((script!.params as { runImmediately?: boolean }).runImmediately, true);
    touched(page, 'F2');
    assert.equal(kiosk.focus?.by, 'touch');
    await kiosk.host.pressKey('f');
    assert.deepEqual(keysOf(page)[0], ['keyDown', 'f', undefined]);
    emit(page, 'Target.detachedFromTarget', { sessionId: 'F2' }, 'F1');
    assert.equal(kiosk.focus, undefined);
  });

  test('should let no frame and no worker wait for the host', async () => {
    await using kiosk = await TestElectronHost.started();
    const wanted = {
      method: 'Target.setAutoAttach',
      params: {
        autoAttach: true,
        waitForDebuggerOnStart: false,
        flatten: true,
        filter: [{ type: 'iframe' }, { exclude: true }],
      },
    };
    assert.deepEqual(
      kiosk.view.page.tools.sent.filter(({ method }) => method === 'Target.setAutoAttach'),
      [wanted],
    );
  });

  test('should make room in the window below the page with the focus, and give it back', async () => {
    await using kiosk = await TestElectronHost.started();
    const { view } = kiosk;
    touched(view.page);
    await kiosk.host.makeRoom(300);
    assert.equal(view.shown, '0,0 1280x500');
    // The page keeps its focus, as it sees it, while the keys are touched; its field comes into sight.
    const methods = view.page.tools.sent.slice(-3).map(({ method, params }) => [method, params]);
    assert.deepEqual(methods[0], ['Emulation.setFocusEmulationEnabled', { enabled: true }]);
    assert.match(JSON.stringify(methods.at(-1)), /reveal\(\)/);
    kiosk.double.window!.size = { width: 800, height: 1280 };
    kiosk.double.window!.listeners.emit('resize');
    assert.equal(view.shown, '0,0 800x980');
    await kiosk.host.makeRoom(0);
    assert.equal(view.shown, '0,0 800x1280');
    await kiosk.clock.advance(1_000);
    assert.deepEqual(view.page.tools.sent.at(-1)?.params, { enabled: false });
  });

  test('should know the fields of settings page and glass, and make room below the one that fills the screen', async () => {
    await using kiosk = await TestElectronHost.started();
    const page = { url: 'http://settings.localhost:8080/', visible: true, media: false, sink: kiosk.sink };
    const opened = await kiosk.host.openBuiltIn({ name: 'settings', ...page });
    const settings = kiosk.own('settings')!;
    touched(settings.page);
    await kiosk.host.makeRoom(300);
    assert.deepEqual([settings.shown, kiosk.view.shown], ['0,0 1280x500', '0,0 1280x800']);
    await kiosk.host.pressKey('7');
    assert.equal(keysOf(settings.page).length, 2);
    await opened.close();
    assert.equal(kiosk.focus, undefined);
    const layer = { url: 'http://glass.localhost:8080/', sink: kiosk.sink, onReady: () => {} };
    const glass = await kiosk.host.openLayer({ name: 'glass', ...layer });
    await settled();
    await glass.show('screen', true);
    touched(kiosk.own('glass')!.page);
    await kiosk.host.makeRoom(300);
    assert.equal(kiosk.own('glass')!.shown, '0,0 1280x800');
    const keys = await kiosk.host.openLayer({ ...layer, name: 'keys', url: 'http://keys.localhost:8080/' });
    await settled();
    // Nobody writes on the keyboard itself: nothing is attached to it.
    assert.equal(kiosk.own('keys')!.page.tools.attached, 0);
    await Promise.all([keys.close(), glass.close()]);
  });

  test('should bring the page back after a frame of another site crashed, and count that', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    attach(page, 'iframe', 'F1');
    touched(page, 'F1');
    emit(page, 'Inspector.targetCrashed', {}, 'F1');
    assert.deepEqual(kiosk.host.recoveries(), { 'frame-crash': 1 });
    assert.equal(kiosk.focus, undefined);
    await kiosk.clock.advance(1_000);
    assert.deepEqual(kiosk.view.loaded, [HOME, HOME]);
    // The page's own crash is told by Electron, and counted once.
    emit(page, 'Inspector.targetCrashed');
    page.forcefullyCrashRenderer();
    assert.deepEqual(kiosk.host.recoveries(), { 'frame-crash': 1, 'renderer-crash': 1 });
  });

  test('should forget the focus of a page that has ended', async () => {
    await using kiosk = await TestElectronHost.started();
    touched(kiosk.view.page);
    kiosk.double.window!.destroy();
    assert.equal(kiosk.focus, undefined);
    await kiosk.host.pressKey('x');
    assert.deepEqual(keysOf(kiosk.view.page), []);
  });
});
