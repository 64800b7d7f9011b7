import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { PowerState } from '../powerState.ts';
import { type Permission, type PowerDriver, SimulatedPower } from './driver.ts';
import { PowerService } from './service.ts';

const log = silentLogger();
const REBOOTING = { state: 'rebooting' };
const AWAKE = { state: 'awake' };

/** A power control that counts as a real one, and restarts nothing. */
class TestPower implements PowerDriver {
  readonly name = 'test';
  readonly path = null;
  readonly simulated = false;
  readonly calls: string[] = [];
  reboots: Permission = 'yes';
  suspends: Permission = 'yes';
  missing: Error | undefined;
  starts = 0;
  fails: Error | undefined;

  async start(): Promise<void> {
    this.starts++;
    if (this.missing) throw this.missing;
  }

  async stop(): Promise<void> {}

  async canReboot(): Promise<Permission> {
    return this.reboots;
  }

  reboot(): Promise<void> {
    return this.#do('reboot');
  }

  async canSuspend(): Promise<Permission> {
    if (this.fails) throw this.fails;
    return this.suspends;
  }

  suspend(): Promise<void> {
    return this.#do('suspend');
  }

  async #do(call: string): Promise<void> {
    if (this.fails) throw this.fails;
    this.calls.push(call);
  }
}

describe('power service', () => {
  let clock: FakeClock;
  let driver: TestPower;
  let power: PowerService;
  let announced: unknown[];
  let state: PowerState;

  function make(with_: PowerDriver | null): PowerService {
    const events = new EventBus(log);
    events.onAny((name, payload) => announced.push(name === 'power' ? payload : name));
    state = new PowerState(events);
    return new PowerService({ driver: with_, state, log, clock });
  }

  beforeEach(async () => {
    clock = new FakeClock();
    driver = new TestPower();
    announced = [];
    power = make(driver);
    await power.start();
  });

  test('should answer and announce a restart before it happens', async () => {
    assert.deepEqual(await power.reboot(), { status: 'rebooting' });
    assert.deepEqual(announced, [REBOOTING]);
    assert.deepEqual(power.snapshot(), REBOOTING);
    await clock.advance(499);
    assert.deepEqual(driver.calls, []);
    await clock.advance(1);
    assert.deepEqual(driver.calls, ['reboot']);
  });

  test('should restart once, however many callers ask', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => power.reboot()));
    await clock.advance(1_000);
    assert.deepEqual(await power.reboot(), { status: 'rebooting' });
    await clock.advance(1_000);
    assert.equal(answers.length, 50);
    assert.deepEqual(driver.calls, ['reboot']);
    assert.deepEqual(announced, [REBOOTING]);
  });

  for (const [permission, sentence] of [
    ['no', /allow its user org\.freedesktop\.login1\.reboot in polkit/],
    ['challenge', /allow its user org\.freedesktop\.login1\.reboot in polkit/],
    ['na', /cannot restart itself/],
  ] as const) {
    test(`should refuse before it promises anything when the system says "${permission}"`, async () => {
      driver.reboots = permission;
      await assert.rejects(power.reboot(), { code: 'HARDWARE_ERROR', message: sentence });
      await clock.advance(120_000);
      assert.deepEqual(driver.calls, []);
      assert.deepEqual(announced, []);
      assert.equal(clock.pending, 0);
    });
  }

  test('should say that the panel is awake again when the restart failed, and let the next caller try', async () => {
    await power.reboot();
    driver.fails = errnoError('EIO', 'test');
    await clock.advance(500);
    assert.deepEqual(announced, [REBOOTING, AWAKE]);
    assert.deepEqual(power.snapshot(), AWAKE);
    driver.fails = undefined;
    await power.reboot();
    await clock.advance(500);
    assert.deepEqual(driver.calls, ['reboot']);
  });

  test('should report its state when the panel still runs a minute after its restart', async () => {
    await power.reboot();
    state.setAsleep(true);
    await clock.advance(60_499);
    assert.deepEqual(announced, [REBOOTING]);
    await clock.advance(1);
    assert.deepEqual(announced, [REBOOTING, { state: 'asleep' }]);
  });

  test('should come back two seconds after the restart of a simulated panel', async () => {
    const simulated = new SimulatedPower();
    power = make(simulated);
    await power.start();
    await power.reboot();
    await clock.advance(2_500);
    assert.equal(simulated.reboots, 1);
    assert.deepEqual(announced, [REBOOTING, AWAKE]);
  });

  test('should still restart as promised when it is stopped before that', async () => {
    await power.reboot();
    await power.stop();
    assert.deepEqual(driver.calls, ['reboot']);
    assert.equal(clock.pending, 0);
    await power.stop();
    assert.deepEqual(driver.calls, ['reboot']);
    await power.start();
    assert.deepEqual(power.snapshot(), AWAKE);
  });

  test('should leave no timer behind when it is stopped after a restart', async () => {
    await power.reboot();
    await clock.advance(500);
    assert.equal(clock.pending, 1);
    await power.stop();
    assert.equal(clock.pending, 0);
    assert.deepEqual(driver.calls, ['reboot']);
  });

  test('should stop before its start and twice', async () => {
    const fresh = make(new TestPower());
    await fresh.stop();
    await power.stop();
    await power.stop();
    await assert.rejects(power.reboot(), { code: 'SHUTTING_DOWN' });
  });

  test('should suspend only if the system allows it without asking', async () => {
    for (const permission of ['no', 'challenge', 'na'] as const) {
      driver.suspends = permission;
      assert.equal(await power.canSuspend(), false);
    }
    driver.suspends = 'yes';
    assert.equal(await power.canSuspend(), true);
    await power.suspend();
    assert.deepEqual(driver.calls, ['suspend']);
  });

  test('should not suspend while the panel restarts, nor when permission is unknown', async () => {
    driver.fails = errnoError('ETIMEDOUT', 'test');
    assert.equal(await power.canSuspend(), false);
    driver.fails = undefined;
    await power.reboot();
    assert.equal(await power.canSuspend(), false);
  });

  test('should ask a power control that does not answer at boot again, with growing pauses, until it does', async () => {
    const late = new TestPower();
    late.missing = errnoError('ETIMEDOUT', 'test');
    power = make(late);
    await power.start();
    assert.equal(power.part().reason, 'ETIMEDOUT (connection timed out)');
    await clock.advance(10 * 60_000);
    // After 5, 15, 35 and 75 s, then once a minute.
    assert.equal(late.starts, 1 + 4 + 8);
    late.missing = undefined;
    await clock.advance(60_000);
    assert.deepEqual([power.part().state, late.starts, clock.pending], ['real', 14, 0]);
    await power.stop();
  });

  test('should ask no more once it is stopped, nor when there is no power control at all', async () => {
    const late = new TestPower();
    late.missing = errnoError('ETIMEDOUT', 'test');
    power = make(late);
    await power.start();
    assert.equal(clock.pending, 1);
    await power.stop();
    assert.equal(clock.pending, 0);
    late.missing = errnoError('ENOENT', 'test');
    await power.start();
    await clock.advance(10 * 60_000);
    assert.deepEqual([late.starts, clock.pending], [2, 0]);
  });

  test('should refuse with UNSUPPORTED_HARDWARE when the board has no power control', async () => {
    driver.missing = errnoError('ENOENT', 'test');
    for (const absent of [make(null), make(driver)]) {
      await absent.start();
      assert.equal(absent.part().state, 'absent');
      await assert.rejects(absent.reboot(), { code: 'UNSUPPORTED_HARDWARE' });
      assert.equal(await absent.canSuspend(), false);
      assert.deepEqual(absent.snapshot(), AWAKE);
    }
  });
});
