import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { timeToGoWrong } from '../../../testing/waiting.ts';
import { TestKiosk, until } from '../../testing/testKiosk.ts';
import { noScreen, TestScreen } from '../../testing/testScreen.ts';

/** Keys that open, close or change something in an ordinary window of Chromium (measured). */
const COMBINATIONS = [
  ...[
    'F1',
    'F3',
    'F5',
    'F6',
    'F7',
    'F10',
    'F11',
    'F12',
    'shift+Escape',
    'alt+Left',
    'alt+Right',
    'alt+Home',
    'alt+d',
  ],
  ...['a', 'd', 'e', 'f', 'g', 'h', 'j', 'k', 'l', 'n', 'o', 'p', 'r', 's', 't', 'u', 'w'].map(
    (key) => `ctrl+${key}`,
  ),
  ...['a', 'b', 'c', 'd', 'i', 'j', 'm', 'n', 'o', 'r', 't', 'w', 'Delete'].map((key) => `ctrl+shift+${key}`),
  ...['plus', 'minus', '0', 'Tab', 'F4', '1', '9'].map((key) => `ctrl+${key}`),
];

describe('real keys on a real screen', { skip: noScreen }, () => {
  let screen: TestScreen;
  let kiosk: TestKiosk;
  let calls = 0;
  before(async () => {
    screen = await TestScreen.open({ windowManager: true });
    kiosk = await TestKiosk.open(
      '/',
      {
        '/': `<body style="margin:0;background:#00aa00"><script>
          size = [innerWidth, innerHeight, devicePixelRatio].join();
          keys = 0; addEventListener('keydown', () => keys++)</script>`,
      },
      { headless: false, env: screen.env, onSettingsCall: () => calls++ },
    );
    await until(async () => (await screen.colours()).join() === '#00AA00', 'the page');
    await screen.input('mousemove 640 400 click 1');
    await kiosk.evaluate('window.before = true');
  });
  after(async () => {
    await kiosk?.[Symbol.asyncDispose]();
    await screen?.[Symbol.asyncDispose]();
  });

  test('security: no key combination of the browser has any effect', async () => {
    for (const combination of COMBINATIONS) await screen.input(`key ${combination}`);
    // The page gets them all; what one of them opens may take a moment longer.
    await until(async () => (await kiosk.evaluate<number>('keys')) >= COMBINATIONS.length, 'all the keys');
    await timeToGoWrong(1_500);
    assert.deepEqual(await screen.colours(), ['#00AA00']);
    assert.equal((await kiosk.windows()).length, 1);
    assert.equal(
      await kiosk.evaluate('before && size === [innerWidth, innerHeight, devicePixelRatio].join()'),
      true,
    );
    assert.deepEqual(kiosk.host.recoveries(), {});
    assert.equal(calls, 0);
  });

  test('should open the settings page on Ctrl+Alt+S, also from a foreign frame', async () => {
    await screen.input('key ctrl+alt+s');
    await until(() => calls === 1, 'the call');
    kiosk.pages.set('/frame', '<script>onfocus = () => parent.postMessage(1, "*")</script>');
    await kiosk.evaluate(`new Promise((resolve) => {
      const frame = document.createElement('iframe');
      frame.src = 'http://other.localhost:${kiosk.port}/frame';
      frame.onload = () => frame.focus();
      onmessage = resolve;
      document.body.append(frame);
    }).then(() => true)`);
    await screen.input('key ctrl+alt+s');
    await until(() => calls === 2, 'the call from the frame');
  });
});
