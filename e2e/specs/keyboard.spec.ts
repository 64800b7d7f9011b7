import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { hostKind } from '../electronProcess.ts';
import { test as base, expect } from '../fixtures.ts';
import { glassOf } from '../kioskService.ts';
import { OnScreenKeyboard } from '../onScreenKeyboard.ts';

/** Notes each event of writing, as `type:what:trusted`. */
const NOTED = `window.noted = [];
for (const type of ['keydown', 'beforeinput', 'input', 'keyup'])
  addEventListener(type, (event) => noted.push([type, event.key ?? event.data, event.isTrusted].join(':')), true);`;
const FIELDS = `<!doctype html><body style="margin:0;height:760px;position:relative">
<input id="plain"><textarea id="area"></textarea><div id="editable" contenteditable style="height:30px">.</div>
<input id="secret" type="password"><input id="number" type="number"><input id="none" inputmode="none">
<input id="readonly" readonly><input id="pin" inputmode="numeric" enterkeyhint="done">
<select id="select"><option>a<option>b</select><input id="date" type="date"><button id="button">b</button>
<div id="open" style="width:200px"></div><div id="shut" style="width:200px"></div><div id="nested" style="width:200px"></div>
<form id="form" onsubmit="window.sent = what.value; return false"><input id="what" type="search"></form>
<div id="again"><input id="fresh"></div>
<input id="react">
<input id="low" style="position:absolute;top:730px;left:600px">
<script>${NOTED}
open_ = document.getElementById('open').attachShadow({ mode: 'open' });
open_.innerHTML = '<input id="inner" style="width:190px">';
const tree = shut.attachShadow({ mode: 'closed' });
tree.innerHTML = '<input id="one" style="width:190px"><input id="two" style="width:190px">';
window.inClosed = () => [...tree.querySelectorAll('input')].map(({ value }) => value).join();
const outer = nested.attachShadow({ mode: 'closed' });
outer.innerHTML = '<div></div>';
const deep = outer.firstChild.attachShadow({ mode: 'closed' });
deep.innerHTML = '<input style="width:190px">';
window.inNested = () => deep.firstChild.value;
// A page that draws its field anew at each key.
again.addEventListener('input', ({ target }) => {
  const { value } = target;
  again.innerHTML = '<input id="fresh">';
  const field = again.firstChild;
  field.value = value;
  setTimeout(() => { field.focus(); field.setSelectionRange(value.length, value.length); }, 20);
});
// As a controlled input of React: what is typed goes back to the state, which is set again, in upper case.
{
  let state = '';
  const { set, get } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
  react.addEventListener('input', () => {
    state = get.call(react).toUpperCase();
    set.call(react, state);
  });
}
</script>`;
/** A frame of the same site, and one of another. */
const FRAMES = `<iframe id="near" src="/frame" width="300" height="60"></iframe>
<iframe id="far" width="300" height="60"></iframe>
<script>far.src = location.href.replace('p1.', 'p2.') + 'frame';</script>`;
const FRAME = `<!doctype html><body style="margin:0"><input id="framed" style="width:280px;height:50px"><script>${NOTED}</script>`;

const SHOWN = '/api/remote/page';

interface Opened {
  readonly page: Page;
  readonly board: OnScreenKeyboard;
}

interface Fixtures {
  /** Shows these pages on the panel, and hands out the first with the keyboard of the panel. */
  open(pages?: Readonly<Record<string, string>>): Promise<Opened>;
}

const test = base.extend<Fixtures>({
  open: async ({ panel, api, openPage, startSite }, use) => {
    const boards: OnScreenKeyboard[] = [];
    await use(async (pages = { '/': FIELDS }) => {
      const url = `${(await startSite(pages)).origin()}/`;
      await api(`${SHOWN}/show`, { url });
      await expect.poll(async () => (await api(SHOWN)).body).toMatchObject({ url, state: 'shown' });
      const page = await openPage(panel);
      await expect
        .poll(() => page.evaluate('[location.href, document.readyState]'))
        .toEqual([url, 'complete']);
      const board = await OnScreenKeyboard.of(panel, page);
      boards.push(board);
      return { page, board };
    });
    for (const board of boards) await board.detach();
    await api(`${SHOWN}/home`, {});
    await expect.poll(async () => (await api(SHOWN)).body).toMatchObject({ home: true, state: 'shown' });
  },
});
test.slow();

const written = (page: Page, id: string) =>
  expect.poll(() => page.evaluate(`${id}.value ?? ${id}.textContent`));

test('should write into fields of every kind, with trusted keys', async ({ open, panel }) => {
  const { page, board } = await open();
  await board.touch('#plain');
  await board.isOpen();
  await page.evaluate('noted.length = 0');
  await board.press('h', 'Shift', 'I', 'Space', '1', 'x', 'Backspace', '.');
  await written(page, 'plain').toBe('hI 1.');
  expect(await page.evaluate<string[]>('noted.slice(0, 8)')).toEqual([
    ...['keydown:h:true', 'beforeinput:h:true', 'input:h:true', 'keyup:h:true'],
    ...['keydown:I:true', 'beforeinput:I:true', 'input:I:true', 'keyup:I:true'],
  ]);
  // From field to field it stays.
  await board.touch('#area');
  await board.press('a', 'Enter', 'b');
  await written(page, 'area').toBe('a\nb');
  await board.touch('#editable');
  await board.press('z');
  await written(page, 'editable').toContain('z');
  await board.touch('#secret');
  // Keys for another kind of field begin with small letters.
  await expect(board.keys.locator('.keys')).toHaveAttribute('data-mode', 'password');
  await board.press('p', 'Symbols', '€', 'Symbols', 'w');
  await written(page, 'secret').toBe('p€w');
  expect(panel.output).not.toContain('p€');
  await board.touch('#number');
  await expect(board.keys.getByRole('button', { name: 'q', exact: true })).toHaveCount(0);
  await board.press('-', '4', '.', '2');
  await written(page, 'number').toBe('-4.2');
  await board.touch('#pin');
  await expect(board.keys.getByRole('button', { name: ',', exact: true })).toHaveCount(0);
  await expect(board.keys.getByRole('button', { name: 'Enter', exact: true })).toHaveText('Done');
  await board.press('7', '0');
  await written(page, 'pin').toBe('70');
  await board.touch('#what');
  await board.press('s', 'o', 'Enter');
  await expect.poll(() => page.evaluate('window.sent')).toBe('so');
  await board.touch('#react');
  await board.press('a', 'b', 'c');
  await written(page, 'react').toBe('ABC');
  await board.touch('#fresh');
  for (const text of ['a', 'ab', 'abc']) {
    await board.press(text.at(-1)!);
    // A key goes where the focus is when it comes: this finger would be faster than the page.
    await written(page, 'fresh').toBe(text);
    await expect
      .poll(() => page.evaluate('document.activeElement === fresh && fresh.selectionStart'))
      .toBe(text.length);
  }
  await board.isOpen();
});

test('should write into shadow trees, open and closed', async ({ open }) => {
  const { page, board } = await open();
  await board.touch('#open');
  await board.isOpen();
  await board.press('o');
  await expect.poll(() => page.evaluate('open_.querySelector("input").value')).toBe('o');
  await board.touch('#button');
  await board.isClosed();

  const at = (await page.locator('#shut').boundingBox())!;
  await board.touchAt(at.x + 50, at.y + 10);
  await board.isOpen();
  await board.press('c');
  // A key goes where the focus is when it comes: this finger would be faster than the panel.
  await expect.poll(() => page.evaluate('inClosed()')).toBe('c,');
  await board.touchAt(at.x + 50, at.y + at.height - 10);
  await board.press('d');
  await expect.poll(() => page.evaluate('inClosed()')).toBe('c,d');
  await board.touch('#nested');
  await board.press('e');
  await expect.poll(() => page.evaluate('inNested()')).toBe('e');
  await board.touch('#button');
  await board.isClosed();
});

test('should write into frames of both processes', async ({ open }) => {
  const { page, board } = await open({ '/': `${FIELDS}${FRAMES}`, '/frame': FRAME });
  for (const frame of ['#near', '#far']) {
    await board.touch('#framed', frame);
    await board.isOpen();
    await board.press('f', 'g');
    const field = page.frameLocator(frame).locator('#framed');
    await expect(field).toHaveValue('fg');
    expect(await field.evaluate(() => (globalThis as unknown as { noted: string[] }).noted[0])).toBe(
      'keydown:f:true',
    );
    await board.touch('#button');
    await board.isClosed();
  }
});

test('should keep the field in sight, give the room back, and open for a touch alone', async ({ open }) => {
  const { page, board } = await open();
  await page.evaluate('plain.focus()');
  for (const id of ['none', 'readonly', 'select', 'date', 'button']) await board.touch(`#${id}`);
  await page.keyboard.press('Escape');
  await timeToGoWrong(500);
  await board.isClosed();

  await board.touch('#low');
  await board.isOpen();
  await expect
    .poll(() =>
      page.evaluate(
        'low.getBoundingClientRect().bottom <= innerHeight && low.getBoundingClientRect().top >= 0',
      ),
    )
    .toBe(true);
  expect(await page.evaluate('[screen.height, document.hasFocus(), visualViewport.height < 560]')).toEqual([
    ...[800, true, true],
  ]);
  // Without a window manager Electron's window is a pixel larger than the screen.
  expect(hostKind === 'chromium' ? [800] : [800, 801]).toContain(await page.evaluate('outerHeight'));
  await board.press('Hide');
  await board.isClosed();
  expect(await page.evaluate('document.activeElement.id')).toBe('low');
  // The field has the focus still: it opens again where it is touched.
  await board.touch('#low');
  await board.isOpen();
  await page.evaluate('low.blur()');
  await board.isClosed();
  await board.touch('#plain');
  await board.isOpen();
  await page.evaluate('plain.remove()');
  await board.isClosed();
  await board.touch('#area');
  await board.isOpen();
  await page.reload();
  await board.isClosed();
});

test('should follow its settings at once, and offer its layouts and accents', async ({ open, api }) => {
  const set = (values: object) => api('/api/manage/settings', values, { method: 'PATCH' });
  expect((await set({ keyboard: { layouts: ['de', 'es'] } })).status).toBe(200);
  const { page, board } = await open();
  await board.touch('#plain');
  await board.isOpen();
  await board.press('ü', 'Layout', 'ñ', 'Layout', 'ß');
  await written(page, 'plain').toBe('üñß');
  const key = board.keys.getByRole('button', { name: 'e', exact: true });
  await key.hover();
  await board.keys.mouse.down();
  await expect(board.keys.getByRole('button', { name: 'é', exact: true })).toBeVisible();
  await board.keys.mouse.up();
  await board.press('é');
  await written(page, 'plain').toBe('üñßé');
  // Shift once, and kept.
  await board.press('Shift', 'A', 'b');
  await board.keys.getByRole('button', { name: 'Shift', exact: true }).dblclick();
  await board.press('C', 'D', 'Shift', 'e');
  await written(page, 'plain').toBe('üñßéAbCDe');
  expect((await set({ keyboard: { enabled: false } })).status).toBe(200);
  await board.isClosed();
  await board.touch('#area');
  await timeToGoWrong(500);
  await board.isClosed();
  expect((await set({ keyboard: { layouts: null, enabled: null } })).status).toBe(200);
});

test('security: pages neither see the keyboard nor open it, and cannot make it flicker', async ({ open }) => {
  const { page, board } = await open();
  const globals = () => page.evaluate<string[]>('Object.getOwnPropertyNames(window).sort()');
  const before = await globals();
  await page.evaluate(`window.heights = [];
    addEventListener('resize', () => heights.push(innerHeight));
    window.loop = setInterval(() => { document.activeElement === plain ? area.focus() : plain.focus(); }, 5);
    const forged = (type, init) => plain.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerType: 'touch', ...init }));
    setInterval(() => { forged('pointerdown'); forged('pointerup'); forged('click'); }, 50);`);
  await timeToGoWrong(1_500);
  expect(await page.evaluate('heights')).toEqual([]);
  await board.touchAt(1200, 600);
  await timeToGoWrong(1_500);
  // One touch, and a page that moves the focus for ever: it may open once, and stays.
  expect((await page.evaluate<number[]>('heights')).length).toBeLessThanOrEqual(1);
  await board.press('Hide');
  await timeToGoWrong(1_500);
  await board.isClosed();
  await page.evaluate('clearInterval(loop)');
  expect((await globals()).filter((name) => !before.includes(name))).toEqual(['heights', 'loop']);
  // The page of the keys is closed to it.
  const address = new URL(board.keys.url()).origin;
  expect(await page.evaluate(`fetch('${address}/').then(() => 'read', () => 'refused')`)).toBe('refused');
});

test('should write into a question of the page, which makes room', async ({ open, panel }) => {
  const { page, board } = await open({
    '/': `<!doctype html><button id="ask" onclick="window.answer = prompt('Your name?', '')">ask</button>`,
  });
  // The page answers nothing more until it is answered.
  board.touch('#ask').catch(() => {});
  const asked = await OnScreenKeyboard.of(panel, await glassOf(page));
  await expect(asked.page.getByRole('textbox')).toBeVisible();
  await asked.touch('input');
  const bottom = `document.getElementById('dialog').getBoundingClientRect().bottom -
    document.getElementById('screen').getBoundingClientRect().top`;
  await expect.poll(() => asked.page.evaluate<number>(bottom)).toBeLessThanOrEqual(502);
  await asked.press('Shift', 'A', 'd', 'a');
  await expect(asked.page.getByRole('textbox')).toHaveValue('Ada');
  await asked.press('Enter');
  await expect.poll(() => page.evaluate('window.answer')).toBe('Ada');
  await asked.detach();
});

test('the page of the keyboard should be readable for everybody (axe)', async ({ open }) => {
  const { board } = await open();
  for (const field of ['#plain', '#number']) {
    await board.touch(field);
    await board.isOpen();
    const { violations } = await new AxeBuilder({ page: board.keys }).setLegacyMode().analyze();
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    expect(serious.map(({ id }) => id)).toEqual([]);
  }
});
