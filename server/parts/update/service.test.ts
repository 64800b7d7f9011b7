import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { FaceplateError } from '../../contract/errors.ts';
import { settled } from '../../testing/fakeClock.ts';
import { until } from '../../testing/waiting.ts';
import { UpdatePanel } from './testing/updatePanel.ts';

const MINUTE = 60_000;
const kept = (panel: UpdatePanel) =>
  JSON.parse(readFileSync(join(panel.dataDir, 'update.json'), 'utf8')).value;

/** Installs 1.1.0 and restarts into it. */
async function updated(panel: UpdatePanel): Promise<void> {
  await panel.start();
  await panel.install();
  await panel.clock.advance(10_000);
  await until(() => panel.driver.asked.includes('restart'));
  panel.driver.beforeVersion = '1.0.0';
  await panel.start('1.1.0');
}

describe('versions of the panel', () => {
  test('should take a bundle, restart after 10 s, and call it good after a minute with its page', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    assert.deepEqual(panel.service.state(), {
      ...{ installed: '1.0.0', slot: null, available: null, state: 'idle', progress: null, last: null },
    });
    assert.deepEqual(await panel.install(), { version: '1.1.0' });
    assert.equal(panel.service.state().state, 'restarting');
    await panel.clock.advance(9_900);
    assert.deepEqual(panel.driver.asked, ['install']);
    await panel.clock.advance(100);
    await until(() => panel.driver.asked.includes('restart'));
    assert.equal(kept(panel).trying.version, '1.1.0');
    await panel.start('1.1.0');
    assert.equal(panel.service.state().state, 'proving');
    await panel.clock.advance(MINUTE - 1_000);
    assert.equal(panel.service.state().state, 'proving');
    await panel.clock.advance(2_000);
    await until(() => panel.service.state().state === 'idle');
    assert.deepEqual(panel.driver.asked, ['install', 'restart', 'markGood']);
    const { last } = panel.service.state();
    assert.deepEqual({ ...last, at: '' }, { version: '1.1.0', result: 'good', reason: null, at: '' });
    assert.deepEqual(panel.noted, [{ 'update.state': { version: '1.1.0', result: 'good', reason: null } }]);
  });

  test('should refuse what is not signed, of another key, for another board and older, in this order', async () => {
    await using panel = new UpdatePanel();
    await panel.start('1.5.0');
    const refused = (words: RegExp) => ({ code: 'INVALID_REQUEST', message: words });
    panel.driver.bundle = { signature: 'none' };
    await assert.rejects(panel.install(), refused(/is not signed/));
    panel.driver.bundle = { signature: 'unknown' };
    await assert.rejects(panel.install(), refused(/signed by a key that this panel does not know/));
    panel.driver.bundle = { signature: 'known', version: '1.0.0', board: 'debian-other' };
    await assert.rejects(panel.install(), refused(/is for debian-other, this panel is debian-test/));
    panel.driver.bundle = { signature: 'known', version: '1.5.0-beta.1', board: 'debian-test' };
    await assert.rejects(panel.install(), refused(/is older than 1\.5\.0/));
    assert.deepEqual(panel.driver.asked, []);
    assert.equal(panel.service.state().state, 'idle');
    assert.equal(existsSync(join(panel.dataDir, 'update')), false);
    panel.driver.oldestVersion = '1.5.0-beta.2';
    await assert.rejects(
      panel.install({ older: true }),
      refused(/is older than 1\.5\.0-beta\.2, the oldest/),
    );
    panel.driver.oldestVersion = '1.5.0-beta.1';
    assert.deepEqual(await panel.install({ older: true }), { version: '1.5.0-beta.1' });
  });

  test('should take the same version again', async () => {
    await using panel = new UpdatePanel();
    await panel.start('1.1.0');
    assert.deepEqual(await panel.install(), { version: '1.1.0' });
  });

  test('should refuse an empty body, and a bundle for which there is no room before its first byte', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await assert.rejects(panel.install({}, Buffer.alloc(0)), { code: 'INVALID_REQUEST' });
    panel.free = 100 * 1024 ** 2;
    let isRead = false;
    async function* bytes() {
      isRead = true;
      yield Buffer.from('x');
    }
    const bundle = { size: 2 * 1024 ** 3, bytes: bytes() };
    const call = { signal: new AbortController().signal };
    await assert.rejects(panel.service.install({ older: false, restart: true, bundle }, call), {
      code: 'STORAGE_FULL',
    });
    assert.equal(isRead, false);
    assert.equal(panel.service.state().state, 'idle');
  });

  test('should refuse a second bundle unread, and forget one whose sender hangs up', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    const ending = new AbortController();
    const arriving = Promise.withResolvers<Uint8Array>();
    async function* bytes() {
      yield Buffer.from('half');
      yield await arriving.promise;
    }
    const bundle = { size: 8, bytes: bytes() };
    const first = panel.service.install({ older: false, restart: true, bundle }, { signal: ending.signal });
    await until(() => panel.service.state().progress === 50);
    assert.equal(panel.service.state().state, 'fetching');
    await assert.rejects(panel.install(), { code: 'CONFLICT' });
    await assert.rejects(panel.service.return(), { code: 'CONFLICT' });
    ending.abort(new FaceplateError('REQUEST_TIMEOUT'));
    arriving.resolve(Buffer.from('rest'));
    await assert.rejects(first, { code: 'REQUEST_TIMEOUT' });
    assert.equal(panel.service.state().state, 'idle');
    assert.equal(existsSync(join(panel.dataDir, 'update')), false);
  });

  test('should stay idle when the installer fails, or Faceplate runs from its sources', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    for (const code of ['UPDATE_FAILED', 'UNSUPPORTED_HARDWARE'] as const) {
      panel.driver.failures.set('install', new FaceplateError(code));
      await assert.rejects(panel.install(), { code });
      assert.equal(panel.service.state().state, 'idle');
    }
  });

  test('should wait for the next restart where that is wanted, and find it after one', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await panel.install({ restart: false });
    await panel.clock.advance(60 * MINUTE);
    assert.deepEqual(panel.driver.asked, ['install']);
    // Here the service is what restarts: it asks for the version that waits.
    await panel.start();
    await until(() => panel.driver.asked.includes('restart'));
    assert.equal(kept(panel).waiting, null);
  });

  test('should leave a version that waits for the boot alone when only the service restarts', async () => {
    await using panel = new UpdatePanel();
    panel.driver.restarts = 'machine';
    await panel.start();
    await panel.install({ restart: false });
    await panel.start();
    await panel.clock.advance(MINUTE);
    assert.deepEqual(panel.driver.asked, ['install']);
    assert.equal(panel.service.state().state, 'restarting');
    await panel.start('1.1.0');
    assert.equal(panel.service.state().state, 'proving');
  });

  test('should take back what waits, without a restart, and never take it by itself again', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await panel.install();
    assert.deepEqual(await panel.service.return(), { version: '1.0.0' });
    await panel.clock.advance(MINUTE);
    assert.deepEqual(panel.driver.asked, ['install', 'discard']);
    assert.equal(panel.service.state().state, 'idle');
    assert.equal(panel.service.state().last?.result, 'returned');
    assert.deepEqual(kept(panel).returned, ['1.1.0']);
  });

  test('should be back on the version before, say why, and not return to what was taken back', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    panel.driver.why = 'The service ended by itself three times.';
    await panel.startAfterCrash('1.0.0');
    const { last, state } = panel.service.state();
    assert.equal(state, 'idle');
    assert.deepEqual(
      { ...last, at: '' },
      {
        ...{ version: '1.1.0', result: 'returned', reason: panel.driver.why, at: '' },
      },
    );
    assert.deepEqual(panel.noted.at(-1), {
      'update.state': { version: '1.1.0', result: 'returned', reason: panel.driver.why },
    });
    assert.deepEqual(panel.told, [['1.1.0', 3_600]]);
    // For an hour in all, also after another restart.
    await panel.clock.advance(45 * MINUTE);
    await panel.start('1.0.0');
    assert.deepEqual(panel.told.at(-1), ['1.1.0', 900]);
    panel.driver.beforeVersion = '1.1.0';
    await assert.rejects(panel.service.return(), { code: 'CONFLICT', message: /1\.1\.0 was taken back/ });
  });

  test('should fail after 15 minutes, after 60 s that are never on end, and say what the page was', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    for (let minute = 0; minute < 14; minute++) {
      panel.page = { state: minute % 2 ? 'shown' : 'blank', since: String(minute) };
      await panel.clock.advance(59_000);
    }
    assert.equal(panel.service.state().state, 'proving');
    panel.page = { state: 'blank', since: 'z' };
    await panel.clock.advance(2 * MINUTE);
    await until(() => panel.service.state().state === 'restarting');
    await panel.clock.advance(1);
    assert.match(kept(panel).trying.reason, /within 15 minutes: the page was blank/);
    assert.deepEqual(panel.driver.asked, ['install', 'restart', 'return']);
  });

  test('should count a page as it was before, one whose server is away, and no page at all', async () => {
    for (const [before, after] of [
      ['failed', { state: 'failed', since: 'x' }],
      ['shown', { state: 'waiting', since: 'x' }],
      ['shown', null],
    ] as const) {
      await using panel = new UpdatePanel();
      panel.page = { state: before, since: 'a' };
      await updated(panel);
      panel.page = after;
      await panel.clock.advance(62_000);
      await until(() => panel.service.state().last?.result === 'good');
    }
  });

  test('should not be good while the service is not well, or its start does not end', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await panel.install();
    await panel.clock.advance(10_000);
    await until(() => panel.driver.asked.includes('restart'));
    await panel.start('1.1.0', { isReady: false });
    await panel.clock.advance(5 * MINUTE);
    assert.equal(panel.service.state().state, 'proving');
    panel.service.ready();
    panel.isWell = false;
    await panel.clock.advance(5 * MINUTE);
    assert.equal(panel.service.state().state, 'proving');
    panel.isWell = true;
    await panel.clock.advance(62_000);
    await until(() => panel.service.state().last?.result === 'good');
  });

  test('should go back when the service ended by itself three times, whatever restarts in order count', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    for (let ordered = 0; ordered < 5; ordered++) await panel.start('1.1.0');
    await panel.startAfterCrash('1.1.0');
    await panel.startAfterCrash('1.1.0');
    assert.equal(panel.service.state().state, 'proving');
    await panel.startAfterCrash('1.1.0');
    await panel.clock.advance(1);
    assert.equal(panel.service.state().state, 'restarting');
    assert.deepEqual(panel.driver.asked.at(-1), 'return');
    await panel.startAfterCrash('1.0.0');
    assert.equal(panel.service.state().last?.reason, 'The service ended by itself 3 times.');
  });

  test('should count no power cut as an end of the service, however often the plug is pulled', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    for (let cut = 1; cut <= 9; cut++) {
      panel.boot = `boot ${cut}`;
      await panel.startAfterCrash('1.1.0', cut % 2 === 0);
      assert.equal(panel.service.state().state, 'proving');
      await panel.clock.advance(cut * 1_000);
    }
    // A healthy version that is cut off between two ends of its own still has all of its tries.
    await panel.startAfterCrash('1.1.0');
    panel.boot = 'another boot';
    await panel.startAfterCrash('1.1.0');
    await panel.clock.advance(62_000);
    await until(() => panel.service.state().last?.result === 'good');
    assert.equal(panel.driver.asked.includes('return'), false);
  });

  test('should still go back when a version that was cut off ends by itself three times', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    panel.boot = 'second boot';
    for (let start = 0; start < 3; start++) await panel.startAfterCrash('1.1.0');
    assert.equal(panel.service.state().state, 'proving');
    await panel.startAfterCrash('1.1.0');
    await panel.clock.advance(1);
    assert.equal(panel.driver.asked.at(-1), 'return');
  });

  test('should return by hand after 10 s, also from a proof, and not say so on the screen', async () => {
    await using panel = new UpdatePanel();
    await updated(panel);
    assert.deepEqual(await panel.service.return(), { version: '1.0.0' });
    await assert.rejects(panel.service.return(), { code: 'CONFLICT' });
    await panel.clock.advance(9_000);
    assert.equal(panel.driver.asked.includes('return'), false);
    await panel.clock.advance(1_000);
    assert.equal(panel.driver.asked.at(-1), 'return');
    await panel.start('1.0.0');
    assert.equal(panel.service.state().last?.result, 'returned');
    assert.deepEqual(panel.told, []);
  });

  test('should know why it is back where a later version kept more than this one understands', async () => {
    await using panel = new UpdatePanel();
    const trying = { version: '2.0.0', page: null, starts: 1, reason: 'The page was blank.', colour: 'red' };
    const value = { last: null, waiting: null, trying, returned: ['1.5.0'], more: true };
    writeFileSync(join(panel.dataDir, 'update.json'), JSON.stringify({ version: 9, value }));
    await panel.start('1.0.0');
    const { version, result, reason } = panel.service.state().last!;
    assert.deepEqual([version, result, reason], ['2.0.0', 'returned', 'The page was blank.']);
    assert.deepEqual(kept(panel).returned, ['1.5.0', '2.0.0']);
  });

  test('should have nowhere to return to at first', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await assert.rejects(panel.service.return(), { code: 'CONFLICT', message: /no version before/ });
  });

  test('should say so when the new version cannot be started', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    panel.driver.failures.set('restart', new FaceplateError('HARDWARE_ERROR', 'The helper did not answer.'));
    await panel.install();
    await panel.clock.advance(10_000);
    await until(() => panel.service.state().state === 'idle');
    assert.equal(panel.service.state().last?.reason, 'The helper did not answer.');
  });

  test('should tell of each change, the last one always, and at most twice a second', async () => {
    await using panel = new UpdatePanel();
    await panel.start();
    await panel.install();
    assert.equal(panel.events.length, 1);
    await panel.clock.advance(500);
    assert.deepEqual(
      panel.events.map(({ state }) => state),
      ['fetching', 'restarting'],
    );
    await panel.service.stop();
    await settled();
    assert.equal(panel.clock.pending, 0);
  });
});
