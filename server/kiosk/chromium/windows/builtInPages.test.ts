import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { FaceplateError } from '../../../contract/errors.ts';
import type { DevTools } from '../../testing/devTools.ts';
import { Own, PAGES } from '../../testing/ownPages.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';

const click = async (tools: DevTools) => {
  for (const type of ['mousePressed', 'mouseReleased'])
    await tools.send('Input.dispatchMouseEvent', { type, x: 300, y: 300, button: 'left', clickCount: 1 });
};

/** Clicks until the page hears it: one that is not drawn yet drops all input. */
const clickUntilHeard = (tools: DevTools, what: string) =>
  until(async () => {
    await click(tools);
    return tools.evaluate<boolean>(`heard.includes('click')`);
  }, what);

describe('built-in pages in a headless kiosk', () => {
  let kiosk: TestKiosk;
  let own: Own;
  before(async () => {
    kiosk = new TestKiosk();
    for (const [path, html] of Object.entries(PAGES)) kiosk.pages.set(path, html);
    await kiosk.serve();
    await kiosk.makeHost({ fakeMedia: true });
    own = new Own(kiosk);
    await kiosk.host.sleep(() => {});
    await own.open('intercom');
    await kiosk.start('/');
  });
  after(() => kiosk?.[Symbol.asyncDispose]());

  test('should run an unseen page that is opened before the start, even if the panel sleeps from then on', async () => {
    await until(() => own.said.length === 1, 'the page');
    const tools = await kiosk.ownTools('intercom');
    tools.send('Page.crash').catch(() => {});
    await until(() => own.said.length === 2, 'the page again');
    tools.close();
    await kiosk.untilWindows(3);
  });

  describe('that is awake', () => {
    const rest = async () => {
      await kiosk.host.wake();
      await own.reset();
      await kiosk.untilTrue('Array.isArray(heard)');
      await kiosk.evaluate('heard = []');
    };
    before(rest);
    afterEach(rest);

    test('should be gone once they are closed, even while they begin', async () => {
      for (let time = 0; time < 6; time++) await (await own.open('intercom')).close();
      for (let time = 0; time < 3; time++) await (await own.open('settings')).close();
      await kiosk.untilWindows(1);
    });

    test('should talk to the service over their own channel', async () => {
      const opened = await own.open('settings');
      await until(() => own.said.length === 1, 'the first word');
      assert.deepEqual(own.said, ['"hello"']);
      assert.equal(own.caller?.origin, kiosk.origin('settings'));
      own.caller?.reply('{"a":1}');
      await until(async () => (await own.evaluate<unknown[]>('settings', 'got')).length === 1, 'the answer');
      assert.deepEqual(await own.evaluate('settings', 'got'), [{ a: 1 }]);
      await opened.close();
      await opened.close();
      assert.deepEqual([own.pagesGone, own.gone], [1, 0]);
      await kiosk.untilWindows(1);
    });

    test('should open each page only once at a time', async () => {
      await own.open('intercom');
      await own.open('settings');
      await assert.rejects(own.open('settings'), /open already/);
      await kiosk.untilWindows(3);
    });

    test('should keep the pace of an unseen page while the panel sleeps', async () => {
      await own.open('intercom');
      await kiosk.host.sleep(() => {});
      const before = await own.evaluate<number>('intercom', 'ticks');
      // A throttled page has one tick in a second: it would not get there in time.
      await until(async () => (await own.evaluate<number>('intercom', 'ticks')) > before + 100, 'ticks');
    });

    test('should take the input from the kiosk page while a built-in page covers it', async () => {
      const page = await kiosk.devTools();
      const opened = await own.open('settings');
      const tools = await kiosk.ownTools('settings');
      await click(page);
      await clickUntilHeard(tools, 'the click');
      assert.deepEqual(await page.evaluate('heard'), []);
      tools.close();
      await opened.close();
      await clickUntilHeard(page, 'the click below');
      page.close();
    });

    test('security: should be dark and get no input while the panel sleeps', async () => {
      await own.open('settings');
      const tools = await kiosk.ownTools('settings');
      await kiosk.host.sleep(() => {});
      await click(tools);
      assert.deepEqual(await tools.evaluate('heard'), []);
      await kiosk.host.wake();
      await until(async () => {
        await tools.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'a' });
        return tools.evaluate<boolean>(`heard.length > 0`);
      }, 'the key');
      // The earlier click has not arrived later either.
      assert.deepEqual([...new Set(await tools.evaluate<string[]>('heard'))], ['keydown']);
      tools.close();
      await kiosk.untilWindows(2);
    });

    test('security: should not be on the screenshot that callers get', async () => {
      const before = await kiosk.host.screenshot();
      await own.open('settings');
      assert.equal(Buffer.compare(await kiosk.host.screenshot(), before), 0);
    });

    test('should run unseen at full pace, with camera and microphone if granted', async () => {
      await own.open('intercom');
      await until(() => own.said.length === 1, 'the page');
      await until(async () => (await own.evaluate<number>('intercom', 'drawn')) > 20, 'frames');
      assert.equal(await own.evaluate('intercom', 'document.visibilityState'), 'visible');
      const capture = `navigator.mediaDevices.getUserMedia({ audio: true, video: true })
      .then((stream) => stream.getTracks().length, (error) => error.name)`;
      assert.equal(await own.evaluate('intercom', capture), 2);
      // The kiosk page still has the screen and the input.
      assert.equal(await kiosk.evaluate('document.visibilityState'), 'visible');
      await own.open('settings');
      assert.equal(await own.evaluate('settings', capture), 'NotAllowedError');
      // Other origins for the kiosk page remove no permission from it.
      kiosk.bridgeOrigins.push(kiosk.origin('p2'));
      await kiosk.host.reload();
      await kiosk.untilTrue('Array.isArray(heard)');
      assert.equal(await own.evaluate('intercom', capture), 2);
      kiosk.bridgeOrigins.pop();
    });

    test('should bring unseen pages back after a crash, and only report a visible one', async () => {
      await own.open('intercom');
      await own.open('settings');
      for (const name of ['intercom', 'settings'] as const) {
        const tools = await kiosk.ownTools(name);
        tools.send('Page.crash').catch(() => {});
        await until(() => (name === 'settings' ? own.gone === 1 : own.said.length >= 3), `${name} to end`);
        tools.close();
      }
      await kiosk.untilWindows(2);
      assert.equal(own.gone, 1);
      assert.deepEqual(kiosk.host.recoveries(), {});
      // The page below gets input again.
      const page = await kiosk.devTools();
      await clickUntilHeard(page, 'a click below');
      page.close();
    });

    test('should bring unseen pages back behind a new window and in a new browser', async () => {
      await own.open('intercom');
      await until(() => own.said.length === 1, 'the page');
      const page = await kiosk.devTools();
      await page.send('Page.close').catch(() => {});
      page.close();
      await until(() => own.said.length === 2, 'the page behind the new window');
      await kiosk.untilTrue('Array.isArray(heard)');
      assert.equal(await kiosk.evaluate('document.visibilityState'), 'visible');
      await own.open('settings');
      // It opens before its script runs; one that had said nothing would be missing below.
      await until(() => own.said.length === 3, 'the word of the settings page');
      kiosk.debugPort = 0;
      process.kill(await kiosk.browserPid(), 'SIGKILL');
      await until(() => own.said.length === 4 && own.gone === 1, 'the page in the new browser');
      await kiosk.untilTrue('Array.isArray(heard)');
      await kiosk.untilWindows(2);
    });

    test('should open unseen ones once nothing covers the kiosk page', async () => {
      await kiosk.host.sleep(() => {});
      await own.open('intercom');
      assert.deepEqual(own.said, []);
      await kiosk.host.wake();
      await until(() => own.said.length === 1, 'the page');
      assert.equal(await kiosk.evaluate('document.visibilityState'), 'visible');
      await kiosk.untilWindows(2);
    });

    test('security: neither a frame of it nor the kiosk page has the channel', async () => {
      const opened = await own.open('settings', { path: '/frames' });
      const tools = await kiosk.ownTools('settings');
      await until(() => tools.evaluate<boolean>('frames.length === 4'), 'the frames');
      await until(() => own.said.length === 1, 'the page');
      const strange = `Object.getOwnPropertyNames(globalThis).filter((name) => /^_[0-9a-f]{24}$|^faceplate/.test(name))`;
      assert.deepEqual(
        await tools.evaluate(`[0, 1, 2].map((frame) => {
        const names = Object.getOwnPropertyNames(frames[frame]);
        return names.filter((name) => /^_[0-9a-f]{24}$|^faceplate/.test(name)).length;
      })`),
        [0, 0, 0],
      );
      tools.close();
      assert.deepEqual(
        (await kiosk.evaluate<string[]>(strange)).filter((name) => name === 'faceplateHost'),
        [],
      );
      // A page of the same origin in the kiosk's own window does not have it either.
      await opened.close();
      kiosk.mayNavigate = () => true;
      await kiosk.host.navigate(`${kiosk.origin('settings')}/own`);
      await until(
        () =>
          own
            .evaluate<boolean>('settings', `!!heard && typeof faceplateHost === 'undefined'`)
            .catch(() => false),
        'it',
      );
      kiosk.mayNavigate = (url) => kiosk.bridgeOrigins.includes(url.origin);
      await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
      await kiosk.untilTrue('Array.isArray(heard)');
      assert.equal(own.said.length, 1);
    });

    test('security: it cannot be navigated away, and a page that ends up elsewhere is closed', async () => {
      await own.open('settings');
      await until(() => own.said.length === 1, 'the page');
      kiosk.requests.length = 0;
      for (const url of [kiosk.origin('p1'), `${kiosk.origin('intercom')}/own`])
        await own.evaluate('settings', `location.href = '${url}'`);
      await own.evaluate('settings', `void open('/own')`);
      await kiosk.untilWindows(2);
      const ticks = await own.evaluate<number>('settings', 'ticks');
      await until(async () => (await own.evaluate<number>('settings', 'ticks')) > ticks, 'the page to go on');
      assert.deepEqual(
        kiosk.requests.filter((request) => !request.endsWith('favicon.ico')),
        [],
      );
      own.evaluate('settings', `location.href = 'about:blank'`).catch(() => {});
      await until(() => own.gone === 1, 'the page to be closed');
    });

    test('should say so when no page can be shown', async () => {
      await assert.rejects(
        own.open('settings', { url: 'http://settings.localhost:1/' }),
        (error) => error instanceof FaceplateError && error.code === 'HARDWARE_ERROR',
      );
      await kiosk.untilWindows(1);
      await own.open('settings');
    });
  });
});
