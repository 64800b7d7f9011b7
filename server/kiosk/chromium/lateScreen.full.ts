import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FaceplateProcess } from '../../testing/faceplateProcess.ts';
import { soonerLimits } from '../testing/suite/soonerLimits.ts';
import { TestKiosk, until } from '../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../testing/testScreen.ts';

const PAGES = {
  '/': `<body style="margin:0;background:#00aa00"><script>container.sendUdp('127.0.0.1', 9, '00')</script>`,
};
/** Far above the displays that X servers choose themselves, and unique to this process. */
const displayOfNobody = (offset: 0 | 1) => `:${10_000 + 2 * (process.pid % 20_000) + offset}`;

describe('a screen that comes late', { skip: noScreen }, () => {
  test('should start without it, say so in one line, and show the page once it is there', async () => {
    const display = displayOfNobody(0);
    const { WAYLAND_DISPLAY: _, ...others } = process.env;
    const env = { ...others, DISPLAY: display };
    await using kiosk = await TestKiosk.open('/', PAGES, { headless: false, env, limits: soonerLimits });
    const reason = `There is no screen at DISPLAY=${display}.`;
    assert.equal(kiosk.host.whyNotShown?.(), reason);
    await until(() => kiosk.logText.split('kiosk: recovering the page').length > 3, 'two more attempts');
    assert.equal(kiosk.logText.split(reason).length - 1, 1, 'said once');
    assert.equal(kiosk.host.isWell?.(), true);
    await assert.rejects(kiosk.host.screenshot(), { code: 'HARDWARE_ERROR' });
    await using screen = await TestScreen.open({ windowManager: false, display });
    await until(() => kiosk.dispatched.length === 1, 'the page');
    await until(async () => (await screen.colours())[0] === '#00AA00', 'the page on the screen');
    assert.equal(kiosk.host.whyNotShown?.(), undefined);
    assert.equal(kiosk.host.isWell?.(), true);
    await kiosk.host.stop();
  });

  test('should serve the API without it, with the reason in info, and again when it is gone', async () => {
    const display = displayOfNobody(1);
    const service = new FaceplateProcess({
      args: ['--host', 'chromium', '--kiosk.headless', 'false'],
      env: { DISPLAY: display, WAYLAND_DISPLAY: '' },
    });
    const kioskPart = async () => {
      const headers = { authorization: `Bearer ${await service.token()}` };
      const answer = await fetch(`${await service.url}/api/remote/info`, { headers });
      return ((await answer.json()) as { parts: Record<string, unknown> }).parts.kiosk;
    };
    const reason = `There is no screen at DISPLAY=${display}.`;
    const absent = { driver: 'chromium', path: null, state: 'absent', reason };
    try {
      await service.start();
      assert.deepEqual(await kioskPart(), absent);
      {
        await using _screen = await TestScreen.open({ windowManager: false, display });
        await until(async () => (await kioskPart()) === undefined, 'the page');
      }
      await until(async () => (await kioskPart()) !== undefined, 'the end of the screen');
      assert.deepEqual(await kioskPart(), absent);
    } finally {
      const { code, left } = await service.stop();
      assert.deepEqual({ code, left }, { code: 0, left: [] });
    }
  });
});
