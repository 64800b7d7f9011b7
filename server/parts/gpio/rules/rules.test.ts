import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../../platform/errno.ts';
import { EventBus } from '../../../platform/eventBus.ts';
import { silentLogger } from '../../../platform/log.ts';
import { FakeWallClock } from '../../../testing/fakeClock.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { until } from '../../../testing/waiting.ts';
import type { Level, PinState } from '../contract.ts';
import type { OutputRules } from '../driver.ts';
import { GpioService } from '../service.ts';
import { FakePins } from '../testing/fakePins.ts';
import { noRules, restLevels } from './rules.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();

/** Relays 2 and 3 are a pair, as those of a blind's motor. */
const pair: Partial<OutputRules> = { interlock: [[2, 3]] };

describe('rules of outputs', () => {
  let pins: FakePins;
  let gpio: GpioService;
  let clock: FakeWallClock;
  let dataDir: string;
  let announced: PinState[];

  async function start(rules: Partial<OutputRules>): Promise<void> {
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'gpio') announced.push(payload as PinState);
    });
    const all = { ...noRules, ...rules };
    pins.rest = restLevels(all);
    gpio = new GpioService({ driver: pins, rules: all, dataDir, clock, events, log });
    await gpio.start();
  }
  const write = (pin: number, level: Level) => gpio.write({ pin, level }, context);
  const pulse = (pin: number, level: Level, ms: number) => gpio.pulse({ pin, level, ms }, context);
  const factsOf = async (pin: number) => (await gpio.list()).pins[pin]!;

  beforeEach(() => {
    announced = [];
    dataDir = temporaryFolder('rules');
    clock = new FakeWallClock('2026-03-01T10:00:00Z');
    pins = new FakePins();
    pins.levels.fill(0);
  });
  afterEach(async () => {
    pins.fails = undefined;
    pins.stuck = undefined;
    await gpio.stop();
    assert.equal(clock.pending, 0, 'a stop leaves no timer');
  });

  describe('an interlock', () => {
    test('should refuse the second pin with LOCKED_OUT, also for a pulse, until the first is off', async () => {
      await start(pair);
      await write(2, 1);
      const refusal = { code: 'LOCKED_OUT', status: 409, message: /^Relay 2 .* Relay 1, which is on\.$/ };
      await assert.rejects(write(3, 1), refusal);
      await assert.rejects(pulse(3, 1, 100), refusal);
      assert.deepEqual(pins.levels, [0, 0, 1, 0]);
      assert.deepEqual([(await factsOf(2)).lockedBy, (await factsOf(3)).lockedBy], [null, 2]);
      await write(2, 0);
      await write(3, 1);
      assert.deepEqual(pins.levels, [0, 0, 0, 1]);
      assert.deepEqual([(await factsOf(2)).lockedBy, (await factsOf(3)).lockedBy], [3, null]);
    });

    test('should never let both be on when two surfaces command both at once 10,000 times', async () => {
      await start(pair);
      const seen = new Set<string>();
      pins.onMove = () => seen.add(`${pins.levels[2]}${pins.levels[3]}`);
      for (let round = 0; round < 10_000; round += 100) {
        const calls = Array.from({ length: 100 }, (_, index) => {
          const one = write(2, ((index >> 1) % 2) as Level);
          return [one, write(3, ((index >> 2) % 2) as Level)];
        });
        await Promise.allSettled(calls.flat());
      }
      assert.deepEqual([...seen].sort(), ['00', '01', '10']);
    });

    test('should hold for a pin that goes back on at the end of its pulse', async () => {
      await start(pair);
      await write(2, 1);
      await pulse(2, 0, 500);
      await assert.rejects(write(3, 1), { code: 'LOCKED_OUT', message: /goes back on/ });
      assert.equal((await factsOf(3)).lockedBy, 2);
      await clock.advance(500);
      await until(() => pins.levels[2] === 1);
      await write(2, 0);
      await write(3, 1);
    });

    test('should refuse what it cannot know to be off', async () => {
      await start(pair);
      pins.fails = errnoError('EIO', 'ioctl');
      await assert.rejects(write(3, 1), { code: 'HARDWARE_ERROR' });
      // Writes fail halfway, and nobody can read whether the relay moved.
      pins.fails = undefined;
      pins.onMove = (when, { pin, level }) => {
        if (when === 'after' && pin === 2 && level === 1) pins.fails = errnoError('EIO', 'ioctl');
      };
      await assert.rejects(write(2, 1), { code: 'HARDWARE_ERROR' });
      pins.fails = undefined;
      pins.levels[2] = 0;
      await assert.rejects(write(3, 1), { code: 'LOCKED_OUT' });
      await write(2, 0);
      await write(3, 1);
    });

    test('should switch off a pin again that reads another level than it was set to', async () => {
      await start(pair);
      pins.stuck = 2;
      await assert.rejects(write(2, 1), { code: 'HARDWARE_ERROR' });
      assert.deepEqual(
        pins.calls.filter((call) => call.startsWith('write 2')),
        ['write 2 1', 'write 2 0'],
      );
      await write(3, 1);
    });

    test('should switch both off that are found on', async () => {
      pins.levels.fill(1);
      await start(pair);
      assert.deepEqual(pins.levels, [1, 1, 0, 0]);
    });
  });

  describe('a longest time', () => {
    const limited = { maxOnMs: { 2: 10_000 } };

    test('should switch the pin off, and not earlier', async () => {
      await start(limited);
      await write(2, 1);
      await clock.advance(9_999);
      assert.equal(pins.levels[2], 1);
      await clock.advance(1);
      await until(() => pins.levels[2] === 0);
      assert.deepEqual(announced.at(-1), { pin: 2, level: 0 });
    });

    test('should not become longer by writing 1 again, nor by pulses', async () => {
      await start(limited);
      await write(2, 1);
      for (let second = 0; second < 9; second++) {
        await clock.advance(1_000);
        await write(2, 1);
        await pulse(2, 1, 3_600_000);
      }
      await clock.advance(1_000);
      await until(async () => pins.levels[2] === 0 && (await factsOf(2)).pulseUntil === null);
    });

    test('should begin anew when the pin was off', async () => {
      await start(limited);
      await write(2, 1);
      await clock.advance(9_000);
      await write(2, 0);
      await write(2, 1);
      await clock.advance(9_999);
      assert.equal(pins.levels[2], 1);
      await clock.advance(1);
      await until(() => pins.levels[2] === 0);
    });

    test('should cut a pulse, and say so in its end', async () => {
      await start(limited);
      const { until: end } = await pulse(2, 1, 60_000);
      assert.equal(end, '2026-03-01T10:00:10.000Z');
      await clock.advance(10_000);
      await until(async () => (await factsOf(2)).pulseUntil === null);
      assert.equal(pins.levels[2], 0);
    });

    test('should count for level 1 only', async () => {
      await start(limited);
      assert.equal((await pulse(2, 0, 60_000)).until, '2026-03-01T10:01:00.000Z');
    });

    test('should count from the outside, too, and be off at start and at stop', async () => {
      pins.levels[2] = 1;
      await start(limited);
      assert.equal(pins.levels[2], 0);
      pins.levels[2] = 1;
      pins.listener?.({ pin: 2, level: 1 });
      await clock.advance(10_000);
      await until(() => pins.levels[2] === 0);
      await write(2, 1);
      await gpio.stop();
      assert.equal(pins.levels[2], 0);
    });

    test('should try again each second while the pin cannot be switched off', async () => {
      await start(limited);
      await write(2, 1);
      pins.stuck = 2;
      await clock.advance(10_000);
      await until(() => clock.pending === 1);
      pins.stuck = undefined;
      await clock.advance(1_000);
      await until(() => pins.levels[2] === 0);
    });
  });

  describe('safe levels', () => {
    const safe = { safe: { 0: 1, 2: 0, 3: 0 }, safeAfterPageLost: 5 } as const;

    test('should be driven when the page was gone for as long as the profile says, and end pulses', async () => {
      await start(safe);
      gpio.pageIs(true);
      await write(0, 0);
      await write(2, 1);
      await pulse(3, 1, 3_600_000);
      gpio.pageIs(false);
      await clock.advance(4_999);
      assert.deepEqual(pins.levels, [0, 0, 1, 1]);
      await clock.advance(1);
      await until(() => pins.levels.join('') === '1000');
      assert.equal((await factsOf(3)).pulseUntil, null);
    });

    test('should be driven once: a caller may switch while the page is lost, and the next loss counts again', async () => {
      await start(safe);
      gpio.pageIs(false);
      await clock.advance(5_000);
      await write(2, 1);
      gpio.pageIs(false);
      await clock.advance(60_000);
      assert.equal(pins.levels[2], 1);
      gpio.pageIs(true);
      gpio.pageIs(false);
      await clock.advance(5_000);
      await until(() => pins.levels[2] === 0);
    });

    test('should stay away when the page reloads in time, and without a rule for the page', async () => {
      await start(safe);
      await write(2, 1);
      for (let reload = 0; reload < 5; reload++) {
        gpio.pageIs(false);
        await clock.advance(4_999);
        gpio.pageIs(true);
      }
      await gpio.stop();
      await start({ safe: safe.safe });
      await write(2, 1);
      gpio.pageIs(false);
      await clock.advance(3_600_000);
      assert.equal(pins.levels[2], 1);
    });

    test('should be tried again each second, the others not held up by one that fails', async () => {
      await start(safe);
      await write(2, 1);
      await write(3, 1);
      pins.stuck = 2;
      gpio.pageIs(false);
      await clock.advance(5_000);
      await until(() => pins.levels[3] === 0);
      pins.stuck = undefined;
      await until(() => clock.pending === 1);
      await clock.advance(1_000);
      await until(() => pins.levels[2] === 0);
    });

    test('should come before what a pulse goes back to, at stop', async () => {
      await start({ safe: { 2: 0 } });
      await write(2, 1);
      await pulse(2, 0, 3_600_000);
      await gpio.stop();
      assert.equal(pins.levels[2], 0);
    });

    test('should never pass a state that an interlock forbids', async () => {
      await start({ ...pair, safe: { 2: 1, 3: 0 }, safeAfterPageLost: 1 });
      await write(2, 0);
      await write(3, 1);
      const states: string[] = [];
      pins.onMove = () => states.push(`${pins.levels[2]}${pins.levels[3]}`);
      gpio.pageIs(false);
      await clock.advance(1_000);
      await until(() => pins.levels[2] === 1);
      assert.ok(states.length > 0 && !states.includes('11'), states.join());
    });
  });

  describe('inputs', () => {
    test('should count a level only when the wire has kept it', async () => {
      await start({ debounceMs: 20 });
      for (let bounce = 0; bounce < 9; bounce++) {
        pins.listener?.({ pin: 0, level: (1 - (bounce % 2)) as Level });
        await clock.advance(3);
      }
      assert.deepEqual(announced, []);
      await clock.advance(20);
      assert.deepEqual(announced, [{ pin: 0, level: 1 }]);
      assert.equal((await factsOf(0)).edges, 1);
      pins.listener?.({ pin: 0, level: 0 });
      pins.listener?.({ pin: 0, level: 1 });
      await clock.advance(1_000);
      assert.equal(announced.length, 1);
    });

    test('should count at once what the kernel has debounced, and what the panel writes itself', async () => {
      await start({ debounceMs: 20 });
      pins.listener?.({ pin: 0, level: 1, isSettled: true });
      await write(1, 1);
      pins.listener?.({ pin: 2, level: 1 });
      assert.deepEqual(announced, [
        { pin: 0, level: 1 },
        { pin: 1, level: 1 },
        { pin: 2, level: 1 },
      ]);
    });

    test('should count edges that were missed, and tell when the last one was', async () => {
      await start({});
      const at = Date.parse('2026-03-01T09:59:59.123Z');
      pins.listener?.({ pin: 0, level: 1, edges: 7, at, isSettled: true });
      pins.listener?.({ pin: 0, level: 1, edges: 4, at: at + 1, isSettled: true });
      pins.listener?.({ pin: 0, level: 1 });
      const { edges, since } = await factsOf(0);
      assert.deepEqual([edges, since], [11, '2026-03-01T09:59:59.124Z']);
      assert.deepEqual(announced, [{ pin: 0, level: 1 }]);
    });

    test('should announce 100 changes a second of 10,000, count all, and end at the last level', async () => {
      await start({});
      for (let edge = 1; edge <= 10_001; edge++) pins.listener?.({ pin: 0, level: (edge % 2) as Level });
      assert.equal(announced.length, 100);
      await clock.advance(1_000);
      assert.equal(announced.length, 101);
      assert.deepEqual(announced.at(-1), { pin: 0, level: 1 });
      assert.equal((await factsOf(0)).edges, 10_001);
      await clock.advance(1_000);
      pins.listener?.({ pin: 0, level: 0 });
      assert.equal(announced.length, 102);
    });
  });

  test('should refuse a pulse at a pin that cannot be driven, and leave nothing to end', async () => {
    await start({});
    pins.onMove = (when, { pin }) => {
      if (when === 'before' && pin === 1) throw errnoError('EPERM', 'an input');
    };
    await assert.rejects(pulse(1, 1, 1_000), { code: 'HARDWARE_ERROR', message: /EPERM/ });
    assert.equal((await factsOf(1)).pulseUntil, null);
    assert.equal(clock.pending, 0);
  });

  test('should set a pulse back until it is back when the driver fails in the middle of it', async () => {
    await start({});
    pins.onMove = (when, { pin, level }) => {
      if (when === 'after' && pin === 2 && level === 1) pins.fails = errnoError('EIO', 'ioctl');
    };
    await assert.rejects(pulse(2, 1, 3_600_000), { code: 'HARDWARE_ERROR' });
    assert.equal(pins.levels[2], 1);
    pins.fails = undefined;
    await clock.advance(1_000);
    await until(async () => pins.levels[2] === 0 && (await factsOf(2)).pulseUntil === null);
  });

  test('should keep the length of a pulse when the clock is set back an hour, and tell its end by the new time', async () => {
    await start({});
    await pulse(2, 1, 60_000);
    await clock.advance(10_000);
    clock.jump(-3_600_000);
    assert.equal((await factsOf(2)).pulseUntil, '2026-03-01T09:01:00.000Z');
    await clock.advance(49_999);
    assert.equal(pins.levels[2], 1);
    await clock.advance(1);
    await until(() => pins.levels[2] === 0);
  });

  test('should leave a pin as it was written when the write came just before the end of its pulse', async () => {
    await start({});
    await pulse(2, 1, 100);
    const first = write(0, 1);
    const written = write(2, 1);
    await clock.advance(100);
    await Promise.all([first, written]);
    await write(0, 0);
    assert.equal(pins.levels[2], 1);
  });

  test('should refuse what would begin while the service stops', async () => {
    await start({});
    const stopping = gpio.stop();
    await assert.rejects(pulse(2, 1, 1_000), { code: 'SHUTTING_DOWN' });
    await stopping;
    assert.equal(pins.levels[2], 0);
  });
});
