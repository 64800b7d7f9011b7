import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { type Kiosk, openKiosk } from './bareBrowser.ts';
import { GREEN } from './touch.ts';

/** The screen, and what the keys take of it, in pixels. */
const [WIDTH, HEIGHT, KEYS] = [1280, 800, 298];
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl'];
const PAGE = `<body style="margin:0;background:#00aa00">
<input id="field" style="position:absolute;left:40px;top:20px;width:500px;height:60px">
<input id="low" type="password" style="position:absolute;left:640px;top:720px;width:500px;height:60px">
<script>
  const said = [];
  for (const type of ['keydown', 'beforeinput', 'input', 'keyup'])
    addEventListener(type, ({ key, data, isTrusted }) => said.push([type, key ?? data, isTrusted].join(':')), true);
  const blurs = [];
  addEventListener('blur', ({ target }) => blurs.push(target === window ? 'window' : target.id), true);
  addEventListener('resize', () => fetch('/height/' + innerHeight));
  addEventListener('keyup', ({ key, target }) => {
    if (key === 'Enter') setTimeout(() => bare.report({ value: target.value, said, blurs, inSight: innerHeight }));
  });
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
</script>`;

describe('keyboard on a real screen', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  before(async () => {
    kiosk = await openKiosk({ env: { FACEPLATE_KEYBOARD_ENABLED: 'true' } });
  });
  after(() => kiosk?.[Symbol.asyncDispose]());
  const click = (x: number, y: number) =>
    kiosk.screen.input(`mousemove ${Math.round(x)} ${Math.round(y)} click 1`);
  const heard = (path: string) => until(() => kiosk.site.requests.includes(`bare.localhost${path}`), path);
  const rowAt = (row: number) => HEIGHT - KEYS + 5 + ((row + 0.5) * (KEYS - 9)) / 5;
  /** Clicks the keys of these characters. */
  const press = async (text: string) => {
    for (const character of text) {
      const row = ROWS.findIndex((keys) => keys.includes(character));
      const keys = ROWS[row]!;
      await click(4 + ((keys.indexOf(character) + 0.5) * (WIDTH - 8)) / keys.length, rowAt(row));
    }
  };
  /** Enter is the second key from the right in the lowest row, where a key is a tenth of it or more. */
  const pressEnter = () => click(WIDTH - 260, rowAt(4));

  for (const [field, x, y] of [
    ['a field', 290, 50],
    ['a password below the keys', 890, 750],
  ] as const)
    test(`should write into ${field} by real clicks on real keys`, async () => {
      kiosk.site.requests.splice(0, kiosk.site.requests.length);
      const reported = kiosk.site.show<{ value: string; said: string[]; blurs: string[]; inSight: number }>(
        PAGE,
      );
      await heard('/ready');
      await until(async () => (await kiosk.screen.colours()).includes(GREEN), 'its picture');
      await click(x, y);
      await heard(`/height/${HEIGHT - KEYS}`);
      // Its keys are drawn.
      await timeToGoWrong(1_000);
      await press('wall7');
      await pressEnter();
      const { value, said, blurs, inSight } = await reported;
      assert.equal(value, 'wall7');
      assert.deepEqual(said.slice(0, 4), [
        ...['keydown:w:true', 'beforeinput:w:true', 'input:w:true', 'keyup:w:true'],
      ]);
      assert.deepEqual(blurs, []);
      assert.equal(inSight, HEIGHT - KEYS);
      // Hide is the last key of the lowest row.
      await click(WIDTH - 60, rowAt(4));
      await heard(`/height/${HEIGHT}`);
    });
});
