import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { LendKiosk } from './openKiosk.ts';

const PAGES = {
  '/': `<script>window.first = typeof container + typeof container?.gpioBridge.postMessage;
    window.frozen = Object.isFrozen(container);</script><h1>kiosk</h1>`,
  '/early': `<script>window.answer = container.sendUdp('127.0.0.1', 9, '00');
    container.on('snapshot', (state) => { window.snap = state; });
    container.on('led', (led) => { window.led = led; });</script>`,
};

/** `window.container` as its page sees it. */
export function bridgeTests(open: LendKiosk): void {
  describe('window.container', () => {
    let kiosk: TestKiosk;
    before(async () => {
      kiosk = await open('/', PAGES);
    });
    after(async () => kiosk?.[Symbol.asyncDispose]());

    test('should be there, frozen, before the first script of the page', async () => {
      await kiosk.show('/');
      assert.deepEqual(await kiosk.evaluate('[first, frozen, container.version, container.isOem]'), [
        'objectfunction',
        true,
        '9.8.7',
        false,
      ]);
      assert.equal(await kiosk.evaluate('appcontainer === container'), true);
    });

    test('should answer calls made before the page has loaded', async () => {
      await kiosk.show('/early');
      assert.equal(await kiosk.evaluate('answer.then(({ name }) => name)'), 'udp.send');
      await kiosk.untilTrue('snap.power.state === "awake"');
    });

    test('should pass code and field of a failure to the page', async () => {
      await kiosk.show('/');
      const error = await kiosk.evaluate(
        `container.gpioBridge.postMessage('{"action":"read","pin":9}')
         .catch((e) => [e instanceof Error, e.message, e.code, e.field])`,
      );
      assert.deepEqual(error, [true, 'pin must be 0 to 3.', 'INVALID_REQUEST', 'pin']);
    });

    test('should pass the origin of the page to dispatch', async () => {
      await kiosk.show('/');
      await kiosk.evaluate(`container.gpioBridge.postMessage('{"action":"ledOn"}')`);
      assert.deepEqual(kiosk.dispatched.at(-1), {
        name: 'led.on',
        params: { on: true },
        origin: kiosk.origin('p1'),
      });
    });

    test('should deliver text that is hard to quote unchanged, both ways', async () => {
      await kiosk.show('/');
      const text = '\u2028 "\'`$x</script>\\ \u0000 € 😀';
      await kiosk.evaluate(`container.sendUdpRaw('127.0.0.1', 9, ${JSON.stringify(text)})`);
      assert.deepEqual(kiosk.dispatched.at(-1)?.params, { host: '127.0.0.1', port: 9, text });
      await kiosk.evaluate(`new Promise((done) => { container.on('apps', (a) => { window.apps = a; });
      container.on('snapshot', done); })`);
      kiosk.bus.emit('apps', [{ packageName: 'x', label: text, isSystem: false }]);
      await kiosk.untilTrue('window.apps?.length === 1');
      assert.equal(await kiosk.evaluate('apps[0].label'), text);
    });

    test('should send events to the page that subscribed, and stop when its document is gone', async () => {
      await kiosk.show('/early');
      await until(() => kiosk.bus.size === 1, 'a subscription');
      kiosk.bus.emit('led', { on: true, red: 1, green: 2, blue: 3 });
      await kiosk.untilTrue('window.led?.blue === 3');
      await kiosk.show('/');
      await until(() => kiosk.bus.size === 0, 'the end of the subscription');
    });

    test('should still work after the page was reloaded', async () => {
      await kiosk.show('/');
      await kiosk.evaluate('window.old = true');
      await kiosk.host.reload();
      await kiosk.untilTrue('window.old === undefined && document.readyState === "complete"');
      assert.equal(
        await kiosk.evaluate(`container.sendUdp('127.0.0.1', 9, '00').then((a) => a.status)`),
        'ok',
      );
    });

    test('should answer a thousand parallel calls, each with its own result', async () => {
      await kiosk.show('/');
      const before = kiosk.dispatched.length;
      const ok = await kiosk.evaluate(`Promise.all(Array.from({ length: 1000 }, (_, i) =>
      container.sendUdp('127.0.0.1', i + 1, '00'))).then((all) => all.every((a) => a.status === 'ok'))`);
      assert.equal(ok, true);
      const ports = kiosk.dispatched.slice(before).map(({ params }) => (params as { port: number }).port);
      assert.deepEqual(
        ports,
        Array.from({ length: 1000 }, (_, i) => i + 1),
      );
    });
  });
}
