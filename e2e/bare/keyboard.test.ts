import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { callApi, type Kiosk, shareKiosk } from './bareBrowser.ts';
import { GREEN, UNSEEN_PICTURE } from './touch.ts';

/** The screen, and what the keys take of it, in pixels. */
const [WIDTH, HEIGHT, KEYS] = [1280, 800, 298];
/** The ground of a key (server/pages/glass/look/tokens.css, dark). */
const KEY = '#212A35';
const ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl'];
const PAGE = `<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}
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

const ZOOMED = `<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}
<input id="field" style="position:absolute;left:40px;bottom:10px;width:300px;height:30px">
<script>
  addEventListener('resize', () => fetch('/height/' + innerHeight));
  addEventListener('keyup', ({ key }) => {
    const { bottom } = field.getBoundingClientRect();
    if (key === 'Enter') setTimeout(() => bare.report({ value: field.value, inSight: innerHeight, bottom }));
  });
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
</script>`;
const CHOOSERS = `<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}
<select style="position:absolute;left:20px;top:20px;width:180px;height:60px"><option>one<option>two</select>
<input type="date" style="position:absolute;left:240px;top:20px;width:200px;height:60px;font-size:20px">
<script>
  addEventListener('resize', () => fetch('/choosers/' + innerHeight));
  addEventListener('change', ({ target }) => fetch((target.type === 'date' ? '/date/' : '/list/') + target.value));
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
</script>`;

describe('keyboard on a real screen', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk(
    (opened) => {
      kiosk = opened;
    },
    { env: { FACEPLATE_KEYBOARD_ENABLED: 'true' } },
  );
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
  /** The keys are there and drawn: the first of the second row. */
  const drawn = () => until(() => kiosk.screen.colourAt(20, Math.round(rowAt(1))) === KEY, 'the keys');
  const view = async (display: object) => {
    assert.equal((await callApi(kiosk.service, 'POST', 'remote/display', display)).status, 200);
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
      await drawn();
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

  for (const zoom of [1.5, 2])
    test(`should write into a field at the lower edge of a page of zoom ${zoom}, and keep it in sight`, async () => {
      await view({ zoom });
      kiosk.site.requests.splice(0, kiosk.site.requests.length);
      const reported = kiosk.site.show<{ value: string; inSight: number; bottom: number }>(ZOOMED);
      // Its last pixels fill the screen to its corner.
      await until(() => kiosk.screen.colourAt(WIDTH - 2, HEIGHT - 2) === GREEN, 'its picture');
      await heard('/ready');
      await click(200, HEIGHT - 40);
      await heard(`/height/${Math.round((HEIGHT - KEYS) / zoom)}`);
      await drawn();
      await press('wall7');
      await pressEnter();
      const { value, inSight, bottom } = await reported;
      assert.equal(value, 'wall7');
      assert.ok(bottom <= inSight, `${bottom} of ${inSight}`);
      await click(WIDTH - 60, rowAt(4));
      await heard(`/height/${Math.round(HEIGHT / zoom)}`);
      await view({ zoom: 1 });
      await heard(`/height/${HEIGHT}`);
    });

  test('should leave lists and dates to their choosers, which open without the keys', async () => {
    kiosk.site.requests.splice(0, kiosk.site.requests.length);
    void kiosk.site.show(CHOOSERS);
    await heard('/ready');
    await until(() => kiosk.screen.colourAt(WIDTH - 2, HEIGHT - 2) === GREEN, 'its picture');
    await click(100, 50);
    await timeToGoWrong(500);
    await kiosk.screen.input('key Down');
    await kiosk.screen.input('key Return');
    await heard('/list/two');
    // The sign of the calendar, in which today is chosen by Enter.
    await click(420, 50);
    await timeToGoWrong(500);
    // On a busy machine it opens later; until then the key does nothing.
    await until(async () => {
      await kiosk.screen.input('key Return');
      return kiosk.site.requests.some((path) => /\/date\/\d{4}-\d\d-\d\d$/.test(path));
    }, 'the date');
    assert.equal(kiosk.screen.colourAt(2, HEIGHT - 3), GREEN);
    assert.deepEqual(
      kiosk.site.requests.filter((path) => path.includes('/choosers/')),
      [],
    );
  });
});
