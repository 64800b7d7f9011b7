import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type BareBrowser, type Kiosk, openKiosk, openPlain } from './bareBrowser.ts';

describe('what a page can do in plain Chromium', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  let plain: BareBrowser;
  before(async () => {
    kiosk = await openKiosk({
      env: { FACEPLATE_BRIDGE_ALIASES: 'appcontainer' },
      // One test runs the garbage collector.
      flags: ['--js-flags=--expose-gc'],
    });
    plain = await openPlain();
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await plain?.[Symbol.asyncDispose]();
  });

  for (const name of ['container', 'MobileBridge', 'appcontainer'])
    for (const [declaration, type] of [
      [`const ${name} = 1`, 'number'],
      [`let ${name} = 1`, 'number'],
      [`class ${name} {}`, 'function'],
      [`function ${name}() {}`, 'function'],
      [`var ${name} = 1`, 'number'],
    ])
      test(`should include its own ${declaration}`, async () => {
        const html = `<body><script>onerror = (error) => bare.report(error)</script>
          <script>${declaration}; bare.report(typeof ${name})</script>`;
        assert.equal(await plain.site.show(html), type);
        assert.equal(await kiosk.site.show(html), type);
      });

  test('should include freeing the objects it has logged', async () => {
    const log = async (frameAddress: string) => {
      /** Runs in the page and in a frame of another site. @returns how many of 100 objects are never freed */
      const stay = async () => {
        const collect = (globalThis as unknown as { gc(options: object): Promise<void> }).gc;
        const logged: WeakRef<object>[] = [];
        for (let i = 0; i < 100; i++) {
          const object = { numbers: new Array(6_000).fill(i + 0.5) };
          logged.push(new WeakRef(object));
          // biome-ignore lint/suspicious/noConsole: it is what this test is about.
          console.log('logged', object);
          if (i % 10 === 0) setTimeout(() => Promise.reject(object));
        }
        let there = logged.length;
        for (let i = 0; i < 50 && there > 0; i++) {
          // deref() keeps its object until the task is over.
          await new Promise((resolve) => setTimeout(resolve, 100));
          await collect({ type: 'major', execution: 'async' });
          there = logged.filter((reference) => reference.deref() !== undefined).length;
        }
        return there;
      };
      const frame = document.createElement('iframe');
      frame.src = frameAddress;
      const inFrame = new Promise<number>((resolve) =>
        addEventListener('message', ({ data }) => resolve(data)),
      );
      frame.onload = () => frame.contentWindow!.postMessage(`(${stay})()`, '*');
      document.body.append(frame);
      return { page: await stay(), frame: await inFrame };
    };
    const { site } = kiosk;
    const body = `<script>onmessage = async ({ data }) => parent.postMessage(await (0, eval)(data), '*')</script>`;
    site.files.set('/logs', { body });
    assert.deepEqual(await site.ask(log, `${site.origin('other')}/logs`), { page: 0, frame: 0 });
  });

  test('should not include a sign of automation', async () => {
    const look = () => [navigator.webdriver, 'webdriver' in navigator];
    assert.deepEqual(await plain.site.ask(look), [false, true]);
    assert.deepEqual(await kiosk.site.ask(look), [false, true]);
  });

  test('should include functions of the browser that look and fail as usual', async () => {
    const look = () => {
      let error = 'nothing';
      try {
        open('http://:80');
      } catch (failure) {
        error = `${failure instanceof DOMException} ${(failure as Error).name}`;
      }
      const { create, get } = CredentialsContainer.prototype;
      const { attachShadow, requestPointerLock } = Element.prototype;
      const { click } = HTMLElement.prototype;
      const { submit } = HTMLFormElement.prototype;
      const all = [open, create, get, attachShadow, requestPointerLock, click, submit];
      return [error, ...all.map(({ name, length }) => `${name} ${length}`)];
    };
    const invalid = 'true SyntaxError';
    const shapes = [
      'open 0',
      'create 0',
      'get 0',
      'attachShadow 1',
      'requestPointerLock 0',
      'click 0',
      'submit 0',
    ];
    assert.deepEqual(await plain.site.ask(look), [invalid, ...shapes]);
    assert.deepEqual(await kiosk.site.ask(look), [invalid, ...shapes]);
  });
});
