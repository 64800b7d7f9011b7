import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElectronDouble } from './electronDouble.ts';
import type { AppEvents, PageEvents, SessionEvents, WindowEvents } from './electronEvents.ts';
import { eventOf } from './fakeEmitter.ts';
import { FakeSession } from './fakeSession.ts';

describe("the double of Electron's API", () => {
  test('should play each event with the arguments of electron.d.ts: others would not compile here', () => {
    const double = new ElectronDouble();
    const { BaseWindow, WebContentsView, app } = double.api;
    const heard: string[] = [];
    app.on('web-contents-created', (..._: AppEvents['web-contents-created']) => heard.push('created'));
    app.on('window-all-closed', (..._: AppEvents['window-all-closed']) => heard.push('all closed'));
    app.on('before-quit', (..._: AppEvents['before-quit']) => heard.push('quit'));
    app.on('select-client-certificate', (..._: AppEvents['select-client-certificate']) =>
      heard.push('certificate'),
    );
    const window = new BaseWindow();
    window.on('close', (..._: WindowEvents['close']) => heard.push('close'));
    window.on('closed', (..._: WindowEvents['closed']) => heard.push('closed'));
    window.on('focus', (..._: WindowEvents['focus']) => heard.push('focus'));
    window.on('resize', (..._: WindowEvents['resize']) => heard.push('resize'));
    const page = new WebContentsView().webContents;
    page.on('focus', (..._: PageEvents['focus']) => heard.push('page focus'));
    page.on('destroyed', (..._: PageEvents['destroyed']) => heard.push('destroyed'));
    page.on('unresponsive', (..._: PageEvents['unresponsive']) => heard.push('unresponsive'));
    page.on('will-frame-navigate', (..._: PageEvents['will-frame-navigate']) => heard.push('navigate'));
    page.on('will-redirect', (..._: PageEvents['will-redirect']) => heard.push('redirect'));
    page.on('will-attach-webview', (..._: PageEvents['will-attach-webview']) => heard.push('webview'));
    page.on('will-prevent-unload', (..._: PageEvents['will-prevent-unload']) => heard.push('unload'));
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
    const [view] = double.views;
    double.app.listeners.emit('window-all-closed');
    fake!.listeners.emit('close', eventOf());
    fake!.listeners.emit('resize');
    fake!.focus();
    fake!.destroy();
    const { listeners } = view!.page;
    listeners.emit('unresponsive');
    listeners.emit('will-prevent-unload', eventOf());
    listeners.emit('input-event', eventOf(), { type: 'keyDown' });
    view!.page.focus();
    view!.page.forcefullyCrashRenderer();
    listeners.emit('did-navigate', eventOf(), 'http://a.local/', 200, 'OK');
    session.listeners.emit('will-download', eventOf());
    view!.page.close();
    double.app.listeners.emit('before-quit', eventOf());
    assert.deepEqual(heard, [
      'created',
      'all closed',
      'close',
      'resize',
      'focus',
      'closed',
      'unresponsive',
      'unload',
      'input',
      'page focus',
      'gone',
      'did-navigate',
      'download',
      'destroyed',
      'quit',
    ]);
  });
});
