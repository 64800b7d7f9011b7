import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { DevTools } from '../devTools.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import { frameKinds } from './frameKinds.ts';
import { kioskForTests } from './kioskForTests.ts';
import type { LendKiosk } from './openKiosk.ts';

/** Reports to its parent which parts of the bridge it saw at its start, and sees now. */
const FRAME = `<script>
  const look = () => ({ container: typeof window.container, alias: typeof window.appcontainer,
    names: Object.getOwnPropertyNames(window).filter((name) => name.startsWith('_')) });
  const atStart = look();
  onmessage = () => parent.postMessage({ atStart, now: look() }, '*');
</script>`;
const PAGES = { '/': '<h1>home</h1>', '/frame': FRAME, '/away': '<h1>away</h1>' };

/** Who may call: the top page of an origin in the list, and nobody else. */
export function frameTests(open: LendKiosk): void {
  describe('who gets window.container', () => {
    let kiosk: TestKiosk;
    let devTools: DevTools;
    kioskForTests(
      () => open('/', PAGES),
      (opened) => {
        ({ kiosk, devTools } = opened);
      },
    );

    const nothing = { container: 'undefined', alias: 'undefined', names: [] };
    for (const [what, attributes] of Object.entries(frameKinds))
      test(`security: a ${what} gets no bridge`, async () => {
        await devTools.addFrame(attributes(kiosk, FRAME));
        const seen = await devTools.evaluate(`new Promise((answer) => {
        addEventListener('message', ({ data }) => answer(data), { once: true });
        frames[0].postMessage('look', '*');
      })`);
        assert.deepEqual(seen, { atStart: nothing, now: nothing });
        assert.equal(await devTools.evaluate('typeof container'), 'object');
      });

    test('security: a synchronous about:blank iframe gets no bridge', async () => {
      const seen = await devTools.evaluate(`(() => {
      const frame = document.body.appendChild(document.createElement('iframe'));
      const inner = frame.contentWindow;
      return [typeof inner.container, typeof inner.appcontainer];
    })()`);
      assert.deepEqual(seen, ['undefined', 'undefined']);
    });

    test('security: a page that went to a foreign origin gets no bridge', async () => {
      kiosk.mayNavigate = () => true;
      await devTools.evaluate(`location.href = '${kiosk.origin('evil')}/away'`);
      await kiosk.untilTrue(`location.host.startsWith('evil') && document.readyState === 'complete'`);
      assert.deepEqual(await kiosk.evaluate('[typeof window.container, typeof window.appcontainer]'), [
        'undefined',
        'undefined',
      ]);
    });

    test('security: an origin that leaves the list loses the bridge at once, and one that joins gets it', async () => {
      await devTools.evaluate(`container.on('led', (led) => { window.led = led; })`);
      await until(() => kiosk.bus.size === 1, 'the subscription');
      kiosk.bridgeOrigins[0] = kiosk.origin('p2');
      await devTools.evaluate(`void container.sendUdp('127.0.0.1', 666, '00')`);
      await until(() => /bridge: call refused/.test(kiosk.logText), 'the refusal');
      kiosk.bus.emit('led', { on: true, red: 0, green: 0, blue: 0 });
      assert.equal(await devTools.evaluate('typeof led'), 'undefined');
      await kiosk.host.navigate(`${kiosk.origin('p2')}/`);
      await kiosk.untilTrue(`location.host.startsWith('p2') && document.readyState === 'complete'`);
      assert.equal(
        await kiosk.evaluate(`container.sendUdp('127.0.0.1', 9, '00').then((a) => a.status)`),
        'ok',
      );
      assert.deepEqual(
        kiosk.dispatched.map(({ origin }) => origin),
        [kiosk.origin('p2')],
      );
    });
  });
}
