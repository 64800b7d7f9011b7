import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElectronDouble, eventOf, FakeSession } from './electronDouble.ts';
import type { AppEvents, PageEvents, SessionEvents, WindowEvents } from './electronEvents.ts';

describe("the double of Electron's API", () => {
  test('should play each event with the arguments of electron.d.ts: others would not compile here', () => {
    const double = new ElectronDouble();
    const { BrowserWindow, app } = double.api;
    const heard: string[] = [];
    app.on('web-contents-created', (..._: AppEvents['web-contents-created']) => heard.push('created'));
    app.on('window-all-closed', (..._: AppEvents['window-all-closed']) => heard.push('all closed'));
    const window = new BrowserWindow();
    window.on('close', (..._: WindowEvents['close']) => heard.push('close'));
    window.on('closed', (..._: WindowEvents['closed']) => heard.push('closed'));
    window.on('blur', (..._: WindowEvents['blur']) => heard.push('blur'));
    window.on('unresponsive', (..._: WindowEvents['unresponsive']) => heard.push('unresponsive'));
    const page = window.webContents;
    page.on('will-frame-navigate', (..._: PageEvents['will-frame-navigate']) => heard.push('navigate'));
    page.on('will-redirect', (..._: PageEvents['will-redirect']) => heard.push('redirect'));
    page.on('will-attach-webview', (..._: PageEvents['will-attach-webview']) => heard.push('webview'));
    page.on('input-event', (..._: PageEvents['input-event']) => heard.push('input'));
    page.on('before-input-event', (..._: PageEvents['before-input-event']) => heard.push('key'));
    page.on('console-message', (..._: PageEvents['console-message']) => heard.push('console'));
    page.on('render-process-gone', (..._: PageEvents['render-process-gone']) => heard.push('gone'));
    page.on('did-navigate', (..._: PageEvents['did-navigate']) => heard.push('did-navigate'));
    page.on('did-finish-load', (..._: PageEvents['did-finish-load']) => heard.push('loaded'));
    page.on('page-title-updated', (..._: PageEvents['page-title-updated']) => heard.push('titled'));
    page.on('did-fail-load', (..._: PageEvents['did-fail-load']) => heard.push('did-fail-load'));
    const session = new FakeSession();
    session.real.on('will-download', (..._: SessionEvents['will-download']) => heard.push('download'));

    const [fake] = double.windows;
    double.app.listeners.emit('window-all-closed');
    fake!.listeners.emit('close', eventOf());
    fake!.listeners.emit('blur');
    fake!.listeners.emit('unresponsive');
    fake!.destroy();
    fake!.page.listeners.emit('input-event', eventOf(), { type: 'keyDown' });
    fake!.page.forcefullyCrashRenderer();
    fake!.page.listeners.emit('did-navigate', eventOf(), 'http://a.local/', 200, 'OK');
    session.listeners.emit('will-download', eventOf());
    assert.deepEqual(heard, [
      'created',
      'all closed',
      'close',
      'blur',
      'unresponsive',
      'closed',
      'input',
      'gone',
      'did-navigate',
      'download',
    ]);
  });
});
