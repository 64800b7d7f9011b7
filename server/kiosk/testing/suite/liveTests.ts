import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { LiveWatch, PageSize } from '../../host.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { LendKiosk } from './openKiosk.ts';

/** A page that notes what it hears, with a button, a field and a box that can move. */
const HOME = `<!doctype html><body style="margin:0;background:#00aa00">
  <button style="position:absolute;left:100px;top:100px;width:200px;height:100px;border:0">press</button>
  <input style="position:absolute;left:100px;top:300px;caret-color:transparent">
  <div id=box style="position:absolute;top:500px;width:100px;height:100px;background:white"></div>
  <script>
    heard = []; trusted = true;
    for (const type of ['pointerdown', 'pointermove', 'pointerup', 'click', 'keydown', 'input'])
      addEventListener(type, (event) => {
        trusted &&= event.isTrusted;
        heard.push(event.key ?? (event.clientX === undefined ? type : type + ' ' + event.clientX + ',' + event.clientY));
      }, true);
    document.querySelector('button').onclick = () => { document.body.style.background = '#aa0000'; };
    move = () => { let x = 0; moving = setInterval(() => { box.style.left = (x += 3) % 1000 + 'px'; }, 8); };
    rest = () => { clearInterval(moving); box.style.left = '1100px'; };
    elements = () => document.querySelectorAll('*').length;
  </script>`;

interface Picture {
  readonly jpeg: Uint8Array;
  readonly size: PageSize;
  readonly at: number;
}

/** How viewers elsewhere see the page and touch it. */
export function liveTests(open: LendKiosk): void {
  describe('the live screen', () => {
    let kiosk: TestKiosk;
    let watch: LiveWatch | undefined;
    const pictures: Picture[] = [];
    const begin = (): void => {
      pictures.length = 0;
      watch = kiosk.host.watch({
        onPicture: (jpeg, size) => pictures.push({ jpeg, size, at: performance.now() }),
      });
    };
    /** Nothing new has come for half a second. */
    const settled = async (): Promise<void> => {
      await until(() => pictures.length > 0, 'a picture');
      for (let seen = -1; seen !== pictures.length; ) {
        seen = pictures.length;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    };
    before(async () => {
      kiosk = await open('/', { '/': HOME, '/next': '<body style="margin:0;background:#0000aa">next' });
      await kiosk.untilTrue(`document.readyState === 'complete'`);
    });
    after(async () => kiosk?.[Symbol.asyncDispose]());
    afterEach(async () => {
      watch?.stop();
      await kiosk.show('/');
    });

    test('should show the page at once, then each change once, and nothing while it stands', async () => {
      begin();
      await settled();
      const [first] = pictures;
      assert.deepEqual([...first!.jpeg.subarray(0, 2)], [0xff, 0xd8]);
      assert.deepEqual(first!.size, { width: 1280, height: 800 });
      const before = pictures.length;
      await kiosk.evaluate(`document.body.style.background = '#0000aa'`);
      await settled();
      assert.equal(pictures.length, before + 1);
    });

    test('should show at most 10 pictures a second of a moving page, and its last one', async () => {
      begin();
      await settled();
      pictures.length = 0;
      await kiosk.evaluate('move()');
      await until(() => pictures.length > 21, '22 pictures');
      const ms = pictures[21]!.at - pictures[0]!.at;
      assert.ok(ms > 2_000, `22 pictures in ${ms} ms`);
      await kiosk.evaluate('rest()');
      await settled();
      const last = pictures.at(-1)!.jpeg;
      watch!.stop();
      begin();
      await settled();
      assert.equal(Buffer.compare(pictures.at(-1)!.jpeg, last), 0);
    });

    test('should touch the page as a finger does, and type into it', async () => {
      begin();
      await settled();
      watch!.input({ type: 'down', x: 150, y: 150 });
      watch!.input({ type: 'move', x: 152, y: 151 });
      watch!.input({ type: 'up', x: 152, y: 151 });
      await kiosk.untilTrue(`document.body.style.background.includes('170, 0, 0')`);
      watch!.input({ type: 'tap', x: 120, y: 310 });
      watch!.input({ type: 'text', text: 'Grüße' });
      for (const key of ['x', 'Backspace', '!', 'NoSuchKey', 'Enter']) watch!.input({ type: 'key', key });
      await kiosk.untilTrue(`document.activeElement.value === 'Grüße!'`);
      const heard = await kiosk.evaluate<string[]>('heard');
      assert.deepEqual(
        heard.filter((what) => !what.startsWith('pointermove')),
        [
          ...['pointerdown 150,150', 'pointerup 152,151', 'click 150,150'],
          ...['pointerdown 120,310', 'pointerup 120,310', 'click 120,310'],
          ...['input', 'x', 'input', 'Backspace', 'input', '!', 'input', 'Enter'],
        ],
      );
      assert.equal(await kiosk.evaluate('trusted'), true);
    });

    test('should lift the finger when the watch ends', async () => {
      begin();
      await settled();
      watch!.input({ type: 'down', x: 700, y: 150 });
      await kiosk.untilTrue(`heard.includes('pointerdown 700,150')`);
      watch!.stop();
      await kiosk.untilTrue(`heard.some((what) => what.startsWith('pointerup'))`);
    });

    test('should show and touch the page below a built-in page', async () => {
      const own = await kiosk.host.openBuiltIn({
        name: 'settings',
        url: `http://settings.localhost:${kiosk.port}/next`,
        visible: true,
        media: false,
        sink: { onMessage: () => {}, onPageGone: () => {} },
      });
      begin();
      await settled();
      watch!.input({ type: 'tap', x: 150, y: 150 });
      await kiosk.untilTrue(`document.body.style.background.includes('170, 0, 0')`);
      await settled();
      const red = pictures.at(-1)!.jpeg;
      await own.close();
      watch!.stop();
      begin();
      await settled();
      assert.equal(Buffer.compare(pictures.at(-1)!.jpeg, red), 0);
    });

    test('should be black during sleep, and the touch that wakes the panel should not reach the page', async () => {
      begin();
      await settled();
      const awake = pictures.at(-1)!.jpeg;
      let wakes = 0;
      await kiosk.host.sleep(() => {
        wakes++;
      });
      await settled();
      const asleep = pictures.at(-1)!.jpeg;
      assert.notEqual(Buffer.compare(asleep, awake), 0);
      assert.ok(asleep.length < awake.length);
      watch!.input({ type: 'down', x: 150, y: 150 });
      watch!.input({ type: 'move', x: 150, y: 151 });
      watch!.input({ type: 'up', x: 150, y: 151 });
      assert.equal(wakes, 1);
      await kiosk.host.wake();
      await until(() => Buffer.compare(pictures.at(-1)!.jpeg, awake) === 0, 'the page');
      // The pointer of the machine, which may rest over the page, enters it when the black goes.
      const heard = await kiosk.evaluate<string[]>('heard');
      assert.deepEqual(
        heard.filter((what) => !/^pointermove (?!150,)/.test(what)),
        [],
      );
    });

    test('should follow the page over navigation, crash and restart', async () => {
      begin();
      await settled();
      const home = pictures.at(-1)!.jpeg;
      const isHome = () => Buffer.compare(pictures.at(-1)!.jpeg, home) === 0;
      await kiosk.host.navigate(`${kiosk.origin('p1')}/next`);
      await until(() => !isHome(), 'the next page');
      await kiosk.host.navigate(`${kiosk.origin('p1')}/`);
      await until(isHome, 'the page again');
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      await kiosk.evaluate(`document.body.style.background = '#0000aa'`);
      await until(() => !isHome(), 'the change');
      const page = await kiosk.devTools();
      page.send('Page.crash').catch(() => {});
      await until(isHome, 'the page after a crash');
      page.close();
    });

    test('should mark the page while somebody watches, where the page can neither see nor measure it', async () => {
      const elements = await kiosk.evaluate<number>('elements()');
      begin();
      await settled();
      const host = 'document.documentElement.lastElementChild';
      assert.equal(await kiosk.evaluate('elements()'), elements + 1);
      assert.deepEqual(
        await kiosk.evaluate(
          `[${host}.shadowRoot, ${host}.textContent, ${host}.innerHTML, document.elementFromPoint(1260, 18) === ${host}]`,
        ),
        [null, '', '', false],
      );
      const page = await kiosk.devTools();
      const { nodes } = await page.send<{ nodes: { name?: { value: string } }[] }>(
        'Accessibility.getFullAXTree',
      );
      page.close();
      assert.ok(nodes.some(({ name }) => name?.value === 'Somebody watches this screen live'));
      watch!.stop();
      await kiosk.untilTrue(`elements() === ${elements}`);
    });
  });
}
