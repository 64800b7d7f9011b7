import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { backgroundClock } from '../../../platform/clock.ts';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { letPass } from '../../../testing/waiting.ts';
import type { ConsoleEntry } from '../../contract.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import { kioskForTests } from './kioskForTests.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PAGES: Record<string, string> = {
  '/': '<title>home</title><h1>home</h1>',
  '/untitled': '<h1>untitled</h1>',
  '/missing': '<h1>never more</h1><script src="/missing.js"></script>',
  '/throws': `<h1>never more</h1>\n<script>\n  throw new Error('boom');\n</script>`,
  '/recovers': '<script>throw 1</script>',
  '/calls': `<h1>calls</h1><script>const start = () =>
    container.gpioBridge.postMessage({ action: 'read', pin: 9 }).then(String);
    start()</script>`,
  '/rejects': `<h1>fine</h1><script>Promise.reject(new Error('no answer'))</script>`,
  '/foreign': '<h1>fine</h1><script src="http://other.localhost:1/tracker.js"></script>',
  '/blank': '<body style="background: #123">',
  '/frames': `<h1>frames</h1><iframe srcdoc="<script>console.log('in a frame'); throw 1</script>"></iframe>
    <script>new Worker(URL.createObjectURL(new Blob(["console.log('in a worker'); throw 'of the worker'"])))</script>`,
};

/** What everyone can read about the page: its state and its console. */
export function pageStateTests(open: OpenKiosk): void {
  describe('what the page does and says', () => {
    let kiosk: TestKiosk;
    let said: ConsoleEntry[];
    /** Holds the looks at a page while a test says so; everything else keeps real time. */
    const held = new FakeClock();
    let isHeld = false;
    const clock = {
      now: () => backgroundClock.now(),
      after: (ms: number, run: () => void) => (isHeld && ms >= 2_000 ? held : backgroundClock).after(ms, run),
    };
    beforeEach(() => {
      isHeld = false;
    });
    kioskForTests(
      () => open('/', PAGES, { clock }),
      (opened) => {
        kiosk = opened.kiosk;
        said = [];
        kiosk.host.pageConsole().open((entry) => said.push(entry));
      },
    );
    const isNow = (state: string) => until(() => kiosk.host.pageState().state === state, state);
    /** Lets the pauses between two looks pass, until one has seen it. */
    const isFound = (state: string) =>
      until(async () => {
        await held.advance(2_000);
        return kiosk.host.pageState().state === state;
      }, state);
    const heard = async (text: RegExp): Promise<ConsoleEntry> => {
      await until(() => said.some((entry) => text.test(entry.text)), String(text));
      return said.find((entry) => text.test(entry.text))!;
    };
    const show = async (path: string) => {
      said.length = 0;
      await kiosk.show(path);
    };

    test('should be shown, with its address and title, and follow the title', async () => {
      await show('/');
      await isNow('shown');
      await until(() => kiosk.host.pageState().title === 'home', 'the title');
      const { since, ...state } = kiosk.host.pageState();
      const url = `${kiosk.origin('p1')}/`;
      assert.deepEqual(state, { url, title: 'home', state: 'shown', errors: 0, home: true, until: null });
      assert.equal(new Date(since).toISOString(), since);
      await kiosk.evaluate(`void (document.title = 'another')`);
      await until(() => kiosk.host.pageState().title === 'another', 'the new title');
    });

    test('should have no title where the page has none', async () => {
      await kiosk.host.navigate(`${kiosk.origin('p1')}/untitled`);
      await until(() => kiosk.host.pageState().url.endsWith('/untitled'), 'the page');
      await isNow('shown');
      // By its next look the page has told its title, if it has one.
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      assert.equal(kiosk.host.pageState().title, '');
    });

    test('should stay shown when it goes to another place of the same document', async () => {
      await show('/');
      await isNow('shown');
      await kiosk.evaluate('void (window.isSame = true)');
      await kiosk.host.navigate(`${kiosk.origin('p1')}/#place`);
      await until(() => kiosk.host.pageState().url.endsWith('/#place'), 'the address');
      await isNow('shown');
      assert.equal(await kiosk.evaluate('window.isSame'), true);
    });

    test('should follow the address of a single-page app, and lead it home', async () => {
      await show('/');
      await isNow('shown');
      const { url: home } = kiosk.host.pageState();
      for (const [script, place] of [
        [`history.pushState(null, '', '/deep/in')`, '/deep/in'],
        [`location.hash = 'more'`, '/deep/in#more'],
        [`history.replaceState(null, '', '/?q=1')`, '/?q=1'],
      ] as const) {
        await kiosk.evaluate(`window.isSame = true; void (${script})`);
        await until(() => kiosk.host.pageState().url === `${kiosk.origin('p1')}${place}`, place);
        assert.equal(kiosk.host.pageState().state, 'shown');
      }
      await kiosk.host.navigate(home);
      await until(() => kiosk.host.pageState().url === home, 'the home page');
      await kiosk.untilTrue('window.isSame === undefined');
    });

    test('should have failed when a script of its own is missing', async () => {
      await show('/missing');
      await isNow('failed');
      assert.equal(kiosk.host.pageState().errors, 1);
      const { level, url } = await heard(/404/);
      assert.deepEqual([level, url], ['network', `${kiosk.origin('p1')}/missing.js`]);
      await until(
        () => /"level":"warn".*kiosk: a script of the page is missing/.test(kiosk.logText),
        'the warning',
      );
    });

    test('should have failed when it throws before it draws, and say where', async () => {
      await show('/throws');
      await isNow('failed');
      const { time, stack, ...entry } = await heard(/boom/);
      const url = `${kiosk.origin('p1')}/throws`;
      assert.deepEqual(entry, { level: 'exception', text: 'Uncaught Error: boom', url, line: 3, column: 9 });
      assert.match(stack ?? '', /^Error: boom\n +at .*\/throws:3:9/);
      assert.equal(new Date(time).toISOString(), time);
      await until(() => /"level":"warn".*uncaught exception/.test(kiosk.logText), 'the warning');
    });

    test('should be shown again once it draws something else', async () => {
      isHeld = true;
      await show('/recovers');
      await isNow('failed');
      await kiosk.evaluate(`void (document.body.innerHTML = '<h1>at last</h1>')`);
      await isFound('shown');
      assert.equal(kiosk.host.pageState().errors, 1);
    });

    test('should only count a rejected promise', async () => {
      await show('/rejects');
      await until(() => kiosk.host.pageState().errors === 1, 'the error');
      await isNow('shown');
      const { level, text } = await heard(/no answer/);
      assert.deepEqual([level, text], ['exception', 'Uncaught (in promise) Error: no answer']);
    });

    test('should not have failed when a script of another origin is missing', async () => {
      await show('/foreign');
      await isNow('shown');
      assert.equal((await heard(/ERR_/)).level, 'network');
      assert.equal(kiosk.host.pageState().errors, 0);
    });

    test('should be blank while it shows nothing 10 s after its load', async () => {
      isHeld = true;
      await show('/blank');
      await isNow('shown');
      await until(() => held.pending === 1, 'the end of its load');
      await held.advance(9_999);
      assert.equal(kiosk.host.pageState().state, 'shown');
      await held.advance(1);
      await isNow('blank');
      await kiosk.evaluate(`document.body.append('late')`);
      await isFound('shown');
    });

    test('should say what it writes, with level, place and values', async () => {
      await show('/');
      await kiosk.evaluate(
        `console.info('%s has %d', 'a', 7, { code: 1, list: [1] }, [1, 'b'], null, undefined), console.debug('quiet')`,
      );
      const { level, text, line, stack } = await heard(/a has 7/);
      assert.deepEqual([level, line, stack], ['info', 1, null]);
      assert.match(text, /^a has 7 \{code: 1, list: .*\} \[1, "b"\] null undefined$/);
      assert.equal((await heard(/^quiet$/)).level, 'debug');
    });

    test('should say what its frames and workers write, and not count their errors', async () => {
      await show('/frames');
      assert.equal((await heard(/in a frame/)).level, 'log');
      assert.equal((await heard(/in a worker/)).level, 'log');
      await heard(/Uncaught 1/);
      await heard(/of the worker/);
      await letPass(300);
      const times = (text: RegExp) => said.filter((entry) => text.test(entry.text)).length;
      assert.deepEqual([times(/in a worker/), times(/of the worker/)], [1, 1]);
      assert.equal(kiosk.host.pageState().errors, 0);
    });

    test('should warn of a failed message of the page that nothing in it reads', async () => {
      await show('/');
      await kiosk.evaluate(`void container.gpioBridge.postMessage({ action: 'ledColour' })`);
      const { level, text } = await heard(/nothing in the page reads the answer/);
      assert.equal(level, 'warning');
      assert.match(text, /^gpioBridge\.postMessage failed, .*There is no such action\. Known: /);
      assert.equal(kiosk.host.pageState().errors, 0);
      const before = said.length;
      await kiosk.evaluate(
        `container.gpioBridge.postMessage({ action: 'ledColour' }).catch(() => {}).then(() => 1)`,
      );
      await kiosk.evaluate(`void console.log('end of it')`);
      await heard(/end of it/);
      assert.equal(said.length, before + 1);
    });

    test('should say where the page made a call that was rejected', async () => {
      await show('/calls');
      const { level, text, url, line, stack } = await heard(/pin must be/);
      assert.deepEqual([level, text], ['exception', 'Uncaught (in promise) Error: pin must be 0 to 3.']);
      assert.deepEqual([url, line], [`${kiosk.origin('p1')}/calls`, 2]);
      assert.match(stack ?? '', /^Error: pin must be 0 to 3\.\n +at start \(http.*\/calls:2:/);
    });

    test('should say what a page can do that is refused the answer of another server', async () => {
      await show('/');
      await kiosk.evaluate(`fetch('${kiosk.origin('p2')}/').catch(() => {})`);
      const { level, text } = await heard(/http\.request/);
      assert.equal(level, 'error');
      assert.match(text, /has been blocked by CORS policy.*\. Ask devices of the local network/);
    });

    test('should say what it is refused', async () => {
      await show('/');
      await kiosk.evaluate(`void (location.href = 'http://elsewhere.localhost:1/')`);
      const { level } = await heard(/navigation refused: http:\/\/elsewhere/);
      assert.equal(level, 'security');
    });

    test('should be loading while it is brought back after a crash', async () => {
      await show('/');
      await isNow('shown');
      const { since } = kiosk.host.pageState();
      const devTools = await kiosk.devTools();
      devTools.send('Page.crash').catch(() => {});
      await until(() => kiosk.host.pageState().since !== since, 'another state');
      await isNow('shown');
      devTools.close();
    });
  });
}
