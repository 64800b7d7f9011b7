import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { DevTools } from '../devTools.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { LendKiosk } from './openKiosk.ts';

/** A green page that counts how long it runs. */
const PAGES = {
  '/': `<body style="margin:0;background:#00aa00"><script>
    ticks = 0; seen = [];
    setInterval(() => ticks++, 20);
    document.addEventListener('visibilitychange', () => seen.push(document.visibilityState));
  </script>`,
};

const isSamePicture = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;

/** What the screen shows, and what else a host does for its page. */
export function screenTests(open: LendKiosk): void {
  describe('screen, caches and console of the kiosk', () => {
    let kiosk: TestKiosk;
    let page: DevTools;
    before(async () => {
      kiosk = await open('/', PAGES);
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      page = await kiosk.devTools();
      await page.evaluate('window.before = true');
    });
    after(async () => {
      page?.close();
      await kiosk?.[Symbol.asyncDispose]();
    });

    test('should take a screenshot as PNG', async () => {
      const png = Buffer.from(await kiosk.host.screenshot());
      assert.equal(png.subarray(1, 4).toString(), 'PNG');
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1280, 800]);
    });

    test('should show black while asleep, then the same page, which kept running', async () => {
      const awake = await kiosk.host.screenshot();
      await kiosk.host.sleep(() => {});
      const dark = await kiosk.host.screenshot();
      assert.equal(isSamePicture(awake, dark), false);
      const ticks = await page.evaluate<number>('ticks');
      await until(
        async () => (await page.evaluate<number>('ticks')) - ticks >= 10,
        'the page to keep running',
      );
      await kiosk.host.wake();
      await until(async () => isSamePicture(await kiosk.host.screenshot(), awake), 'the same picture');
      assert.equal(await page.evaluate('window.before && seen.length'), 0);
    });

    test('should tell how much memory the browser uses', async () => {
      const bytes = await kiosk.host.memory?.();
      assert.ok(bytes !== undefined && bytes > 20_000_000 && bytes < 4_000_000_000, String(bytes));
    });

    test('should clear the caches of an origin and keep its local storage', async () => {
      await page.evaluate(`(async () => {
      localStorage.setItem('kept', 'yes');
      await (await caches.open('old')).put('/x', new Response('x'));
    })()`);
      await kiosk.host.clearCaches(kiosk.origin('p1'));
      await until(() => page.evaluate<boolean>(`caches.has('old').then((has) => !has)`), 'the empty cache');
      assert.equal(await page.evaluate(`localStorage.getItem('kept')`), 'yes');
    });

    test('should write the console of the page to the log, with uncaught errors', async () => {
      await page.evaluate(
        `console.warn('no answer of', 7, { code: 1 }), setTimeout(() => { throw new Error('lost') })`,
      );
      await until(() => /"said":"no answer of 7/.test(kiosk.logText), 'the line');
      await until(() => /"said":"[^"]*Error: lost/.test(kiosk.logText), 'the error');
    });
  });
}
