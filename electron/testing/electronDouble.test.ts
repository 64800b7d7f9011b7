import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ElectronDouble } from './electronDouble.ts';
import type { AppEvents, DebuggerEvents, PageEvents, SessionEvents, WindowEvents } from './electronEvents.ts';
import { FakeSession } from './fakeSession.ts';

describe("the double of Electron's API", () => {
  test('should play each event with the arguments of electron.d.ts: others would not compile here', () => {
    const double = new ElectronDouble();
    const { BaseWindow, WebContentsView, app } = double.api;
    const heard: string[] = [];
    app.on('web-contents-created', (..._: AppEvents['web-contents-created']) => heard.push('created'));
    app.on('select-client-certificate', (..._: AppEvents['select-client-certificate']) => {});
    app.on('login', (..._: AppEvents['login']) => {});
    const window = new BaseWindow();
    window.on('close', (..._: WindowEvents['close']) => {});
    window.on('closed', (..._: WindowEvents['closed']) => heard.push('closed'));
    window.on('focus', (..._: WindowEvents['focus']) => heard.push('focus'));
    window.on('resize', (..._: WindowEvents['resize']) => {});
    const page = new WebContentsView().webContents;
    page.on('focus', (..._: PageEvents['focus']) => heard.push('page focus'));
    page.on('destroyed', (..._: PageEvents['destroyed']) => heard.push('destroyed'));
    page.on('unresponsive', (..._: PageEvents['unresponsive']) => {});
    page.on('will-frame-navigate', (..._: PageEvents['will-frame-navigate']) => {});
    page.on('will-redirect', (..._: PageEvents['will-redirect']) => {});
    page.on('will-attach-webview', (..._: PageEvents['will-attach-webview']) => {});
    page.on('will-prevent-unload', (..._: PageEvents['will-prevent-unload']) => {});
    page.on('input-event', (..._: PageEvents['input-event']) => {});
    page.on('before-input-event', (..._: PageEvents['before-input-event']) => {});
    page.on('render-process-gone', (..._: PageEvents['render-process-gone']) => heard.push('gone'));
    page.on('did-navigate', (..._: PageEvents['did-navigate']) => heard.push('did-navigate'));
    page.on('did-fail-load', (..._: PageEvents['did-fail-load']) => {});
    page.debugger.on('message', (..._: DebuggerEvents['message']) => {});
    new FakeSession().real.on('will-download', (..._: SessionEvents['will-download']) => {});

    window.focus();
    page.focus();
    page.loadURL('http://a.local/');
    page.forcefullyCrashRenderer();
    window.destroy();
    page.close();
    const played = ['created', 'focus', 'page focus', 'did-navigate', 'gone', 'closed', 'destroyed'];
    assert.deepEqual(heard, played);
  });
});
