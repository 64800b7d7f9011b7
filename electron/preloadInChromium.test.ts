import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { build } from 'esbuild';
import { channels } from '../preload/electronChannels.ts';
import type { ContainerSpec } from '../server/contract/pageBridge.ts';
import type { DevTools } from '../server/kiosk/chromium/process/devTools.ts';
import { TestKiosk, until } from '../server/kiosk/testing/testKiosk.ts';
import { containerSpec } from '../server/surfaces/bridge/pageSurfaces.ts';

/** How the two worlds of a page talk here: Electron hands functions over, Chromium only has DOM events for that. */
const RUN = 'preload-test-run';
const UP = 'preload-test-up';
const DOWN = 'preload-test-down';

/** Electron's `contextBridge.executeInMainWorld`, the half that lives in the main world: functions come as text. */
const MAIN_WORLD = `window.ran = [];
// As Electron does in every frame, before the preload script.
window.prompt = function () { throw new Error('prompt() is not supported.'); };
addEventListener('${RUN}', ({ detail }) => {
  const { func, args } = JSON.parse(detail);
  const transport = {
    post: (json) => dispatchEvent(new CustomEvent('${UP}', { detail: json })),
    listen: (receive) => addEventListener('${DOWN}', (event) => receive(event.detail)),
  };
  const run = (0, eval)('(' + func + ')');
  window.ran.push(run.name);
  run(...args.map((arg) => (arg === 'the transport' ? transport : arg)));
});`;

/** The other half, and an \`ipcRenderer\` whose main process answers each call with its own method and arguments. */
function isolatedWorld(preload: string, origin: string, spec: ContainerSpec): string {
  return `{
  const listeners = [];
  const answer = (json) => {
    const { id, method, args } = JSON.parse(json);
    const isBad = method === 'MobileBridge.oemLaunchApp';
    return JSON.stringify(isBad
      ? { id, error: { error: 'No such package.', code: 'PACKAGE_NOT_FOUND', field: 'packageName' } }
      : { id, result: { method, args } });
  };
  const electron = {
    contextBridge: {
      executeInMainWorld({ func, args }) {
        const plain = args.map((arg) => {
          if (typeof arg?.post !== 'function') return arg;
          addEventListener('${UP}', ({ detail }) => arg.post(detail));
          arg.listen((json) => dispatchEvent(new CustomEvent('${DOWN}', { detail: json })));
          return 'the transport';
        });
        dispatchEvent(new CustomEvent('${RUN}', { detail: JSON.stringify({ func: String(func), args: plain }) }));
      },
    },
    ipcRenderer: {
      sendSync(channel, question) {
        if (channel !== '${channels.question}')
          return channel === '${channels.spec}' && location.origin === '${origin}' ? ${JSON.stringify(spec)} : null;
        const { kind, text, value } = JSON.parse(question);
        return kind === 'alert' ? null : JSON.stringify({ accepted: text === 'Yes?', value: value + '!' });
      },
      send(channel, json) {
        if (channel === '${channels.bridge}') queueMicrotask(() => listeners.forEach((hear) => hear({}, answer(json))));
        if (channel === '${channels.refused}') document.documentElement.dataset.refused = json;
      },
      on: (channel, listener) => channel === '${channels.bridge}' && listeners.push(listener),
    },
  };
  ((require, module) => {${preload}})((name) => name === 'electron' ? electron : undefined, { exports: {} });
}`;
}

const PAGES = {
  '/': `<script>window.first = [typeof container, typeof panel, typeof MobileBridge, Object.isFrozen(container)];
    window.early = container.sendUdp('127.0.0.1', 9, '00');</script><iframe src="/frame"></iframe>`,
  '/frame': '<p>frame</p>',
  '/elsewhere': '<p>elsewhere</p>',
};

describe("Electron's preload script in a real Chromium, its API played over DOM events", () => {
  let kiosk: TestKiosk;
  let page: DevTools;
  before(async () => {
    const { outputFiles } = await build({
      entryPoints: [join(import.meta.dirname, '../preload/electronPreload.ts')],
      bundle: true,
      platform: 'node',
      target: 'node24',
      format: 'cjs',
      external: ['electron'],
      write: false,
    });
    kiosk = await TestKiosk.open('/elsewhere', PAGES);
    const origin = kiosk.origin('p1');
    kiosk.mayNavigate = () => true;
    // The Chromium host gives this page nothing: all it has comes from the preload script.
    kiosk.bridgeOrigins.length = 0;
    page = await kiosk.devTools();
    await page.send('Page.enable');
    await page.send('Page.addScriptToEvaluateOnNewDocument', { source: MAIN_WORLD });
    const spec = containerSpec({ version: '9.8.7', isOem: true, aliases: ['panel'] });
    await page.send('Page.addScriptToEvaluateOnNewDocument', {
      source: isolatedWorld(outputFiles[0]!.text, origin, spec),
      worldName: 'preload',
    });
    await show(`${origin}/`);
  });
  after(async () => {
    page?.close();
    await kiosk?.[Symbol.asyncDispose]();
  });

  const show = async (url: string) => {
    await kiosk.host.navigate(url);
    await kiosk.untilTrue(`location.href === '${url}' && document.readyState === 'complete'`);
  };

  test('should build window.container before the first script of the page', async () => {
    assert.deepEqual(await page.evaluate('first'), ['object', 'object', 'object', true]);
    assert.deepEqual(await page.evaluate('[container.version, container.isOem]'), ['9.8.7', true]);
    assert.deepEqual(await page.evaluate('ran'), [
      'installKeyGuard',
      'installWindowGuard',
      'reportKeepAwake',
      'offerStreams',
      'offerSipVideo',
      'installBridge',
    ]);
    assert.equal(await page.evaluate('"faceplateStreams" in window'), false);
  });

  test('should answer calls, also those of the first script', async () => {
    assert.deepEqual(await page.evaluate('early'), {
      method: 'container.sendUdp',
      args: ['127.0.0.1', 9, '00'],
    });
    assert.equal(
      await page.evaluate(`Promise.all(Array.from({ length: 200 }, (_, i) => container.sendUdpRaw('a', i, 'x')))
        .then((all) => all.every(({ args }, i) => args[1] === i))`),
      true,
    );
  });

  test("should reject with a real error of the page's own world", async () => {
    assert.deepEqual(
      await page.evaluate(`MobileBridge.oemLaunchApp('x')
        .catch((error) => [error instanceof Error, error.message, error.code, error.field])`),
      [true, 'No such package.', 'PACKAGE_NOT_FOUND', 'packageName'],
    );
  });

  test('should deliver events to a function until that same function is removed', async () => {
    const deliver = (on: boolean) =>
      page.evaluate(`dispatchEvent(new CustomEvent('${DOWN}',
        { detail: JSON.stringify({ event: 'led', payload: { on: ${on}, red: 1, green: 2, blue: 3 } }) }))`);
    await page.evaluate('leds = [], hear = (led) => leds.push(led.on), void container.on("led", hear)');
    await deliver(true);
    await until(async () => (await page.evaluate<unknown[]>('leds')).length === 1, 'the event');
    await page.evaluate('void container.off("led", hear)');
    await deliver(false);
    assert.deepEqual(await page.evaluate('leds'), [true]);
  });

  test('should answer what the page asks a person, also after document.open(), and tell what it is refused', async () => {
    assert.deepEqual(
      await page.evaluate(`[confirm('Yes?'), confirm('No?'), prompt('Yes?', 'Hall'), prompt('No?')]`),
      [...[true, false, 'Hall!', null]],
    );
    const refused = () => page.evaluate('document.documentElement.dataset.refused');
    assert.equal(await page.evaluate(`String(alert('Hello'))`), 'undefined');
    assert.equal(await refused(), 'dialog');
    await page.evaluate('document.body.requestPointerLock().catch(() => {})');
    assert.equal(await refused(), 'pointer-lock');
    await page.evaluate(`document.open(), document.write('<body>new'), document.close()`);
    assert.equal(await page.evaluate(`confirm('Yes?')`), true);
    await show(`${kiosk.origin('p1')}/`);
  });

  test('security: a frame of the page and a page of another origin get nothing', async () => {
    // The preload script runs in the frame too, which has the same origin: it does not ask for the bridge.
    assert.deepEqual(
      await page.evaluate('[typeof frames[0].container, typeof frames[0].panel, frames[0].ran]'),
      ['undefined', 'undefined', ['installKeyGuard', 'installWindowGuard', 'reportKeepAwake']],
    );
    await show(`${kiosk.origin('other')}/elsewhere`);
    assert.deepEqual(await kiosk.evaluate('[typeof window.container, ran]'), [
      'undefined',
      ['installKeyGuard', 'installWindowGuard', 'reportKeepAwake'],
    ]);
  });
});
