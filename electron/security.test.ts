import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WebPreferences } from 'electron';
import { channels } from '../preload/electronChannels.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeFrame, FakePage } from './testing/fakePage.ts';
import { ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

/** Each setting of the kiosk page that keeps a page in, by its name. */
const PREFERENCES = {
  sandbox: true,
  contextIsolation: true,
  nodeIntegration: false,
  // Runs the preload script in every frame: without `nodeIntegration`, and in the sandbox, no frame gets Node.
  nodeIntegrationInSubFrames: true,
  nodeIntegrationInWorker: false,
  webSecurity: true,
  webviewTag: false,
  allowRunningInsecureContent: false,
  navigateOnDragDrop: false,
  disableDialogs: true,
  devTools: false,
} satisfies WebPreferences;

const FORBIDDEN = ['file:///etc/passwd', 'chrome://settings', 'data:text/html,x', 'http://evil.localhost:1/'];

describe('security of the Electron host (over a double of Electron)', () => {
  for (const [name, value] of Object.entries(PREFERENCES))
    test(`security: ${name} is ${value ? 'on' : 'off'}`, async () => {
      await using kiosk = await TestElectronHost.started();
      assert.equal(Reflect.get(kiosk.view.options.webPreferences!, name), value);
    });

  test('security: the black of a sleeping panel runs no script and has a sandbox and its own profile', async () => {
    await using kiosk = await TestElectronHost.started();
    await kiosk.host.sleep(() => {});
    const wanted: WebPreferences = {
      partition: 'dark',
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      javascript: false,
      devTools: false,
    };
    assert.deepEqual(kiosk.dark?.options.webPreferences, wanted);
  });

  test('security: there is no menu, whose accelerators would open tools and reload', async () => {
    await using kiosk = await TestElectronHost.started();
    assert.equal(kiosk.double.menu, null);
  });

  test('security: the session is locked before the first page opens', async () => {
    await using kiosk = await TestElectronHost.started();
    const { request, check, device, listeners } = kiosk.double.sessions.get('persist:kiosk')!;
    assert.equal(kiosk.view.options.webPreferences?.partition, 'persist:kiosk');
    assert.ok(request && check && device);
    assert.equal(listeners.count('will-download'), 1);
  });

  /** Contents that the host did not create. */
  const strayContents = (kiosk: TestElectronHost): FakePage => {
    const page = new FakePage();
    kiosk.double.app.listeners.emit('web-contents-created', eventOf(), page.real);
    return page;
  };

  for (const name of ['will-frame-navigate', 'will-redirect'] as const)
    test(`security: ${name} keeps the top page of every webContents at allowed addresses`, async () => {
      await using kiosk = await TestElectronHost.started();
      for (const page of [kiosk.view.page, strayContents(kiosk)]) {
        const isRefused = (url: string, isMainFrame = true) => {
          const event = eventOf({ url, isMainFrame });
          page.listeners.emit(name, event as never);
          return event.defaultPrevented;
        };
        for (const url of FORBIDDEN) assert.equal(isRefused(url), true, url);
        assert.equal(isRefused(`${ORIGIN}/other`), false);
        assert.equal(isRefused('http://evil.localhost:1/', false), false);
      }
      assert.doesNotMatch(kiosk.logText, /passwd/);
    });

  test('security: setWindowOpenHandler denies on every webContents', async () => {
    await using kiosk = await TestElectronHost.started();
    for (const page of [kiosk.view.page, strayContents(kiosk)])
      assert.deepEqual(page.windowOpenHandler?.({ url: `${ORIGIN}/pop` } as never), { action: 'deny' });
  });

  test('security: what a page opens in a new window opens in the page itself, if allowed', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    const referrer = { url: `${ORIGIN}/`, policy: 'origin' };
    const postBody = { contentType: 'multipart/form-data', boundary: 'b', data: [] };
    page.windowOpenHandler?.({ url: `${ORIGIN}/pop`, referrer, postBody } as never);
    const options = {
      httpReferrer: referrer,
      postData: [],
      extraHeaders: 'Content-Type: multipart/form-data; boundary=b',
    };
    const { answered: _, ...load } = page.loads.at(-1)!;
    assert.deepEqual(load, { url: `${ORIGIN}/pop`, options });
    const { length } = page.loads;
    for (const url of FORBIDDEN) page.windowOpenHandler?.({ url, referrer } as never);
    assert.equal(page.loads.length, length);
    assert.equal(kiosk.logText.match(/window refused/g)?.length, 1 + FORBIDDEN.length);
  });

  test('security: will-attach-webview is refused on every webContents', async () => {
    await using kiosk = await TestElectronHost.started();
    for (const page of [kiosk.view.page, strayContents(kiosk)]) {
      const event = eventOf();
      page.listeners.emit('will-attach-webview', event);
      assert.equal(event.defaultPrevented, true);
    }
  });

  test('security: no page keeps its window when it shall leave', async () => {
    await using kiosk = await TestElectronHost.started();
    const event = eventOf();
    kiosk.view.page.listeners.emit('will-prevent-unload', event);
    assert.equal(event.defaultPrevented, true);
  });

  test('security: no page opens a dialog of the system for files, also not one in a new process', async () => {
    await using kiosk = await TestElectronHost.started();
    const cancels = () => kiosk.view.page.tools.sent.filter(({ method }) => /FileChooser/.test(method));
    const cancel = {
      method: 'Page.setInterceptFileChooserDialog',
      params: { enabled: true, cancel: true },
    };
    await kiosk.clock.advance(0);
    assert.deepEqual(cancels(), [cancel]);
    kiosk.double.window!.destroy();
    await kiosk.clock.advance(0);
    assert.deepEqual(cancels(), [cancel]);
  });

  describe('messages of the preload script', () => {
    const cases: [string, (kiosk: TestElectronHost) => [FakePage, FakeFrame | null]][] = [
      ['from a document that is gone (senderFrame null)', (kiosk) => [kiosk.view.page, null]],
      [
        'from a frame in the page, same origin',
        (kiosk) => [kiosk.view.page, Object.assign(new FakeFrame(), { origin: ORIGIN })],
      ],
      [
        'from the top page of another window, same origin',
        () => {
          const page = new FakePage();
          page.frame.origin = ORIGIN;
          return [page, page.frame];
        },
      ],
      [
        'from the top page of another origin',
        (kiosk) => {
          kiosk.view.page.frame.origin = 'http://evil.localhost:1';
          return [kiosk.view.page, kiosk.view.page.frame];
        },
      ],
      [
        "from the host's own waiting page",
        (kiosk) => {
          kiosk.view.page.frame.origin = 'null';
          return [kiosk.view.page, kiosk.view.page.frame];
        },
      ],
    ];
    for (const [what, makeSender] of cases)
      test(`security: ${what} get no bridge and are ignored`, async () => {
        await using kiosk = await TestElectronHost.started();
        const [page, frame] = makeSender(kiosk);
        assert.equal(kiosk.double.ipcMain.send(page, frame, channels.spec), null);
        kiosk.double.ipcMain.send(page, frame, channels.bridge, '{"id":1}');
        assert.deepEqual(kiosk.heard, []);
        assert.match(kiosk.logText, /bridge: call refused/);
      });

    test('security: only the top page can say that a script is missing', async () => {
      await using kiosk = await TestElectronHost.started();
      const { page } = kiosk.view;
      const { ipcMain } = kiosk.double;
      const other = new FakePage();
      const url = `${ORIGIN}/app.js`;
      for (const [sender, frame, what] of [
        [page, null, url],
        [page, new FakeFrame(), url],
        [other, other.frame, url],
        [page, page.frame, { url }],
      ] as const)
        ipcMain.send(sender, frame, channels.missingScript, what);
      assert.doesNotMatch(kiosk.logText, /script of the page is missing/);
      ipcMain.send(page, page.frame, channels.missingScript, `${url}?${'x'.repeat(10_000)}`);
      assert.match(kiosk.logText, /script of the page is missing/);
      assert.ok(!kiosk.logText.includes('x'.repeat(2_048)));
    });

    test('security: what is not a string is ignored', async () => {
      await using kiosk = await TestElectronHost.started();
      const { page } = kiosk.view;
      for (const message of [{ id: 1 }, 7, undefined, null, ['{}']])
        kiosk.double.ipcMain.send(page, page.frame, channels.bridge, message);
      assert.deepEqual(kiosk.heard, []);
    });

    test('security: an answer does not reach the next document', async () => {
      await using kiosk = await TestElectronHost.started();
      const { page } = kiosk.view;
      kiosk.double.ipcMain.send(page, page.frame, channels.bridge, '{"id":1}');
      await kiosk.host.navigate(`${ORIGIN}/next`);
      kiosk.heard[0]!.caller.reply('{"id":1,"result":"secret"}');
      assert.deepEqual(page.frame.sent, []);
      assert.equal(kiosk.pagesGone, 1);
    });
  });
});
