import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { errnoError } from '../../platform/errno.ts';
import { EventBus } from '../../platform/eventBus.ts';
import { silentLogger } from '../../platform/log.ts';
import { FakeWallClock } from '../../testing/fakeClock.ts';
import { temporaryFolder } from '../../testing/temporaryFolder.ts';
import { until } from '../../testing/waiting.ts';
import type { Level, PinState } from './contract.ts';
import type { GpioDriver } from './driver.ts';
import { noRules } from './rules/rules.ts';
import { GpioService } from './service.ts';
import { FakePins } from './testing/fakePins.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();

describe('GPIO service', () => {
  let pins: FakePins;
  let gpio: GpioService;
  let announced: PinState[];
  let dataDir: string;
  let clock: FakeWallClock;

  function make(driver: GpioDriver | null): GpioService {
    const events = new EventBus(log);
    events.onAny((name, payload) => {
      if (name === 'gpio') announced.push(payload as PinState);
    });
    return new GpioService({ driver, dataDir, clock, events, log });
  }

  beforeEach(() => {
    announced = [];
    dataDir = temporaryFolder('gpio');
    clock = new FakeWallClock('2026-03-01T10:00:00Z');
    pins = new FakePins();
    gpio = make(pins);
  });

  afterEach(async () => {
    await gpio.stop();
  });

  test('should know the level of every pin after start, without an event', async () => {
    await gpio.start();
    assert.deepEqual(gpio.snapshot(), [
      { pin: 0, level: 0 },
      { pin: 1, level: 0 },
      { pin: 2, level: 1 },
      { pin: 3, level: 0 },
    ]);
    assert.deepEqual(announced, []);
  });

  test('should write, read back and answer as the contract says', async () => {
    await gpio.start();
    pins.calls.length = 0;
    const answer = await gpio.write({ pin: 3, level: 1 }, context);
    assert.deepEqual(answer, { status: 'ok', pin: 3, level: 1, ok: true });
    assert.deepEqual(pins.calls, ['write 3 1', 'read 3']);
    assert.deepEqual(await gpio.read({ pin: 3 }, context), answer);
    assert.deepEqual(announced, [{ pin: 3, level: 1 }]);
    assert.deepEqual(gpio.snapshot()[3], { pin: 3, level: 1 });
  });

  test('should answer HARDWARE_ERROR when another level is read back, and announce only what happened', async () => {
    await gpio.start();
    pins.stuck = 2;
    await assert.rejects(gpio.write({ pin: 2, level: 0 }, context), {
      code: 'HARDWARE_ERROR',
      message: /^Relay 1 was set to 0 but reads 1/,
    });
    assert.deepEqual(announced, []);
    assert.deepEqual(gpio.snapshot()[2], { pin: 2, level: 1 });
  });

  test('should use the pin labels of the board profile in its sentences', async () => {
    const events = new EventBus(log);
    const labels = ['Bell', 'Door contact', 'Gate', 'Light'];
    const board = labels.map((label) => ({ label, kind: 'io' as const }));
    const named = new GpioService({ driver: pins, pins: board, dataDir, events, log });
    await named.start();
    pins.stuck = 2;
    await assert.rejects(named.write({ pin: 2, level: 0 }, context), { message: /^Gate was set to 0/ });
  });

  test('should refuse a pin that the board does not have, before anything else', async () => {
    const board = [
      { label: 'Bell', kind: 'relay' },
      { label: 'Light', kind: 'io' },
    ] as const;
    const events = new EventBus(log);
    for (const count of [2, 0]) {
      const few = new GpioService({ driver: pins, pins: board.slice(0, count), dataDir, clock, events, log });
      await few.start();
      pins.calls.length = 0;
      const sentence = count === 0 ? 'This board has no pins.' : 'pin must be 0 to 1.';
      const refusal = { code: 'INVALID_REQUEST', message: sentence, field: 'pin' };
      await assert.rejects(few.write({ pin: 2, level: 1 }, context), refusal);
      await assert.rejects(few.pulse({ pin: 2, level: 1, ms: 10 }, context), refusal);
      await assert.rejects(few.read({ pin: 31 }, context), refusal);
      await assert.rejects(few.simulate({ pin: 2, level: 1 }), refusal);
      assert.deepEqual(pins.calls, []);
      assert.equal((await few.list()).pins.length, count);
      assert.equal(few.snapshot().length, count);
      await few.stop();
    }
  });

  test('should have the kinds of the board: inputs have edges and bounce, relays do neither', async () => {
    const board = [
      { label: 'Pump', kind: 'relay' },
      { label: 'Fan', kind: 'relay' },
      { label: 'Door', kind: 'io' },
    ] as const;
    const rules = { ...noRules, debounceMs: 20 };
    const events = new EventBus(log);
    const other = new GpioService({ driver: pins, pins: board, rules, dataDir, clock, events, log });
    const edges: PinState[] = [];
    other.onInput((edge) => edges.push(edge));
    await other.start();
    assert.deepEqual(
      (await other.list()).pins.map(({ label, kind }) => ({ label, kind })),
      board,
    );
    pins.listener?.({ pin: 1, level: 1 });
    pins.listener?.({ pin: 2, level: 0 });
    assert.deepEqual(other.snapshot().slice(1), [
      { pin: 1, level: 1 },
      { pin: 2, level: 1 },
    ]);
    await clock.advance(20);
    assert.deepEqual(edges, [{ pin: 2, level: 0 }]);
    await other.stop();
  });

  test('should announce real changes only', async () => {
    await gpio.start();
    await gpio.write({ pin: 0, level: 0 }, context);
    await gpio.write({ pin: 0, level: 1 }, context);
    await gpio.write({ pin: 0, level: 1 }, context);
    await gpio.read({ pin: 0 }, context);
    assert.deepEqual(announced, [{ pin: 0, level: 1 }]);
  });

  test('should announce a change that a read finds or the driver notices', async () => {
    await gpio.start();
    pins.levels[1] = 1;
    await gpio.read({ pin: 1 }, context);
    pins.listener?.({ pin: 0, level: 1 });
    pins.listener?.({ pin: 0, level: 1 });
    assert.deepEqual(announced, [
      { pin: 1, level: 1 },
      { pin: 0, level: 1 },
    ]);
  });

  test('should not mix concurrent calls: each write is read back before the next begins', async () => {
    await gpio.start();
    pins.calls.length = 0;
    const levels = Array.from({ length: 20 }, (_, index) => (index % 2) as Level);
    const answers = await Promise.all(levels.map((level) => gpio.write({ pin: 2, level }, context)));
    assert.deepEqual(
      answers.map((answer) => answer.level),
      levels,
    );
    assert.deepEqual(
      pins.calls,
      levels.flatMap((level) => [`write 2 ${level}`, 'read 2']),
    );
  });

  test('should answer HARDWARE_ERROR with the errno when the driver fails, and continue', async () => {
    await gpio.start();
    pins.fails = errnoError('EIO', 'ioctl');
    await assert.rejects(gpio.read({ pin: 0 }, context), { code: 'HARDWARE_ERROR', message: /EIO/ });
    pins.fails = undefined;
    assert.equal((await gpio.read({ pin: 0 }, context)).level, 0);
  });

  test('should answer UNSUPPORTED_HARDWARE when the board has no pins', async () => {
    gpio = make(null);
    await gpio.start();
    await assert.rejects(gpio.read({ pin: 0 }, context), { code: 'UNSUPPORTED_HARDWARE' });
    await assert.rejects(gpio.simulate({ pin: 0, level: 1 }), { code: 'UNSUPPORTED_HARDWARE' });
    assert.deepEqual(gpio.snapshot(), []);
    assert.equal(gpio.part().state, 'absent');
  });

  test('should tell edges of inputs that it did not write itself, of relays none', async () => {
    await gpio.start();
    const edges: PinState[] = [];
    const end = gpio.onInput((edge) => edges.push(edge));
    await gpio.write({ pin: 0, level: 1 }, context);
    // A driver that hears its own write before the write has ended.
    const writing = gpio.write({ pin: 1, level: 1 }, context);
    await new Promise(setImmediate);
    pins.listener?.({ pin: 1, level: 1 });
    await writing;
    pins.listener?.({ pin: 3, level: 1 });
    assert.deepEqual(edges, []);
    pins.listener?.({ pin: 0, level: 0 });
    pins.levels[1] = 0;
    await gpio.read({ pin: 1 }, context);
    assert.deepEqual(edges, [
      { pin: 0, level: 0 },
      { pin: 1, level: 0 },
    ]);
    end();
    pins.listener?.({ pin: 0, level: 1 });
    assert.equal(edges.length, 2);
  });

  test('should refuse to simulate on real pins', async () => {
    await gpio.start();
    await assert.rejects(gpio.simulate({ pin: 0, level: 1 }), { code: 'UNSUPPORTED_HARDWARE' });
  });

  test('should pass a simulated change to the driver and announce it', async () => {
    const simulating = Object.assign(pins, {
      simulate: (change: PinState) => pins.listener?.(change),
    });
    gpio = make(simulating);
    await gpio.start();
    await gpio.simulate({ pin: 0, level: 1 });
    assert.deepEqual(announced, [{ pin: 0, level: 1 }]);
  });

  test('should never run a call whose caller left while it waited', async () => {
    await gpio.start();
    pins.calls.length = 0;
    const caller = new AbortController();
    const first = gpio.write({ pin: 0, level: 1 }, context);
    const second = gpio.write({ pin: 3, level: 1 }, { signal: caller.signal });
    caller.abort(new Error('gone'));
    await assert.rejects(second, /gone/);
    await first;
    await gpio.read({ pin: 0 }, context);
    assert.deepEqual(pins.calls, ['write 0 1', 'read 0', 'read 0']);
  });

  describe('a pulse', () => {
    const pinOf = async (pin: number) => (await gpio.list()).pins[pin]!;

    test('should drive the pin for its time, then back to the level it had', async () => {
      await gpio.start();
      const { until: end, ...answer } = await gpio.pulse({ pin: 2, level: 0, ms: 500 }, context);
      assert.deepEqual(answer, { status: 'ok', pin: 2, level: 0 });
      assert.equal((await pinOf(2)).pulseUntil, end);
      await clock.advance(499);
      assert.equal(pins.levels[2], 0);
      await clock.advance(1);
      await until(async () => (await pinOf(2)).pulseUntil === null);
      assert.equal(pins.levels[2], 1);
      assert.equal((await pinOf(2)).edges, 2);
    });

    test('should begin anew with another pulse, and still end at the level of before', async () => {
      await gpio.start();
      await gpio.pulse({ pin: 0, level: 1, ms: 500 }, context);
      await clock.advance(400);
      await gpio.pulse({ pin: 0, level: 1, ms: 500 }, context);
      await clock.advance(400);
      assert.equal(pins.levels[0], 1);
      await clock.advance(100);
      await until(async () => (await pinOf(0)).pulseUntil === null);
      assert.equal(pins.levels[0], 0);
    });

    test('should end with a write, which stays', async () => {
      await gpio.start();
      await gpio.pulse({ pin: 0, level: 1, ms: 500 }, context);
      await gpio.write({ pin: 0, level: 1 }, context);
      assert.equal((await pinOf(0)).pulseUntil, null);
      await clock.advance(1_000);
      assert.equal(pins.levels[0], 1);
      assert.equal(clock.pending, 0);
    });

    test('should end when the service stops', async () => {
      await gpio.start();
      await gpio.pulse({ pin: 0, level: 1, ms: 3_600_000 }, context);
      await gpio.stop();
      assert.equal(pins.levels[0], 0);
      assert.equal(clock.pending, 0);
    });

    test('should end first thing at the next start when the service was killed', async () => {
      await gpio.start();
      await gpio.pulse({ pin: 3, level: 1, ms: 3_600_000 }, context);
      assert.equal(pins.levels[3], 1);
      // Killed: nothing of the first service runs on. The pins keep their levels.
      pins.calls.length = 0;
      const next = make(pins);
      await next.start();
      assert.equal(pins.calls[0], 'write 3 0');
      assert.equal(pins.levels[3], 0);
      await next.stop();
      const third = make(pins);
      pins.calls.length = 0;
      await third.start();
      assert.ok(!pins.calls.some((call) => call.startsWith('write')));
    });

    test('should try again each second while the pin cannot be set back', async () => {
      await gpio.start();
      await gpio.pulse({ pin: 0, level: 1, ms: 100 }, context);
      pins.fails = errnoError('EIO', 'ioctl');
      await clock.advance(100);
      await until(async () => clock.pending === 1);
      pins.fails = undefined;
      await clock.advance(1_000);
      await until(async () => (await pinOf(0)).pulseUntil === null);
      assert.equal(pins.levels[0], 0);
    });

    test('should be refused with the pin set back when another level is read', async () => {
      await gpio.start();
      pins.stuck = 0;
      await assert.rejects(gpio.pulse({ pin: 0, level: 1, ms: 100 }, context), { code: 'HARDWARE_ERROR' });
      assert.equal((await pinOf(0)).pulseUntil, null);
      assert.equal(clock.pending, 0);
    });
  });

  test('should list each pin with what is known of it', async () => {
    await gpio.start();
    const { pins: listed } = await gpio.list();
    const nothing = { since: null, edges: 0, pulseUntil: null, lockedBy: null };
    assert.deepEqual(listed, [
      { pin: 0, label: 'IO 1', kind: 'io', level: 0, ...nothing },
      { pin: 1, label: 'IO 2', kind: 'io', level: 0, ...nothing },
      { pin: 2, label: 'Relay 1', kind: 'relay', level: 1, ...nothing },
      { pin: 3, label: 'Relay 2', kind: 'relay', level: 0, ...nothing },
    ]);
    await assert.rejects(make(null).list(), { code: 'UNSUPPORTED_HARDWARE' });
  });

  test('should keep the last edges with their time, newest first, and say which the panel wrote', async () => {
    await gpio.start();
    const edges = async (limit = 1_000) => (await gpio.edges({ limit })).edges;
    assert.deepEqual(await gpio.edges({ limit: 1 }), {
      edges: [],
      since: '2026-03-01T10:00:00.000Z',
      until: '2026-03-01T10:00:00.000Z',
    });
    await clock.advance(1_000);
    await gpio.write({ pin: 3, level: 1 }, context);
    await gpio.write({ pin: 3, level: 1 }, context);
    await clock.advance(1_000);
    pins.listener!({ pin: 0, level: 1, edges: 3, at: Date.parse('2026-03-01T10:00:01.500Z') });
    pins.listener!({ pin: 0, level: 0 });
    assert.deepEqual(await edges(), [
      { time: '2026-03-01T10:00:02.000Z', pin: 0, level: 0, count: 1, written: false },
      { time: '2026-03-01T10:00:01.500Z', pin: 0, level: 1, count: 3, written: false },
      { time: '2026-03-01T10:00:01.000Z', pin: 3, level: 1, count: 1, written: true },
    ]);
    assert.equal((await edges(2)).length, 2);
    assert.equal((await gpio.edges({ limit: 1 })).until, '2026-03-01T10:00:02.000Z');
    await assert.rejects(make(null).edges({ limit: 1 }), { code: 'UNSUPPORTED_HARDWARE' });
  });

  test('should keep the edges of the other pins where one chatters', async () => {
    await gpio.start();
    await gpio.write({ pin: 3, level: 1 }, context);
    for (let i = 1; i <= 1_001; i++)
      pins.listener!({ pin: 0, level: (i % 2) as Level, at: clock.wall() + i });
    const { edges } = await gpio.edges({ limit: 1_000 });
    assert.equal(edges.filter(({ pin }) => pin === 0).length, 250);
    assert.deepEqual(edges[0], {
      time: '2026-03-01T10:00:01.001Z',
      pin: 0,
      level: 1,
      count: 1,
      written: false,
    });
    assert.equal(edges[249]!.time, '2026-03-01T10:00:00.752Z');
    assert.equal(edges.at(-1)!.pin, 3);
  });

  test('should stop twice and before start', async () => {
    await gpio.stop();
    await gpio.start();
    await gpio.stop();
    await gpio.stop();
    await assert.rejects(gpio.read({ pin: 0 }, context), { code: 'SHUTTING_DOWN' });
  });
});
