import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import type { FieldFocus } from '../../host.ts';
import type { DevTools } from '../devTools.ts';
import { type TestKiosk, until } from '../testKiosk.ts';
import type { OpenKiosk } from './openKiosk.ts';

const PLACED = 'position:absolute;box-sizing:border-box;border:0;width:200px;height:40px';
const PAGES = {
  '/': `<!doctype html><body style="margin:0;height:800px;overflow:hidden">
    <input id="plain" type="email" inputmode="text" style="${PLACED};left:0;top:0">
    <div id="shut" style="${PLACED};left:300px;top:0"></div>
    <iframe id="far" style="${PLACED};left:600px;top:0"></iframe>
    <input id="date" type="date" style="${PLACED};left:0;top:100px">
    <input id="time" type="time" style="${PLACED};left:300px;top:100px">
    <input id="own" type="date" onclick="event.preventDefault()" style="${PLACED};left:600px;top:100px">
    <input id="low" style="${PLACED};left:0;top:700px">
    <script>
      const tree = shut.attachShadow({ mode: 'closed' });
      tree.innerHTML = '<input style="width:190px;height:30px">';
      inShut = () => tree.firstChild.value;
      far.src = location.href.replace('p1.', 'p2.') + 'frame';
    </script>`,
  '/frame': `<!doctype html><body style="margin:0"><input style="width:190px;height:30px">`,
  '/own': `<!doctype html><body style="margin:0"><input id="pin" inputmode="numeric" style="${PLACED};left:0;top:0">`,
};

/** Where a person writes: fields, the keys of the keyboard on the screen, and the room that it takes. */
export function keyboardTests(open: OpenKiosk): void {
  describe('fields and keys', () => {
    let kiosk: TestKiosk;
    let page: DevTools;
    let focus: FieldFocus | undefined;
    before(async () => {
      kiosk = await open('/', PAGES, {
        onField: (now) => {
          focus = now;
        },
      });
      await kiosk.untilTrue(`document.readyState === 'complete'`);
      page = await kiosk.devTools();
    });
    after(async () => {
      page?.close();
      await kiosk?.[Symbol.asyncDispose]();
    });
    beforeEach(async () => {
      await kiosk.host.makeRoom(0);
      await kiosk.show('/');
      focus = undefined;
    });

    const touch = async (x: number, y: number, tools = page) => {
      await tools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y, id: 0 }] });
      await tools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
    };
    const click = async (x: number, y: number) => {
      for (const type of ['mousePressed', 'mouseReleased'])
        await page.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    };
    const isFocused = (type: string) => until(() => focus?.field.type === type, `the focus in ${type}`);
    const press = async (...keys: string[]) => {
      for (const key of keys) await kiosk.host.pressKey(key);
    };

    test('should tell which field has the focus, and who gave it the focus', async () => {
      await touch(100, 20);
      await isFocused('email');
      assert.deepEqual(focus, { field: { type: 'email', inputMode: 'text', enterKeyHint: '' }, by: 'touch' });
      await page.evaluate('plain.blur()');
      await until(() => focus === undefined, 'no focus');
      await page.evaluate('low.focus()');
      await isFocused('text');
      assert.equal(focus?.by, null);
      await kiosk.host.reload();
      await until(() => focus === undefined, 'no focus after a reload');
    });

    test('should open the chooser of a date or time wherever it is touched', async () => {
      // Enter takes what the chooser offers; without one it does nothing in such a field.
      const enter = async () => {
        for (const type of ['rawKeyDown', 'keyUp'])
          await page.send('Input.dispatchKeyEvent', {
            type,
            key: 'Enter',
            code: 'Enter',
            windowsVirtualKeyCode: 13,
          });
      };
      const isChosen = async (id: string, x: number) => {
        await touch(x, 120);
        await kiosk.untilTrue(`document.activeElement.id === '${id}'`);
        await until(async () => {
          await enter();
          return page.evaluate<boolean>(`${id}.value !== ''`);
        }, `a choice in ${id}`);
      };
      await isChosen('date', 20);
      await isChosen('time', 320);
      await page.evaluate(`date.value = ''`);
      await isChosen('date', 100);
      await touch(620, 120);
      await kiosk.untilTrue(`document.activeElement.id === 'own'`);
      await enter();
      assert.equal(await page.evaluate('own.value'), '');
      assert.equal(focus, undefined);
    });

    test('should press keys in a field, in a closed shadow tree, and in a frame of another site', async () => {
      await press('x');
      await touch(100, 20);
      await isFocused('email');
      await press('h', 'I', '€', 'Backspace');
      await kiosk.untilTrue(`plain.value === 'hI'`);
      await touch(400, 20);
      await isFocused('text');
      await press('c');
      await kiosk.untilTrue(`inShut() === 'c'`);
      await page.evaluate('void document.activeElement.blur()');
      await until(() => focus === undefined, 'no focus');
      // Touches of a session reach no frame of another process in Chromium 130.
      await click(700, 20);
      await isFocused('text');
      await press('f');
      const frame = await kiosk.frameTools();
      await until(() => frame.evaluate<boolean>(`document.querySelector('input').value === 'f'`), 'the key');
      // A frame that is gone has no focus.
      await page.evaluate('far.remove()');
      await until(() => focus === undefined, 'no focus without its frame');
      frame.close();
    });

    test('should keep room below the page, the field in sight and the focus in the page', async () => {
      await touch(100, 720);
      await isFocused('text');
      await kiosk.host.makeRoom(300);
      await kiosk.untilTrue('innerHeight === 500');
      await kiosk.untilTrue(
        `low.getBoundingClientRect().bottom <= 484 && low.getBoundingClientRect().top >= 0`,
      );
      assert.equal(await kiosk.evaluate('document.getAnimations().length'), 0);
      assert.deepEqual(await kiosk.evaluate('[screen.height, document.hasFocus()]'), [800, true]);
      await kiosk.host.makeRoom(0);
      await kiosk.untilTrue('innerHeight === 800');
      assert.equal(await kiosk.evaluate('document.activeElement.id'), 'low');
    });

    test('should know the fields of the settings page', async () => {
      const sink = { onMessage: () => {}, onPageGone: () => {} };
      const url = `${kiosk.origin('settings')}/own`;
      const opened = await kiosk.host.openBuiltIn({
        name: 'settings',
        url,
        visible: true,
        media: false,
        sink,
      });
      const own = await kiosk.ownTools('settings');
      await until(() => own.evaluate<boolean>(`document.readyState === 'complete'`), 'the settings page');
      await touch(100, 20, own);
      await until(() => focus?.field.inputMode === 'numeric', 'the focus');
      await press('7');
      await until(() => own.evaluate<boolean>(`pin.value === '7'`), 'the key');
      await kiosk.host.makeRoom(300);
      await until(() => own.evaluate<boolean>('innerHeight === 500'), 'the room');
      assert.equal(await kiosk.evaluate('innerHeight'), 800);
      own.close();
      await opened.close();
      await until(() => focus === undefined, 'no focus');
    });
  });
}
