import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

/** A video of the page's own drawing, which plays while it is drawn. */
const VIDEO = `
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  let at = 0;
  setInterval(() => { pen.fillStyle = at++ % 2 ? 'red' : 'blue'; pen.fillRect(0, 0, 300, 150); }, 40);
  const video = document.createElement('video');
  video.muted = true;
  video.srcObject = canvas.captureStream(25);
  const play = () => video.play();`;

/** Wake locks tell ten times a second here, and videos as often as the browser reports their time, which is about four. */
const EVERY_MS = 100;

const PAGES = {
  '/': '<p>quiet</p>',
  '/lock': '<p>lock</p>',
  '/video': `<body><script>${VIDEO} document.body.append(video);</script>`,
  '/shadow': `<body><div id="host"></div><script>${VIDEO}
    document.querySelector('#host').attachShadow({ mode: 'closed' }).append(video);</script>`,
  '/frame': `<iframe src="/video" allow="autoplay"></iframe>`,
};

describe('what keeps the panel awake', () => {
  let kiosk: TestKiosk;
  let told = 0;
  before(async () => {
    kiosk = await TestKiosk.open('/', PAGES, { onKeepAwake: () => told++, keepAwakeEveryMs: EVERY_MS });
  });
  after(() => kiosk?.[Symbol.asyncDispose]());

  /** Whether it says so now, and goes on saying so. */
  async function keepsAwake(): Promise<void> {
    const before = told;
    await until(() => told >= before + 3, 'three words of the page');
  }

  async function isQuiet(): Promise<void> {
    // Its answer comes behind every word that was under way.
    await kiosk.host.evaluate('0');
    const before = told;
    await timeToGoWrong(700);
    assert.equal(told, before);
  }

  test('should be a wake lock until it is released, as the page sees it in any Chromium', async () => {
    await kiosk.show('/lock');
    await isQuiet();
    const asked = `navigator.wakeLock.request('screen').then((lock) => {
      window.lock = lock;
      return [lock.constructor.name, lock.type, lock.released, lock instanceof WakeLockSentinel];
    })`;
    assert.deepEqual(await kiosk.evaluate(asked), ['WakeLockSentinel', 'screen', false, true]);
    await keepsAwake();
    assert.equal(await kiosk.evaluate('lock.release().then(() => lock.released)'), true);
    await isQuiet();
  });

  test('should be a wake lock that the page has forgotten, until the page is gone', async () => {
    await kiosk.evaluate(`navigator.wakeLock.request('screen').then(() => {})`);
    await keepsAwake();
    await kiosk.show('/');
    await isQuiet();
  });

  test('security: a page should not notice that it is heard', async () => {
    await kiosk.show('/lock');
    const looks = `(async () => {
      const { request } = WakeLock.prototype;
      const { value, ...traits } = Object.getOwnPropertyDescriptor(WakeLock.prototype, 'request');
      let refused;
      await navigator.wakeLock.request('nonsense').catch((error) => { refused = error.name; });
      let unhandled = 0;
      addEventListener('unhandledrejection', (event) => { unhandled++; event.preventDefault(); });
      navigator.wakeLock.request('nonsense').catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      const handled = unhandled;
      navigator.wakeLock.request('nonsense');
      await new Promise((resolve) => setTimeout(resolve, 100));
      return [
        request.name, request.length, 'prototype' in request, JSON.stringify(traits), refused, handled, unhandled,
        Function.prototype.toString.call(request).includes('[native code]'),
        navigator.wakeLock.request('screen') instanceof Promise, Object.keys(window).filter((key) => /awake|wake/i.test(key)),
      ];
    })()`;
    assert.deepEqual(await kiosk.evaluate(looks), [
      'request',
      0,
      false,
      '{"writable":true,"enumerable":true,"configurable":true}',
      'TypeError',
      0,
      1,
      true,
      true,
      [],
    ]);
    await kiosk.show('/');
  });

  for (const [path, where, of] of [
    ['/video', 'in the page', 'window'],
    ['/frame', 'in a frame', 'frames[0]'],
  ] as const)
    test(`should be a video with data-keep-awake while it plays ${where}`, async () => {
      await kiosk.show(path);
      const run = (expression: string) => kiosk.evaluate(`${of}.eval(${JSON.stringify(expression)})`);
      await until(async () => (await run('typeof play')) === 'function', 'the video');
      await run('play()');
      await isQuiet();
      await run(`video.setAttribute('data-keep-awake', '')`);
      await keepsAwake();
      await run('video.pause()');
      await isQuiet();
      await run('play()');
      await keepsAwake();
      await run('video.remove()');
      await isQuiet();
    });

  test('should be a video in a closed shadow tree', async () => {
    await kiosk.show('/shadow');
    await kiosk.evaluate(`video.setAttribute('data-keep-awake', ''), play()`);
    await keepsAwake();
    await kiosk.evaluate('video.pause()');
    await isQuiet();
  });

  test('security: should be no event that the page makes up', async () => {
    await kiosk.show('/video');
    await kiosk.evaluate(`video.setAttribute('data-keep-awake', '')`);
    await kiosk.evaluate(`void setInterval(() => video.dispatchEvent(new Event('timeupdate')), 100)`);
    await isQuiet();
  });

  test('security: a flood of wake locks should be told about once a second', async () => {
    await kiosk.show('/lock');
    const before = told;
    const began = performance.now();
    await kiosk.evaluate(
      `Promise.all(Array.from({ length: 2_000 }, () => navigator.wakeLock.request('screen'))).then(() => {})`,
    );
    await timeToGoWrong(10 * EVERY_MS);
    assert.ok(told - before <= 2 + (2 * (performance.now() - began)) / EVERY_MS, String(told - before));
  });
});
