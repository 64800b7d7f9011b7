import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../server/kiosk/testing/testKiosk.ts';
import { noScreen } from '../../server/kiosk/testing/testScreen.ts';
import { timeToGoWrong } from '../../server/testing/waiting.ts';
import { callApi, isElectron, type Kiosk, openPlain, shareKiosk } from './bareBrowser.ts';
import { GREEN, UNSEEN_PICTURE } from './touch.ts';

/** Keys that open, close or change something in an ordinary window of Chromium; those for dialogs and windows first. */
const KEYS = [
  ...['o', 'p', 'n', 's', 'f', 't', 'j', 'h', 'u', 'l', 'd', 'e', 'g', 'k', 'r'].map((key) => `ctrl+${key}`),
  ...['n', 't', 'i', 'j', 'c', 'o', 'b', 'm', 'd', 'r', 'w', 'Delete'].map((key) => `ctrl+shift+${key}`),
  ...['F1', 'F3', 'F5', 'F6', 'F7', 'F10', 'F11', 'F12', 'shift+Escape', 'Escape', 'Menu', 'shift+F10'],
  ...['plus', 'minus', '0', 'Tab', 'F4', '1', '9', 'w', 'q'].map((key) => `ctrl+${key}`),
  ...['f', 'e', 'd', 'Home', 'Left', 'Right'].map((key) => `alt+${key}`),
];
/**
 * What is left: while no page is there to hold them, the browser answers these with a notice ("DevTools not allowed")
 * that stays until somebody presses Enter (docs/security.md).
 */
const ANSWERED_WITHOUT_PAGE = ['ctrl+shift+i', 'ctrl+shift+j', 'ctrl+shift+c'];
const PAGE = `<body style="margin:0;background:#00aa00">${UNSEEN_PICTURE}<script>
  window.size = () => [innerWidth, innerHeight, devicePixelRatio];
  const keys = new Set();
  addEventListener('keydown', ({ key }) => keys.add(key));
  // The last key; a page that reports only once was never loaded again.
  addEventListener('keyup', ({ key }) => key === 'z' && setTimeout(() => bare.report([size(), keys.size > 0]), 300));
  requestAnimationFrame(() => requestAnimationFrame(() => fetch('/ready')));
</script>`;
const READY = 'bare.localhost/ready';
/** The ground of a message (server/pages/glass/look/tokens.css, dark). */
const MESSAGE = '#14233A';

describe('keys of a keyboard at the panel, before any touch', { skip: noScreen }, () => {
  let kiosk: Kiosk;
  shareKiosk((opened) => {
    kiosk = opened;
  });
  const isGreen = async () => (await kiosk.screen.colours()).join() === GREEN;
  const browsers = (type: RegExp) =>
    kiosk.service.descendants.filter(({ command }) => /--user-data-dir/.test(command) && type.test(command));
  /** By one process: a busy machine takes long to start one for each, and the page reports within a limit. */
  const pressAll = (keys = KEYS) => kiosk.screen.input(`key --delay 20 ${keys.join(' ')}`);
  /**
   * Resolves once the layer above the page has opened in a new browser, and is out of sight: where it opens beside the page, it
   * takes the keys for a moment.
   */
  const layerIsBack = async () => {
    const isThere = async () => (await kiosk.screen.colours()).includes(MESSAGE);
    const message = { id: 'keys', text: 'Back again.', seconds: 0 };
    assert.equal((await callApi(kiosk.service, 'POST', 'remote/message', message)).status, 200);
    await until(isThere, 'a message');
    assert.equal((await callApi(kiosk.service, 'DELETE', 'remote/message/keys')).status, 200);
    await until(async () => !(await isThere()), 'the end of the message');
    await until(async () => (await kiosk.windows()).length === 1, 'one window');
  };
  /** Resolves once the page that waits for its last key is drawn. */
  const shown = async () => {
    await until(() => kiosk.site.requests.includes(READY), 'the page');
    await until(isGreen, 'its picture');
  };
  const untouched = async (reported: Promise<unknown>) => {
    await kiosk.screen.input('key z');
    assert.deepEqual(await reported, [[1280, 800, 1], true]);
    // After a restart the windows of the layers come up for a moment, too; one that a key opened stays.
    await until(async () => (await kiosk.windows()).length === 1, 'one window');
    await until(isGreen, 'the page alone');
  };

  test('security: no key of the browser does anything, from the first picture on', async () => {
    const reported = kiosk.site.show(PAGE);
    await shown();
    using watch = kiosk.screen.watch();
    await pressAll();
    await timeToGoWrong(1_000);
    assert.deepEqual(watch.stop(), [GREEN]);
    assert.equal(kiosk.site.requests.filter((request) => request === READY).length, 1);
    await untouched(reported);
  });

  const skip = isElectron && "Electron's browser is the service";
  test('security: no key does after a restart of the browser, which a person may cause', {
    skip,
  }, async () => {
    const reported = kiosk.site.show(PAGE);
    kiosk.site.requests.length = 0;
    await shown();
    kiosk.site.requests.length = 0;
    for (const { pid } of browsers(/^(?!.*--type=)/)) process.kill(pid, 'SIGKILL');
    // Also while it starts, and while its page loads.
    await until(async () => (await kiosk.windows()).length > 0 && !(await isGreen()), 'the new window').catch(
      () => {},
    );
    await pressAll(KEYS.filter((key) => !ANSWERED_WITHOUT_PAGE.includes(key)));
    await shown();
    await pressAll();
    await timeToGoWrong(1_000);
    await layerIsBack();
    await untouched(reported);
  });

  test('security: no key does anything while the page loads', async () => {
    kiosk.site.files.set('/slow', { body: '', type: 'text/javascript', delayMs: 3_000 });
    const reported = kiosk.site.show(
      `<script>fetch('/loading')</script><script src="/slow"></script>${PAGE}`,
    );
    kiosk.site.requests.length = 0;
    await until(() => kiosk.site.requests.includes('bare.localhost/loading'), 'the page');
    await pressAll();
    await shown();
    await untouched(reported);
  });

  test('should type what a scanner reads into the field that has the focus, at once and after a restart', async () => {
    const scan = async () => {
      // Before the page is asked for: the limit of its report is not for the start of a browser.
      await layerIsBack();
      const field = `<input id="field" style="position:fixed;opacity:0" autofocus>`;
      const reported = kiosk.site.show(`${PAGE.replace('<script>', `${field}<script>`)}<script>
        const field = document.querySelector('#field');
        field.oninput = () => field.value.length === 9 &&
          bare.report([field.value, document.hasFocus(), document.querySelector(':focus')?.id]);
      </script>`);
      kiosk.site.requests.length = 0;
      await shown();
      await kiosk.screen.input('type --delay 10 400123456');
      assert.deepEqual(await reported, ['400123456', true, 'field']);
    };
    await scan();
    for (const { pid } of browsers(/^(?!.*--type=)/)) process.kill(pid, 'SIGKILL');
    await scan();
  });

  test('should see a dialog for files in plain Chromium, or these tests prove nothing', async () => {
    await using plain = await openPlain();
    void plain.site.show(PAGE).catch(() => {});
    await until(() => plain.site.requests.includes(READY), 'the page');
    await plain.screen.input('key ctrl+o');
    await until(async () => (await plain.windows()).length > 1, 'the dialog');
  });
});
