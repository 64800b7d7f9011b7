import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { channels } from '../preload/electronChannels.ts';
import { settled } from '../server/testing/fakeClock.ts';
import { eventOf } from './testing/fakeEmitter.ts';
import { FakeFrame, FakePage } from './testing/fakePage.ts';
import { HOME, ORIGIN, TestElectronHost } from './testing/testElectronHost.ts';

describe('the Electron host (over a double of Electron)', () => {
  test('should keep the screen lit, and let go of everything at stop', async () => {
    const kiosk = await TestElectronHost.started();
    const { double, host } = kiosk;
    assert.deepEqual([...double.blockers.values()], ['prevent-display-sleep']);
    await host.sleep(() => {});
    await host.stop();
    await host.stop();
    assert.deepEqual([double.open, double.window], [[], undefined]);
    assert.equal(double.windows.length, 1);
    assert.equal(double.blockers.size, 0);
    for (const event of ['web-contents-created', 'select-client-certificate', 'certificate-error', 'login'])
      assert.equal(double.app.listeners.count(event), 0, event);
    for (const channel of Object.values(channels))
      assert.equal(double.ipcMain.listeners.count(channel), 0, channel);
    assert.equal(kiosk.clock.pending, 0);
    await new TestElectronHost().host.stop();
  });

  test('should report use, at most once a second', async () => {
    await using kiosk = await TestElectronHost.started();
    const { listeners } = kiosk.view.page;
    listeners.emit('input-event', eventOf(), { type: 'mouseMove' });
    assert.equal(kiosk.touches, 0);
    for (let i = 0; i < 3; i++) listeners.emit('input-event', eventOf(), { type: 'touchStart' });
    assert.equal(kiosk.touches, 1);
    await kiosk.clock.advance(1_000);
    listeners.emit('input-event', eventOf(), { type: 'keyDown' });
    assert.equal(kiosk.touches, 2);
  });

  test('should send its page to its address once the page has taken the scripts of the settings', async () => {
    await using kiosk = new TestElectronHost();
    kiosk.extras = { ...kiosk.extras, inject: () => [{ origin: ORIGIN, js: 'one()' }] };
    await kiosk.host.start(kiosk.sink, HOME);
    const { loads, tools } = kiosk.view.page;
    assert.deepEqual(
      loads.map(({ url }) => url),
      ['about:blank', HOME],
    );
    const given = tools.sent.map(({ params }) => JSON.stringify(params ?? null).includes('one()'));
    assert.equal(given.filter(Boolean).length, 1);
    assert.ok(given.indexOf(true) < loads[1]!.answered);
  });
});

const question = (kind: string, text = 'Sure?', value = '') => JSON.stringify({ kind, text, value });
const CANCELLED = '{"accepted":false,"value":""}';

/** The top page asks, and stands still until the answer is there. */
const ask = ({ double, view }: TestElectronHost, json: unknown = question('confirm')) =>
  double.ipcMain.ask(view.page, view.page.frame, channels.question, json);

describe('questions of the page in the Electron host (over a double of Electron)', () => {
  test('should be open for a frame of the same origin', async () => {
    await using kiosk = await TestElectronHost.started();
    const frame = Object.assign(new FakeFrame(), { origin: ORIGIN });
    kiosk.double.ipcMain.ask(kiosk.view.page, frame, channels.question, question('alert'));
    assert.equal(kiosk.dialogs.length, 1);
  });

  test('security: whoever else asks is answered at once, and nobody is asked', async () => {
    await using kiosk = await TestElectronHost.started();
    const { ipcMain } = kiosk.double;
    const { page } = kiosk.view;
    const other = new FakePage();
    other.frame.origin = ORIGIN;
    for (const [sender, frame, json] of [
      [page, null, question('confirm')],
      [page, Object.assign(new FakeFrame(), { origin: 'http://evil.localhost:1' }), question('confirm')],
      [other, other.frame, question('confirm')],
      [page, page.frame, question('print')],
      [page, page.frame, '{'],
      [page, page.frame, { kind: 'confirm' }],
      [page, page.frame, question('confirm', 'x'.repeat(200_000))],
    ] as const)
      assert.equal(ipcMain.ask(sender, frame, channels.question, json).returnValue, null);
    assert.equal(kiosk.dialogs.length, 0);
  });

  test('should not make a page that waits for a person look hung, dead or crashed', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    kiosk.deadPageCheck = true;
    // It stands still: its thread answers nothing.
    page.frame.pulse = new Promise(() => {});
    ask(kiosk);
    page.listeners.emit('unresponsive');
    await kiosk.clock.advance(60_000);
    assert.equal(page.crashes, 0);
    assert.deepEqual(kiosk.host.recoveries(), {});
    kiosk.dialogs[0]!.answer({ accepted: true, value: '' });
    await settled();
    await kiosk.clock.advance(15_000);
    assert.deepEqual(kiosk.host.recoveries(), { 'hung-page': 1 });
  });

  for (const [what, leave] of [
    [
      'is at another address',
      (kiosk) => kiosk.view.page.listeners.emit('did-navigate', eventOf(), HOME, 200, 'OK'),
    ],
    ['crashes', (kiosk) => kiosk.view.page.forcefullyCrashRenderer()],
    ['loses its window', (kiosk) => kiosk.double.window!.destroy()],
    ['ends with the host', (kiosk) => kiosk.host.stop()],
  ] satisfies [string, (kiosk: TestElectronHost) => unknown][])
    test(`should be cancelled when the page ${what}`, async () => {
      await using kiosk = await TestElectronHost.started();
      const asking = ask(kiosk);
      await leave(kiosk);
      await settled();
      assert.equal(asking.returnValue, CANCELLED);
      assert.equal(kiosk.dialogs[0]!.gone.aborted, true);
    });

  test('should say what the window guard refuses, in its words alone', async () => {
    await using kiosk = await TestElectronHost.started();
    const { page } = kiosk.view;
    const told: string[] = [];
    kiosk.host.pageConsole().open(({ level, text }) => told.push(`${level} ${text}`));
    for (const refusal of ['pointer-lock', 'scheme', 'own words', 7])
      kiosk.double.ipcMain.send(page, page.frame, channels.refused, refusal);
    const other = new FakePage();
    kiosk.double.ipcMain.send(other, other.frame, channels.refused, 'window');
    assert.deepEqual(told, [
      'security pointer lock refused',
      'security navigation refused: a page may not use its scheme',
    ]);
  });
});
