import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { type Kiosk, openPlain, shareKiosk } from './bareBrowser.ts';
import { GREEN, touch, untilCovered, untouched } from './touch.ts';

/** Where the page itself goes instead: as green as the page, and back again after a moment. */
const OTHER = `<body style="margin:0;background:#00aa00"><script>
  setTimeout(() => location.replace('/'), 700)</script>`;
const link = (words: string, act: string) =>
  `const link = document.createElement('a'); ${words}; document.body.append(link); ${act}`;
const click = (init: string, type = 'click') =>
  `link.dispatchEvent(new MouseEvent('${type}', { bubbles: true, composed: true, cancelable: true, ${init} }))`;

/** Actions that open a window or tab in plain Chromium; URL stands for the address. */
const DEEDS: Readonly<Record<string, string>> = {
  'a link for a new window': link(`link.target = '_blank'; link.href = URL`, 'link.click()'),
  'a link for a window of a name': link(`link.target = 'there'; link.href = URL`, 'link.click()'),
  'a link outside the document': `Object.assign(document.createElement('a'), { target: '_blank', href: URL }).click()`,
  'a link in a closed shadow': `const host = document.createElement('div'); document.body.append(host);
    host.attachShadow({ mode: 'closed' }).append(Object.assign(document.createElement('a'), { id: 'a', target: '_blank', href: URL }));
    shadow().querySelector('a').click()`,
  'a base for new windows': `document.head.append(Object.assign(document.createElement('base'), { target: '_blank' }));
    ${link('link.href = URL', 'link.click()')}`,
  'Ctrl and a click': link('link.href = URL', click('ctrlKey: true')),
  'Shift and a click': link('link.href = URL', click('shiftKey: true')),
  'the middle button': link('link.href = URL', click('button: 1', 'auxclick')),
  'window.open': `if (open(URL) !== null) return 'opened'`,
  'window.open with features': `if (open(URL, 'there', 'width=300,height=300') !== null) return 'opened'`,
  'window.open without a window to come back': `if (open(URL, '_blank', 'noopener') !== null) return 'opened'`,
  'a form that submits itself': `const form = Object.assign(document.createElement('form'), { action: URL, target: '_blank' });
    document.body.append(form); form.submit()`,
  'a form for a new window': `const form = Object.assign(document.createElement('form'), { action: URL, target: '_blank' });
    document.body.append(form); form.requestSubmit()`,
  'a button of a form': `const form = Object.assign(document.createElement('form'), { action: URL });
    const button = Object.assign(document.createElement('button'), { formTarget: '_blank', hidden: true });
    form.append(button); document.body.append(form); form.requestSubmit(button)`,
};
/** Only the creator of a closed shadow gets its root. */
const SHADOW = `<script>{ const attach = Element.prototype.attachShadow; let root;
  Element.prototype.attachShadow = function (options) { return root = attach.call(this, options); };
  globalThis.shadow = () => root; }</script>`;

describe('new windows', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
    kiosk.site.files.set('/other', { body: OTHER });
  });
  const shown = () => kiosk.site.requests.filter((request) => request.includes('/other'));
  const refusals = () => kiosk.service.output.match(/window refused/g)?.length ?? 0;

  test('security: each refusal is logged', async () => {
    const before = refusals();
    await touch(kiosk, 'open()');
    await until(() => refusals() > before, 'its line');
    assert.equal(refusals(), before + 1);
  });

  for (const [what, deed] of Object.entries(DEEDS))
    test(`security: ${what} opens in the page itself, and no window appears even for a moment`, async () => {
      const outcome = await touch(kiosk, deed.replaceAll('URL', `'/other'`), SHADOW);
      assert.deepEqual(outcome, untouched('left'));
      assert.equal(shown().length, 1);
      assert.match(shown()[0]!, /^bare\.localhost\/other\??$/);
    });

  for (const [what, deed] of Object.entries(DEEDS))
    test(`security: ${what} to an address the page may not show leaves it as it is`, async () => {
      const outcome = await touch(
        kiosk,
        deed.replaceAll('URL', `'http://evil.localhost:${kiosk.site.port}/other'`),
        SHADOW,
      );
      assert.deepEqual(outcome, untouched('done'));
      assert.deepEqual(shown(), []);
    });

  test('security: writing into a new window, or opening one without a touch, opens nothing', async () => {
    assert.deepEqual(await touch(kiosk, 'return String(open())'), untouched('null'));
    assert.deepEqual(await touch(kiosk, `return String(open('javascript:1'))`), untouched('null'));
    const late = `await new Promise((resolve) => setTimeout(resolve, 100)); const frame = document.createElement('iframe');
      frame.hidden = true; document.body.append(frame); return String(frame.contentWindow.open('/other'))`;
    assert.match(String((await touch(kiosk, late)).said), /null|left/);
  });

  test('should still let a link lead into a named frame, and a page prevent clicks', async () => {
    const frame = '<iframe name="inside" hidden></iframe>';
    const inside = link(`link.target = 'inside'; link.href = '/other'`, 'link.click()');
    assert.deepEqual(await touch(kiosk, inside, frame), untouched('done'));
    assert.equal(shown().length, 1);
    const prevented = link(
      `link.target = '_blank'; link.href = '/other'; link.onclick = (event) => { event.preventDefault(); seen.push(event.defaultPrevented) }`,
      `${click('')}; ${click('ctrlKey: true')}; return [...seen, link.target]`,
    );
    assert.deepEqual(await touch(kiosk, `const seen = []; ${prevented}`), untouched([true, true, '_top']));
    assert.deepEqual(shown(), []);
  });

  test('should see in plain Chromium how a window covers the page', async () => {
    await using plain = await openPlain();
    plain.site.files.set('/other', { body: '<body style="background:#0000aa">' });
    const outcome = await touch(plain, `return typeof open('/other')`);
    assert.equal(outcome.said, 'object');
    assert.ok(outcome.colours.includes(GREEN), outcome.colours.join());
    await untilCovered(plain, outcome);
  });
});
