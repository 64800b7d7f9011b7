import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';
import { soonerLimits } from './soonerLimits.ts';

/** A page that came and does not start is tried again, further and further. */
export function brokenPageTests(open: OpenKiosk): void {
  describe('a page that does not start', () => {
    let kiosk: TestKiosk;
    /** How long a page is broken before it is tried again, and how long the waiting page rests; all else keeps real time. */
    const held = new FakeClock();
    const clock = {
      now: () => backgroundClock.now() + held.now(),
      after: (ms: number, run: () => void) =>
        ([10_000, 30_000, 60_000].includes(ms) ? held : backgroundClock).after(ms, run),
    };
    const javascript = { 'content-type': 'text/javascript' };
    const cached = { 'cache-control': 'max-age=3600' };
    const shows = (text: string) => kiosk.untilTrue(`document.body?.innerText.trim() === '${text}'`);
    const isNow = (state: string) => until(() => kiosk.host.pageState().state === state, state);
    const loads = (page: string) => kiosk.requests.filter((path) => path === `p1.localhost/${page}`).length;
    const tried = () => kiosk.host.recoveries()['dead-page'] ?? 0;
    before(async () => {
      kiosk = await open('/', { '/': '<h1>home</h1>' }, { clock, limits: soonerLimits });
    });
    after(() => kiosk?.[Symbol.asyncDispose]());

    test('should load a page anew whose old index.html comes from the cache and names scripts that are gone', async () => {
      const index = (version: number) => `<body><script type="module" src="/app.${version}.js"></script>`;
      kiosk.pages.set('/index', index(1)).set('/app.1.js', 'document.body.append("first")');
      kiosk.statuses.set('/index', [200, cached]).set('/app.1.js', [200, javascript]);
      await kiosk.show('/index');
      await shows('first');
      kiosk.pages.delete('/app.1.js');
      kiosk.pages.set('/index', index(2)).set('/app.2.js', 'document.body.append("second")');
      kiosk.statuses.set('/app.2.js', [200, javascript]);
      await kiosk.show('/');
      const before = tried();
      await kiosk.host.navigate(`${kiosk.origin('p1')}/index`);
      await isNow('failed');
      assert.equal(await kiosk.evaluate('document.body.innerText'), '');
      await held.advance(9_999);
      assert.equal(tried(), before);
      await held.advance(1);
      await shows('second');
      await isNow('shown');
      assert.equal(tried(), before + 1);
    });

    test('should drop what service workers keep when that does not help, also for imports', async () => {
      kiosk.pages.set(
        '/stored',
        `<body><script>caches.keys().then((names) =>
          names.length > 0 ? import(location.origin + '/gone.js') : document.body.append('works'))</script>`,
      );
      await kiosk.evaluate(`caches.open('old').then(() => true)`);
      await kiosk.host.navigate(`${kiosk.origin('p1')}/stored`);
      const before = tried();
      for (const tries of [1, 2]) {
        await until(async () => {
          await held.advance(10_000);
          return tried() === before + tries;
        }, `try ${tries}`);
      }
      await shows('works');
      assert.equal(tried(), before + 2);
    });

    test('should say on the screen that a page does not start, and try it again', async () => {
      kiosk.pages.set('/never', `<body>loading <script type="module">import/**/'/gone.js'</script>`);
      await kiosk.host.navigate(`${kiosk.origin('p1')}/never`);
      for (let i = 0; i < 3; i++) {
        const before = tried();
        // The wait may be that of the document before, which is on its way out.
        await until(async () => {
          await held.advance(10_000);
          return tried() > before;
        }, 'the try');
        if (i < 2) await until(() => loads('never') === i + 2, 'the load');
      }
      await isNow('waiting');
      const words = () => kiosk.evaluateAnywhere<string>('document.body.innerText').catch(() => '');
      await until(async () => /The page does not start: a file/.test(await words()), 'the reason');
      kiosk.pages.set('/never', '<body>at last');
      await held.advance(30_000);
      await shows('at last');
    });

    test('should try a page twice that its server does not have, and leave one that is empty on purpose', async () => {
      kiosk.pages.set('/lost', '<h1>not here</h1>').set('/empty', '<body style="background: #123">');
      kiosk.statuses.set('/lost', [404]);
      const before = tried();
      await kiosk.host.navigate(`${kiosk.origin('p1')}/lost`);
      for (const [pause, tries] of [
        [10_000, 1],
        [60_000, 2],
      ] as const) {
        await until(async () => {
          await held.advance(pause);
          return tried() >= before + tries;
        }, `try ${tries}`);
        await until(() => loads('lost') === 1 + tries, 'the load');
      }
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      await isNow('failed');
      await held.advance(10 * 60_000);
      await kiosk.show('/empty');
      await until(() => held.pending > 0, 'the look');
      await held.advance(10_000);
      await isNow('blank');
      await held.advance(10 * 60_000);
      assert.equal(tried(), before + 2);
    });
  });
}
