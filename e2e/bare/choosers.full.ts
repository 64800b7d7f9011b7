import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { isElectron, type Kiosk, openPlain, shareKiosk } from './bareBrowser.ts';
import { touch, untilCovered, untouched } from './touch.ts';

/** What opens a chooser, picker, dialog, notice or bubble in plain Chromium, and what the page gets here instead. */
const DEEDS: Readonly<Record<string, readonly [deed: string, said: unknown]>> = {
  'the chooser of USB devices': [`await navigator.usb.requestDevice({ filters: [] })`, 'NotFoundError'],
  'the chooser of serial ports': [`await navigator.serial.requestPort()`, 'NotFoundError'],
  'the chooser of HID devices': [`return (await navigator.hid.requestDevice({ filters: [] })).length`, 0],
  'the chooser of Bluetooth devices': [
    `await navigator.bluetooth?.requestDevice({ acceptAllDevices: true }); return String(navigator.bluetooth)`,
    'undefined',
  ],
  'the picker of screens': [`await navigator.mediaDevices.getDisplayMedia()`, 'NotAllowedError'],
  'the dialog of a file field': [
    `return new Promise((resolve) => {
      const field = Object.assign(document.createElement('input'), { type: 'file', oncancel: () => resolve('cancelled') });
      field.click();
    })`,
    'cancelled',
  ],
  'the dialog that opens files': ['await showOpenFilePicker()', 'AbortError'],
  'the dialog that saves files': ['await showSaveFilePicker()', 'AbortError'],
  'the dialog of folders': ['await showDirectoryPicker()', 'AbortError'],
  'the print preview': ['print()', 'done'],
  'the print preview of a frame': [
    `const frame = document.createElement('iframe'); frame.hidden = true; document.body.append(frame); frame.contentWindow.print()`,
    'done',
  ],
  'the notice of full screen': ['await document.documentElement.requestFullscreen()', 'TypeError'],
  'the notice of a locked pointer': ['await document.body.requestPointerLock()', 'NotAllowedError'],
  'a window of a picture in the picture': [
    'await documentPictureInPicture.requestWindow()',
    'ReferenceError',
  ],
  'the colour picker of the screen': ['await new EyeDropper().open()', 'ReferenceError'],
  'the dialog of a login of others': [
    `await navigator.credentials.get({ identity: { providers: [{ configURL: location.origin + '/x', clientId: 'x' }] } })`,
    'NotSupportedError',
  ],
  'the dialog of security keys': [
    `await navigator.credentials.create({ publicKey: { challenge: new Uint8Array(16), rp: { name: 'x' },
      user: { id: new Uint8Array(16), name: 'x', displayName: 'x' }, pubKeyCredParams: [{ type: 'public-key', alg: -7 }] } })`,
    'NotAllowedError',
  ],
  'the bubble of notifications': ['return Notification.requestPermission()', 'denied'],
  'the bubble of the place': [
    `return new Promise((resolve) => navigator.geolocation.getCurrentPosition(resolve, ({ code }) => resolve(code)))`,
    1,
  ],
  'the bubble of another handler of addresses': [
    `navigator.registerProtocolHandler('web+x', '/x?%s')`,
    'done',
  ],
};

/** A document that is not a page: how it arrives, and what the page gets. */
const DOCUMENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a PDF': { 'content-type': 'application/pdf' },
  'a file of bytes': { 'content-type': 'application/octet-stream' },
  'an archive': { 'content-type': 'application/zip' },
  'a page to be saved': { 'content-disposition': 'attachment; filename=a.html' },
};

describe('what the browser would show over the page', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
  });

  for (const [what, [deed, said]] of Object.entries(DEEDS))
    test(`security: ${what} never comes`, async () => {
      const outcome = await touch(kiosk, deed);
      // The words of a refusal are those of the browser's version, which is another one in Electron.
      assert.deepEqual(outcome, untouched(isElectron ? outcome.said : said));
    });

  for (const [what, headers] of Object.entries(DOCUMENTS))
    test(`security: ${what} is refused and logged, and the page stays`, async () => {
      kiosk.site.files.set('/document', { body: '%PDF-1.4', headers });
      const before = downloads(kiosk);
      assert.deepEqual(await touch(kiosk, `location.href = '/document'`), untouched('done'));
      // The line comes from another process than the page's report.
      await until(() => downloads(kiosk) > before, 'its line');
      assert.equal(downloads(kiosk), before + 1);
    });

  test('security: the browser never offers to save a password', async () => {
    const login = `<form style="position:fixed;left:-999px" action="/welcome" method="post"><input name="user" autocomplete="username">
      <input name="word" type="password" autocomplete="current-password"></form>`;
    kiosk.site.files.set('/welcome', {
      body: `<body style="margin:0;background:#00aa00"><script>setTimeout(() => location.replace('/'), 1500)</script>`,
    });
    using watch = kiosk.screen.watch();
    const deed = `const [user, word] = document.querySelectorAll('input'); user.value = 'anna'; word.value = 'secret-1';
      document.querySelector('form').requestSubmit()`;
    const outcome = await touch(kiosk, deed, login);
    assert.deepEqual(outcome, untouched('left'));
    await until(async () => (await kiosk.screen.colours()).join() !== '#00AA00', 'the way home');
    assert.ok(watch.looks > 50);
  });

  test('security: a server that wants a login opens no dialog, and the page gets its answer', async () => {
    kiosk.site.files.set('/login', {
      body: 'no',
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="x"' },
    });
    const asked = `const answer = await fetch('/login');
      const image = Object.assign(new Image(), { src: '/login' });
      await new Promise((resolve) => image.onerror = resolve);
      const frame = Object.assign(document.createElement('iframe'), { src: '/login', style: 'opacity:0' });
      document.body.append(frame); await new Promise((resolve) => frame.onload = resolve);
      return [answer.status, await answer.text()]`;
    assert.deepEqual(await touch(kiosk, asked), untouched([401, 'no']));
  });

  test('should see a chooser in plain Chromium, or these tests prove nothing', async () => {
    await using plain = await openPlain();
    await untilCovered(plain, await touch(plain, DEEDS['the chooser of USB devices']![0]));
  });
});

const downloads = ({ service }: Kiosk) => service.output.match(/download refused/g)?.length ?? 0;
