import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { isOldElectron } from '../../chromium/live/target.ts';
import type { DialogAnswer, PageDialog } from '../../host.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import { TimeLapse } from '../timeLapse.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES = {
  '/': '<title>Home</title><body>Home<iframe src="/frame"></iframe>',
  '/frame': '<body>Frame',
  '/hostile': `<body>Hostile<script>
    seen = [];
    for (const name of ['setAttribute', 'getAttribute'])
      Element.prototype[name] = () => seen.push(name);
    Event = FocusEvent = XMLHttpRequest = undefined;
    JSON.parse = JSON.stringify = () => seen.push('JSON');
    document.createElement = () => seen.push('createElement');
    document.dispatchEvent = () => seen.push('dispatchEvent');
    addEventListener('fetch', () => seen.push('fetch'));
  </script>`,
  '/other': '<title>Other</title><body>Other',
  '/stays': `<title>Stays</title><body>Stays<script>onbeforeunload = (event) => event.preventDefault()</script>`,
};
const frame = `document.querySelector('iframe').contentWindow`;

/** What the page asks a person: alert, confirm and prompt. */
export function dialogTests(open: OpenKiosk): void {
  describe('questions of the kiosk page', () => {
    let kiosk: TestKiosk;
    const lapse = new TimeLapse();
    const asked: PageDialog[] = [];
    const gone: AbortSignal[] = [];
    let reply: (dialog: PageDialog) => Promise<DialogAnswer>;
    const cancelled = async () => ({ accepted: false, value: '' });
    before(async () => {
      kiosk = await open('/', PAGES, {
        clock: lapse,
        onDialog: (dialog, signal) => {
          asked.push(dialog);
          gone.push(signal);
          return reply(dialog);
        },
      });
      await kiosk.untilTrue(`document.readyState === 'complete'`);
    });
    after(() => kiosk?.[Symbol.asyncDispose]());
    beforeEach(() => {
      asked.length = gone.length = 0;
      reply = cancelled;
    });

    test('should answer confirm, prompt and alert truly', async () => {
      reply = async ({ kind, value }) => ({ accepted: kind !== 'confirm', value: `${value}!` });
      assert.equal(await kiosk.evaluate(`confirm('Sure?')`), false);
      assert.equal(await kiosk.evaluate(`prompt('Name?', 'Hall')`), 'Hall!');
      assert.equal(await kiosk.evaluate(`String(alert('Hello'))`), 'undefined');
      reply = async () => ({ accepted: true, value: '' });
      assert.equal(await kiosk.evaluate(`confirm('Sure?')`), true);
      reply = cancelled;
      assert.equal(await kiosk.evaluate(`prompt('Name?')`), null);
      assert.deepEqual(
        asked.map(({ kind, text, value }) => [kind, text, value]),
        [
          ['confirm', 'Sure?', ''],
          ['prompt', 'Name?', 'Hall'],
          ['alert', 'Hello', ''],
          ['confirm', 'Sure?', ''],
          ['prompt', 'Name?', ''],
        ],
      );
      assert.ok(asked.every(({ origin }) => origin === kiosk.origin('p1')));
    });

    const skip = isOldElectron && 'no preload script in frames before Electron 35 (electron/electron#46048)';
    test('should let a frame of the page ask too', { skip }, async () => {
      reply = async () => ({ accepted: true, value: '' });
      assert.equal(await kiosk.evaluate(`${frame}.confirm('Frame?')`), true);
      assert.equal(asked[0]?.text, 'Frame?');
    });

    test('should ask whatever the page does to its document and to our ways', async () => {
      reply = async () => ({ accepted: true, value: '' });
      await kiosk.show('/hostile');
      assert.equal(await kiosk.evaluate(`confirm('Still?')`), true);
      assert.deepEqual(await kiosk.evaluate('seen'), []);
      await kiosk.evaluate(`document.open(), document.write('<body>new'), document.close()`);
      assert.equal(await kiosk.evaluate(`confirm('Again?')`), true);
      await kiosk.show('/');
    });

    test('should have the lengths, defaults and texts of plain Chromium', async () => {
      assert.deepEqual(
        await kiosk.evaluate(`[alert, confirm, prompt].map(({ name, length }) => name + length)`),
        ['alert0', 'confirm0', 'prompt0'],
      );
      await kiosk.evaluate(`alert(), alert(undefined), confirm(undefined), prompt(null, 7)`);
      assert.deepEqual(
        asked.map(({ text, value }) => [text, value]),
        [
          ['', ''],
          ['undefined', ''],
          ['', ''],
          ['null', '7'],
        ],
      );
      await assert.rejects(kiosk.evaluate(`alert(Symbol())`), /TypeError/);
    });

    test('security: should bound what a page says', async () => {
      await kiosk.evaluate(`prompt('x'.repeat(5e6), 'y'.repeat(5e6))`);
      assert.ok(asked[0]!.text.length < 3_000 && asked[0]!.value.length < 11_000);
    });

    test('security: should ask no server', async () => {
      kiosk.requests.length = 0;
      await kiosk.evaluate(`confirm('Sure?')`);
      assert.deepEqual(kiosk.requests, []);
    });

    test('should not take a page that waits for a person for a hung one', async () => {
      const answer = Promise.withResolvers<DialogAnswer>();
      reply = () => answer.promise;
      const confirmed = kiosk.evaluate(`confirm('Sure?')`);
      await until(() => asked.length === 1, 'the question');
      lapse.speed = 50;
      // Even one that uses no CPU would have been taken for hung by then.
      const end = lapse.now() + 70_000;
      await until(() => lapse.now() >= end, 'its time');
      lapse.speed = 1;
      answer.resolve({ accepted: true, value: '' });
      assert.equal(await confirmed, true);
      assert.deepEqual(kiosk.host.recoveries(), {});
    });

    test('should go on to another page and reload in spite of an open question', async () => {
      reply = () => new Promise(() => {});
      kiosk.evaluate(`confirm('Sure?')`).catch(() => {});
      await until(() => asked.length === 1, 'the question');
      await kiosk.host.reload();
      await until(() => gone[0]?.aborted === true, 'the end of the question');
      await kiosk.untilTrue(`document.title === 'Home' && document.readyState === 'complete'`);
      kiosk.evaluate(`alert('Again')`).catch(() => {});
      await until(() => asked.length === 2, 'the second question');
      await kiosk.host.navigate(`${kiosk.origin('p1')}/other`);
      await kiosk.untilTrue(`document.title === 'Other'`);
      assert.equal(gone[1]?.aborted, true);
      await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
      await kiosk.untilTrue(`document.title === 'Home' && document.readyState === 'complete'`);
    });

    test('security: should not let a page of another origin ask', async () => {
      reply = async () => ({ accepted: true, value: '' });
      const tools = await kiosk.devTools();
      await tools.addFrame({ src: `${kiosk.origin('other')}/frame` });
      const other = await kiosk.frameTools();
      assert.equal(await other.evaluate(`confirm('Sure?')`), false);
      assert.equal(asked.length, 0);
      other.close();
      tools.close();
      await kiosk.show('/');
    });

    test('should leave a page that asks whether it may be left', async () => {
      await kiosk.show('/stays');
      const tools = await kiosk.devTools();
      // Only a page that somebody has touched may ask.
      for (const type of ['mousePressed', 'mouseReleased'])
        await tools.send('Input.dispatchMouseEvent', { type, x: 200, y: 200, button: 'left', clickCount: 1 });
      tools.close();
      await kiosk.host.navigate(`${kiosk.origin('p1')}/other`);
      await kiosk.untilTrue(`document.title === 'Other'`);
      assert.deepEqual(kiosk.host.recoveries(), {});
      await kiosk.show('/');
    });
  });
}
