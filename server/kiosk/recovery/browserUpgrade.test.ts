import assert from 'node:assert/strict';
import { chmodSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import { BrowserUpgradeWatcher, MaintenanceWindow } from './maintenance.ts';

const MINUTE = 60_000;

describe('a browser that was replaced on the disk', () => {
  let folder: string;
  let program: string;
  let clock: FakeClock;
  let hour: number;
  let isAsleep: boolean;
  let isInCall: () => Promise<boolean>;
  let asked: number;
  let restarts: number;
  let window: MaintenanceWindow;
  let watch: BrowserUpgradeWatcher;

  /** As dpkg does it: a new file in the place of the old one. */
  const replace = (text: string) => {
    writeFileSync(`${program}.dpkg-new`, text);
    chmodSync(`${program}.dpkg-new`, 0o755);
    renameSync(`${program}.dpkg-new`, program);
  };
  /** Looks once a minute; each looks at real files, for which no clock of ours waits. */
  const minutes = async (count: number) => {
    for (let n = 0; n < count; n++) {
      await clock.advance(MINUTE);
      await until(() => clock.pending > 0, 'the end of a look');
    }
  };

  beforeEach(async () => {
    folder = temporaryFolder('program');
    program = join(folder, 'chromium');
    replace('one');
    clock = new FakeClock();
    hour = 3;
    isAsleep = false;
    asked = 0;
    restarts = 0;
    isInCall = async () => false;
    window = new MaintenanceWindow({
      clock,
      date: () => new Date(2026, 0, 1, hour, 30),
      quietHour: () => 3,
      isAsleep: () => isAsleep,
      isInCall: () => {
        asked++;
        return isInCall();
      },
    });
    watch = new BrowserUpgradeWatcher({
      program,
      clock,
      window,
      onReplaced: () => restarts++,
      log: silentLogger(),
    });
    await watch.begun();
    watch.start();
  });
  afterEach(() => {
    watch.stop();
  });

  test('should be restarted in the quiet hour, once', async () => {
    await minutes(15);
    assert.equal(restarts, 0);
    replace('two');
    await minutes(15);
    assert.equal(restarts, 1);
    await minutes(15);
    assert.equal(restarts, 1);
  });

  test('should wait for the quiet hour', async () => {
    hour = 12;
    replace('two');
    await minutes(20);
    assert.equal(restarts, 0);
    hour = 3;
    await minutes(1);
    assert.equal(restarts, 1);
  });

  test('should be restarted at any hour while the panel sleeps', async () => {
    hour = 12;
    isAsleep = true;
    replace('two');
    await minutes(11);
    assert.equal(restarts, 1);
  });

  test('should be left alone for ten minutes, because an upgrade goes on, and while it changes again', async () => {
    replace('two');
    await minutes(9);
    replace('three');
    await minutes(9);
    assert.equal(restarts, 0);
    await minutes(1);
    assert.equal(restarts, 1);
  });

  test('should not be restarted while somebody touches the panel, unless it sleeps', async () => {
    replace('two');
    await minutes(9);
    window.touched();
    await minutes(4);
    assert.equal(restarts, 0);
    isAsleep = true;
    await minutes(1);
    assert.equal(restarts, 1);
    isAsleep = false;
    replace('three');
    await minutes(9);
    window.touched();
    await minutes(4);
    assert.equal(restarts, 1);
    await minutes(1);
    assert.equal(restarts, 2);
  });

  test('should not be restarted during a call, nor where nobody can say', async () => {
    isInCall = async () => true;
    replace('two');
    await minutes(12);
    assert.deepEqual([restarts, asked > 0], [0, true]);
    isInCall = () => Promise.reject(new Error('not known'));
    await minutes(2);
    assert.equal(restarts, 0);
    isInCall = async () => false;
    await minutes(1);
    assert.equal(restarts, 1);
  });

  test('should not be restarted while there is no program, nor when the old one comes back', async () => {
    renameSync(program, `${program}.old`);
    await minutes(15);
    replace('two');
    await minutes(5);
    renameSync(`${program}.old`, program);
    await minutes(15);
    assert.equal(restarts, 0);
  });

  test('should be known by its file, also behind a link, and not by its name', async () => {
    const link = join(folder, 'link');
    symlinkSync(program, link);
    let restarted = 0;
    const linked = new BrowserUpgradeWatcher({
      program: link,
      clock,
      window,
      onReplaced: () => restarted++,
      log: silentLogger(),
    });
    await linked.begun();
    linked.start();
    // The same text, as when the same version is installed again: still another file.
    replace('one');
    utimesSync(program, 1, 1);
    for (let n = 0; n < 15; n++) {
      await clock.advance(MINUTE);
      await until(() => clock.pending === 2, 'the end of both looks');
    }
    linked.stop();
    assert.equal(restarted, 1);
  });

  test('should not count what was replaced before the browser began, and nothing after stop', async () => {
    replace('two');
    await watch.begun();
    await minutes(15);
    assert.equal(restarts, 0);
    replace('three');
    watch.stop();
    watch.stop();
    assert.equal(clock.pending, 0);
    await clock.advance(30 * MINUTE);
    assert.equal(restarts, 0);
  });
});
