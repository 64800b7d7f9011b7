import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { TestKiosk } from '../testKiosk.ts';
import { TimeLapse } from '../timeLapse.ts';
import type { OpenKiosk } from './openKiosk.ts';

const STRICT = `<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-a'; require-trusted-types-for 'script'">
  <script nonce=a>ownValue = { deep: [1, 'two', null, { three: true }] }</script><body>`;

/** Expressions that a caller runs in the page. */
export function evaluateTests(open: OpenKiosk): void {
  describe('expressions in the page', () => {
    let kiosk: TestKiosk;
    const lapse = new TimeLapse();
    const value = async (expression: string) => JSON.parse(await kiosk.host.evaluate(expression));
    const refused = (expression: string, code: string, message: RegExp) =>
      assert.rejects(kiosk.host.evaluate(expression), (error: Error & { code: string }) => {
        assert.equal(error.code, code, error.message);
        assert.match(error.message, message);
        return true;
      });
    before(async () => {
      kiosk = await open('/', { '/': STRICT }, { clock: lapse });
      await kiosk.untilTrue(`document.readyState === 'complete'`);
    });
    after(async () => kiosk?.[Symbol.asyncDispose]());

    test("should answer JSON of the page's own world, whatever its policy forbids scripts", async () => {
      assert.deepEqual(await value('ownValue'), { deep: [1, 'two', null, { three: true }] });
      assert.equal(await value('1; 2'), 2);
      assert.equal(await value('new Promise((resolve) => setTimeout(() => resolve("late"), 20))'), 'late');
      assert.equal(await value('undefined'), null);
      assert.equal(await value('null'), null);
      assert.equal(await value('void (ownValue = 7)'), null);
      assert.equal(await value('ownValue'), 7);
      assert.equal(await value('new Date(0)'), '1970-01-01T00:00:00.000Z');
      assert.equal(await value('top === window && typeof container'), 'object');
    });

    test('should refuse what throws, with its message', async () => {
      await refused(
        'throw new TypeError("no such lamp")',
        'INVALID_REQUEST',
        /^The page threw TypeError: no such lamp$/,
      );
      await refused('Promise.reject(new Error("later"))', 'INVALID_REQUEST', /^The page threw Error: later$/);
      await refused('1 +', 'INVALID_REQUEST', /SyntaxError/);
      await refused('throw { code: 3 }', 'INVALID_REQUEST', /The page threw/);
      await refused('throw new Error("x".repeat(1e6))', 'INVALID_REQUEST', /^.{900,1100}$/);
    });

    test('should refuse what is no JSON', async () => {
      for (const source of [
        '() => 1',
        'Symbol()',
        '10n',
        'NaN',
        'Infinity',
        'document.body',
        'window',
        'new Map()',
        '/a/',
        '[1n]',
      ])
        await refused(source, 'INVALID_REQUEST', /no JSON/);
      await refused('{ const a = {}; a.a = a; a }', 'INVALID_REQUEST', /no JSON.*circular/i);
    });

    test('security: should refuse a value of more than 1 MiB of JSON, also one that would end the browser', async () => {
      assert.equal((await value('"x".repeat(2 ** 20 - 2)')).length, 2 ** 20 - 2);
      await refused('"x".repeat(2 ** 20 - 1)', 'TOO_LARGE', /1048577 characters/);
      await refused('"x".repeat(2 ** 26)', 'TOO_LARGE', /characters/);
    });

    test('security: should give up after 5 s, end a script that loops, and let the page go on', async () => {
      lapse.speed = 5;
      const began = lapse.now();
      await refused('globalThis.kept = new Promise(() => {})', 'PAGE_TIMEOUT', /5 seconds/);
      assert.ok(lapse.now() - began >= 4_900);
      // The browser itself ends a loop, by real time.
      lapse.speed = 1;
      await refused('for (;;) {}', 'PAGE_TIMEOUT', /5 seconds/);
      await kiosk.untilTrue('typeof ownValue === "number"');
      assert.deepEqual(kiosk.host.recoveries(), {});
    });

    test('should say that the page left', async () => {
      await refused('location.reload(); new Promise(() => {})', 'CONFLICT', /left/);
    });
  });
}
