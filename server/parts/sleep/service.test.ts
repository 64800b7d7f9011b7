import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { alarm, context, TestPanel } from '../testing/sleepPanel.ts';
import { alarmState } from './contract.ts';

process.env.TZ = 'Europe/Berlin';

/** A Wednesday. */
const NOON = '2026-07-01T12:00:00+02:00';
const MINUTE = 60_000;

describe('sleep schedule service', () => {
  let panel: TestPanel;
  beforeEach(async () => {
    panel = await TestPanel.at(NOON);
  });
  afterEach(() => panel.close());

  test('should be off, with 07:00 to 22:00 every day, before anyone has set it', async () => {
    const service = panel.service();
    await service.start();
    assert.deepEqual(await service.alarm(), {
      enabled: false,
      onTime: '07:00',
      offTime: '22:00',
      onDays: [],
      nextOn: null,
      nextOff: null,
    });
    await panel.clock.advance(24 * 60 * MINUTE);
    assert.deepEqual(panel.events, []);
    assert.deepEqual(panel.calls, []);
    assert.equal(panel.rtc.alarm, null);
  });

  test('should answer with the next edges in local time, as the contract says', async () => {
    const service = panel.service();
    await service.start();
    const set = await service.setAlarm(alarm({ onDays: [1, 4] }), context);
    assert.deepEqual(set, {
      enabled: true,
      onTime: '07:00',
      offTime: '22:00',
      onDays: [1, 4],
      nextOn: '2026-07-02T07:00:00+02:00',
      nextOff: '2026-07-02T22:00:00+02:00',
    });
    assert.deepEqual(alarmState.parse(set), set);
    assert.deepEqual(await service.alarm(), set);
    assert.deepEqual(service.snapshot(), set);
  });

  test('should change only the given fields, and nothing if there are none', async () => {
    const service = await panel.running({ onDays: [1, 4] });
    const before = await service.alarm();
    assert.deepEqual(await service.setAlarm({}, context), before);
    for (const change of [{ offTime: '21:00' }, { onTime: '06:15' }, { onDays: [] }, { enabled: false }]) {
      const { nextOn: _on, nextOff: _off, ...expected } = { ...(await service.alarm()), ...change };
      const { nextOn, nextOff, ...answer } = await service.setAlarm(change, context);
      assert.deepEqual(answer, expected);
      assert.equal(nextOn === null && nextOff === null, !expected.enabled);
    }
  });

  test('should refuse a time that equals the stored other one, and change nothing', async () => {
    const service = await panel.running();
    const before = await service.alarm();
    for (const change of [{ onTime: '22:00' }, { offTime: '07:00', enabled: false }])
      await assert.rejects(service.setAlarm(change, context), { code: 'INVALID_REQUEST', field: 'offTime' });
    assert.deepEqual(await service.alarm(), before);
  });

  test('should keep the changes of concurrent calls, each of its own field', async () => {
    const service = await panel.running();
    const changes = [{ onTime: '06:00' }, { offTime: '20:00' }, { onDays: [2] }];
    await Promise.all(changes.map((change) => service.setAlarm(change, context)));
    const { onTime, offTime, onDays } = await service.alarm();
    assert.deepEqual({ onTime, offTime, onDays }, { onTime: '06:00', offTime: '20:00', onDays: [2] });
  });

  test('should ignore nextOn and nextOff that are sent back', async () => {
    const service = await panel.running();
    const sent = { ...(await service.alarm()), offTime: '21:00', nextOff: 'yesterday' };
    const answer = await service.setAlarm(sent, context);
    assert.equal(answer.nextOff, '2026-07-01T21:00:00+02:00');
    assert.deepEqual(JSON.parse(await readFile(join(panel.dataDir, 'rtc.json'), 'utf8')), {
      version: 1,
      value: { enabled: true, onTime: '07:00', offTime: '21:00', onDays: [] },
    });
  });

  test('should keep the schedule over a restart, and set the wake alarm again', async () => {
    const before = await panel.running({ onTime: '06:30', onDays: [5] });
    const state = await before.alarm();
    await before.stop();
    panel.rtc.alarm = null;
    const service = panel.service();
    await service.start();
    assert.deepEqual(await service.alarm(), state);
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-03T06:30:00+02:00'));
  });

  test('should start with the defaults when the state file cannot be read, and set it aside', async () => {
    for (const text of ['{', '{"enabled":true}', JSON.stringify(alarm({ onTime: '22:00' }))]) {
      await writeFile(join(panel.dataDir, 'rtc.json'), text);
      const service = panel.service();
      await service.start();
      assert.equal((await service.alarm()).enabled, false);
      await service.stop();
    }
    const files = await readdir(panel.dataDir);
    assert.ok(files.length > 0 && files.every((name) => name.startsWith('rtc.json.corrupt-')), String(files));
  });

  test('should announce the alarm when it is changed, and when an edge moves its next times', async () => {
    const service = panel.service();
    await service.start();
    await service.setAlarm(alarm(), context);
    await service.setAlarm(alarm(), context);
    assert.deepEqual(panel.events, [{ name: 'rtc', payload: await service.alarm() }]);
    panel.forget();
    await panel.clock.advanceTo('2026-07-01T23:00:00+02:00');
    const announced = panel.events.filter(({ name }) => name === 'rtc');
    assert.deepEqual(announced, [{ name: 'rtc', payload: await service.alarm() }]);
    assert.equal((await service.alarm()).nextOff, '2026-07-02T22:00:00+02:00');
  });

  test('should switch the wake alarm off with the schedule', async () => {
    const service = await panel.running();
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-02T07:00:00+02:00'));
    await service.setAlarm(alarm({ enabled: false }), context);
    assert.equal(panel.rtc.alarm, null);
  });

  test('should change nothing when the real-time clock fails', async () => {
    const service = await panel.running();
    panel.rtc.failsToArm = errnoError('EIO', 'test');
    await assert.rejects(service.setAlarm(alarm({ onTime: '05:00' }), context), {
      code: 'HARDWARE_ERROR',
      message: 'The real-time clock failed: EIO (i/o error).',
    });
    panel.rtc.failsToArm = undefined;
    assert.equal((await service.alarm()).onTime, '07:00');
    await panel.clock.advance(MINUTE);
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-02T07:00:00+02:00'));
    assert.deepEqual(panel.events, []);
  });

  test('should change nothing when the schedule cannot be written', async () => {
    const service = await panel.running();
    await rm(panel.dataDir, { recursive: true });
    await writeFile(panel.dataDir, 'a file where the folder was');
    await assert.rejects(service.setAlarm(alarm({ onTime: '05:00' }), context), { code: 'STORAGE_FULL' });
    assert.equal((await service.alarm()).onTime, '07:00');
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-02T07:00:00+02:00'));
    assert.deepEqual(panel.events, []);
    await rm(panel.dataDir);
    await mkdir(panel.dataDir);
    await chmod(panel.dataDir, 0o700);
    assert.equal((await service.setAlarm(alarm({ onTime: '05:00' }), context)).onTime, '05:00');
  });

  test('should keep a schedule whose next alarm the real-time clock cannot hold', async () => {
    const service = panel.service();
    await service.start();
    panel.rtc.failsToArm = errnoError('ERANGE', 'test');
    assert.equal((await service.setAlarm(alarm(), context)).enabled, true);
    await panel.clock.advanceTo('2026-07-02T07:00:00+02:00');
    assert.deepEqual(panel.powerEvents(), [{ state: 'asleep' }, { state: 'awake' }]);
  });

  test('should set the wake alarm again within a minute when another program has changed it', async () => {
    await panel.running();
    const wanted = panel.rtc.alarm;
    for (const other of [null, Date.parse('2026-07-09T00:00:00Z'), Date.parse('2026-07-01T22:00:00Z')]) {
      panel.rtc.alarm = other;
      await panel.clock.advance(MINUTE);
      assert.equal(panel.rtc.alarm, wanted);
    }
  });

  test('should leave a correct alarm alone', async () => {
    await panel.running();
    const { arms } = panel.rtc;
    await panel.clock.advance(60 * MINUTE);
    assert.equal(panel.rtc.arms, arms);
  });

  test('should set the alarm for the next day after it has gone off', async () => {
    await panel.running();
    await panel.clock.advanceTo('2026-07-02T07:01:00+02:00');
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-03T07:00:00+02:00'));
  });

  test('should make changes one after the other, the last one winning', async () => {
    const service = await panel.running();
    const times = Array.from({ length: 20 }, (_, index) => `06:${String(index + 10)}`);
    const answers = await Promise.all(times.map((onTime) => service.setAlarm(alarm({ onTime }), context)));
    assert.equal((await service.alarm()).onTime, '06:29');
    assert.equal(answers.at(-1)?.onTime, '06:29');
    assert.equal(panel.rtc.alarm, Date.parse('2026-07-02T06:29:00+02:00'));
  });

  for (const [title, driver] of [
    ['has none', null],
    ['lacks its node', 'missing'],
  ] as const) {
    test(`should refuse with UNSUPPORTED_HARDWARE on a board that ${title}, and never sleep`, async () => {
      await writeFile(join(panel.dataDir, 'rtc.json'), JSON.stringify(alarm()));
      panel.rtc.missing = errnoError('ENOENT', 'test');
      const service = panel.service(driver === null ? null : panel.rtc);
      await service.start();
      await assert.rejects(service.alarm(), { code: 'UNSUPPORTED_HARDWARE' });
      await assert.rejects(service.setAlarm(alarm(), context), { code: 'UNSUPPORTED_HARDWARE' });
      assert.equal(service.snapshot(), undefined);
      assert.equal(service.part().state, 'absent');
      service.touched();
      await panel.clock.advance(24 * 60 * MINUTE);
      assert.deepEqual(panel.powerEvents(), []);
    });
  }

  test('should leave no timer behind, and stop twice and before its start', async () => {
    const fresh = panel.service();
    await fresh.stop();
    const service = await panel.running();
    assert.ok(panel.clock.pending > 0);
    await service.stop();
    await service.stop();
    assert.equal(panel.clock.pending, 0);
    await panel.clock.advance(24 * 60 * MINUTE);
    assert.deepEqual(panel.calls, []);
  });

  test('should work again after a stop and a start', async () => {
    const service = await panel.running();
    await service.stop();
    await service.start();
    await panel.clock.advanceTo('2026-07-01T22:00:00+02:00');
    assert.deepEqual(service.power(), { state: 'asleep' });
  });
});
