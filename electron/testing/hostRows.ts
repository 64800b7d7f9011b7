/** What a host promises, and where the Electron host shows it without a binary. */
export interface HostRow {
  readonly what: string;
  /** The file of the suite that both hosts run, in server/kiosk/testing/suite/; null: no row of the suite shows it. */
  readonly suite: string | null;
  /** Tests over the typed double, or of the bundles: file in the project, and part of the test's name. */
  readonly double: readonly (readonly [file: string, test: string])[];
  /** What the Electron host lacks, in one sentence. */
  readonly lacks?: string;
}

export const HOST_ROWS: readonly HostRow[] = [
  {
    what: 'start: nothing waits for Electron before its main module is evaluated; signals, --help, --version',
    suite: null,
    double: [
      ['build/electronProgram.test.ts', 'should be evaluated to its end before anything waits'],
      ['build/electronProgram.test.ts', 'should answer --version and --help'],
      ['electron/prepareApp.test.ts', "should leave Chromium's switches to Chromium"],
      ['electron/prepareApp.test.ts', 'should keep profile and lock below the data folder'],
    ],
  },
  {
    what: 'the bridge: window.container, its messages and answers',
    suite: 'bridgeTests.ts',
    double: [
      ['electron/electronHost.test.ts', 'should answer the page, and report when its document is gone'],
      ['electron/preloadInChromium.test.ts', "Electron's preload script"],
    ],
  },
  {
    what: 'who gets the bridge: frames, workers, other origins',
    suite: 'frameTests.ts',
    double: [
      ['electron/security.test.ts', 'messages of the preload script'],
      ['electron/bundle.test.ts', 'the preload builds nothing for a page that gets no bridge'],
    ],
  },
  {
    what: 'guards: addresses, schemes, new windows, permissions, devices, downloads, choosers, keys',
    suite: 'navigationTests.ts',
    double: [
      ['electron/security.test.ts', 'keeps the top page of every webContents at allowed addresses'],
      ['electron/security.test.ts', 'setWindowOpenHandler denies'],
      ['electron/lockSession.test.ts', 'each permission that Electron knows has a holder'],
      ['electron/lockSession.test.ts', 'setDevicePermissionHandler gives no device'],
      ['electron/security.test.ts', 'no page opens a dialog of the system for files'],
    ],
  },
  {
    what: 'questions of the page: alert, confirm, prompt; a page that asks whether it may be left',
    suite: 'dialogTests.ts',
    double: [
      ['electron/dialogs.test.ts', 'should be asked, and answered once a person has'],
      ['electron/dialogs.test.ts', 'whoever else asks is answered at once'],
      ['electron/dialogs.test.ts', 'should be cancelled when the page'],
      ['electron/preloadInChromium.test.ts', 'should answer what the page asks a person'],
      ['electron/security.test.ts', 'no page keeps its window when it shall leave'],
    ],
  },
  {
    what: 'state and console of the page',
    suite: 'pageStateTests.ts',
    double: [['electron/electronHost.test.ts', 'should tell what the page does and says']],
  },
  {
    what: 'recovery: crash of the page or a frame, hang, closed window, stray page, server down, memory, dead page',
    suite: 'recoveryTests.ts',
    double: [
      ['electron/recovery.test.ts', 'should bring the page back after render-process-gone'],
      ['electron/recovery.test.ts', 'should open a new window when a hung renderer does not end'],
      ['electron/recovery.test.ts', 'should say on the screen that the server of the page is down'],
      ['electron/kioskWindow.test.ts', 'should come back after it ended'],
      ['electron/fields.test.ts', 'should bring the page back after a frame of another site crashed'],
      ['electron/fieldsInChromium.test.ts', 'should hear that a frame of another site crashed'],
    ],
  },
  {
    what: 'sleep, pictures, caches, use of the panel',
    suite: 'screenTests.ts',
    double: [
      [
        'electron/kioskWindow.test.ts',
        'should cover everything in black until the finger that woke it is lifted',
      ],
      ['electron/kioskWindow.test.ts', 'should let the system save power until it wakes'],
      ['electron/electronHost.test.ts', 'should report use, at most once a second'],
      ['electron/electronHost.test.ts', 'should clear the caches of an origin'],
    ],
  },
  {
    what: 'the live screen',
    suite: 'liveTests.ts',
    double: [['electron/live.test.ts', 'should pass on pictures and touches by the debugger of the page']],
  },
  {
    what: 'expressions in the page',
    suite: 'evaluateTests.ts',
    double: [['electron/live.test.ts', 'should evaluate in the page']],
  },
  {
    what: 'layers: messages, dialogs of the service, savers; their order, keys and input',
    suite: 'layerTests.ts',
    double: [
      ['electron/kioskWindow.test.ts', 'should hold all pages in their order, whichever comes first'],
      ['electron/kioskWindow.test.ts', 'should give the keys to the topmost page that takes them'],
      ['electron/kioskWindow.test.ts', 'should keep input from the page, and stay until the finger'],
      ['electron/builtInPages.test.ts', 'should be shown in their place without the keys'],
    ],
  },
  {
    what: 'fields, and the keyboard on the screen: its keys and its room',
    suite: 'keyboardTests.ts',
    double: [
      ['electron/fields.test.ts', 'should tell which field has the focus, and press keys in its page'],
      ['electron/fields.test.ts', 'should watch frames of other sites, and frames in them'],
      ['electron/fields.test.ts', 'should make room in the window below the page with the focus'],
      ['electron/fields.test.ts', 'should know the fields of settings page and glass'],
      ['electron/fieldsInChromium.test.ts', 'keyboardTests(openWithFields'],
    ],
  },
  {
    what: 'the settings page, and the gestures that open it',
    suite: 'settingsPageTests.ts',
    double: [
      ['electron/builtInPages.test.ts', 'should recognise the gestures for the settings page'],
      ['electron/builtInPages.test.ts', 'only its own top frame may send messages'],
      ['electron/kioskWindow.test.ts', 'should give the keys to the topmost page that takes them'],
    ],
  },
  {
    what: 'logins, client certificates and certificates of the house',
    suite: 'loginTests.ts',
    double: [
      ['electron/pageGifts.test.ts', 'should answer a server with its own login once'],
      ['electron/pageGifts.test.ts', 'should forget the logins that servers have taken'],
      ['electron/pageGifts.test.ts', 'should show a server that asks for a certificate of the panel none'],
      ['electron/verifyCertificates.test.ts', 'should'],
    ],
  },
];
