import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DevTools } from './devTools.ts';
import { TestKiosk, until } from './testKiosk.ts';

const names = { binding: '_bindingOfTheTest', deliver: '_deliverOfTheTest' };

/** Tells its parent, or the one who asks later, what of the bridge it can see; calls the binding when told to. */
const FRAME = `<script>
  const look = () => ({ container: typeof window.container, alias: typeof window.appcontainer,
    names: Object.getOwnPropertyNames(window).filter((name) => name.startsWith('_')) });
  const atStart = look();
  onmessage = ({ data }) => {
    if (data.look) parent.postMessage({ frame: data.look, atStart, now: look() }, '*');
    if (data.call) {
      const had = typeof window['${names.binding}'];
      if (had === 'function') window['${names.binding}']('{"id":1,"method":"sendUdp","args":["127.0.0.1",666,"00"]}');
      parent.postMessage({ called: had }, '*');
    }
  };
</script>`;

const PAGES = {
  '/': '<h1>home</h1>',
  '/frame': FRAME,
  '/away': '<h1>away</h1>',
};

interface FrameReport {
  atStart: { container: string; alias: string; names: string[] };
  now: { container: string; alias: string; names: string[] };
}

describe('security of the bridge in Chromium', () => {
  let kiosk: TestKiosk;
  let devTools: DevTools;

  before(async () => {
    kiosk = await TestKiosk.open('/', PAGES, { makeNames: () => names });
    devTools = await kiosk.devTools();
  });
  after(async () => {
    devTools?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });
  beforeEach(async () => {
    kiosk.mayNavigate = (url) => kiosk.bridgeOrigins.includes(url.origin);
    kiosk.bridgeOrigins.splice(0, Number.POSITIVE_INFINITY, kiosk.origin('p1'));
    await kiosk.show('/');
    kiosk.requests.length = 0;
    kiosk.dispatched.length = 0;
    kiosk.logText = '';
  });

  const askFrame = (message: object, index = 0) =>
    devTools.evaluate<FrameReport & { called: string }>(`new Promise((answer) => {
      addEventListener('message', ({ data }) => answer(data), { once: true });
      frames[${index}].postMessage(${JSON.stringify(message)}, '*');
    })`);

  /** Gives the binding back to every frame of this renderer, as a fault of our page script would. */
  const leakBinding = () => devTools.send('Runtime.addBinding', { name: names.binding });

  const frames: [string, () => Record<string, string>][] = [
    ['foreign iframe', () => ({ src: `${kiosk.origin('evil')}/frame` })],
    ['iframe on another port', () => ({ src: `${kiosk.origin('p1').replace('p1.', '')}/frame` })],
    ['same-origin iframe', () => ({ src: '/frame' })],
    ['srcdoc iframe', () => ({ srcdoc: FRAME })],
    ['sandboxed iframe', () => ({ src: '/frame', sandbox: 'allow-scripts' })],
    ['sandboxed srcdoc iframe', () => ({ srcdoc: FRAME, sandbox: 'allow-scripts' })],
    ['data: iframe', () => ({ src: `data:text/html,${encodeURIComponent(FRAME)}` })],
  ];
  for (const [what, attributes] of frames) {
    test(`security: a leaked binding in a ${what} is refused by the host`, async () => {
      await devTools.addFrame(attributes());
      await leakBinding();
      const { called } = await askFrame({ call: true });
      // Frames in a renderer of their own have no binding to leak; then there is nothing to refuse.
      if (called === 'function') await until(() => /bridge call refused/.test(kiosk.logText), 'the refusal');
      else await sleep(100);
      assert.deepEqual(kiosk.dispatched, []);
      if (what === 'same-origin iframe') assert.equal(called, 'function');
    });
  }

  test('security: the binding is not within reach of the page that holds the bridge', async () => {
    assert.equal(await devTools.evaluate(`typeof window['${names.binding}']`), 'undefined');
  });

  test('security: an isolated world of the page is refused by the host', async () => {
    const { frameTree } = await devTools.send<{ frameTree: { frame: { id: string } } }>('Page.getFrameTree');
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
    await until(() => /bridge call refused/.test(kiosk.logText), 'the refusal');
    assert.deepEqual(kiosk.dispatched, []);
  });

  test('security: a page that navigated to a foreign origin gets no bridge, and its calls are refused', async () => {
    kiosk.mayNavigate = () => true;
    await devTools.evaluate(`location.href = '${kiosk.origin('evil')}/away'`);
    await kiosk.untilTrue(`location.host.startsWith('evil') && document.readyState === 'complete'`);
    assert.deepEqual(await kiosk.evaluate(`[typeof window.container, typeof window['${names.binding}']]`), [
      'undefined',
      'undefined',
    ]);
    await leakBinding();
    await devTools.evaluate(
      `window['${names.binding}']('{"id":1,"method":"sendUdp","args":["127.0.0.1",666,"00"]}')`,
    );
    await until(() => /bridge call refused/.test(kiosk.logText), 'the refusal');
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
