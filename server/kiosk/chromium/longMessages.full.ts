import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { BRIDGE_WORKS, markPage } from '../testing/suite/pageComesBack.ts';
import { TestKiosk } from '../testing/testKiosk.ts';

const names = { binding: '_bindingOfTheTest', deliver: '_deliverOfTheTest' };

describe('messages of a page that are too long', () => {
  let kiosk: TestKiosk;
  before(async () => {
    kiosk = await TestKiosk.open('/', { '/': '<h1>home</h1>' }, { makeNames: () => names });
  });
  after(async () => kiosk?.[Symbol.asyncDispose]());

  test('security: should be refused in the page: over 512 MiB of them once ended the service', async () => {
    await kiosk.untilTrue(BRIDGE_WORKS);
    kiosk.dispatched.length = 0;
    const code = await kiosk.evaluate(
      `container.sendUdpRaw('127.0.0.1', 9, '"'.repeat(135e6)).catch(({ code }) => code)`,
    );
    assert.equal(code, 'TOO_LARGE');
    assert.deepEqual(kiosk.dispatched, []);
    assert.deepEqual(kiosk.host.recoveries(), {});
  });

  test('security: should end the browser if a page gets around that, and bring it back', async () => {
    const assertBackAfter = await markPage(kiosk);
    const devTools = await kiosk.devTools();
    // The page has the binding again, as after a fault in our page script.
    await devTools.send('Runtime.addBinding', { name: names.binding });
    devTools.evaluate(`window['${names.binding}']('x'.repeat(40 * 2 ** 20))`).catch(() => {});
    await assertBackAfter('browser-exit');
    assert.match(kiosk.logText, /longer than 32 MiB/);
  });
});
