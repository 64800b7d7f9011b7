import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { EventBus } from '../../../platform/eventBus.ts';
import { silentLogger } from '../../../platform/log.ts';
import { FakeWallClock } from '../../../testing/fakeClock.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import { until } from '../../../testing/waiting.ts';
import type { Level } from '../contract.ts';
import type { OutputRules } from '../driver.ts';
import { GpioService } from '../service.ts';
import { FakePins } from '../testing/fakePins.ts';
import { noRules, restLevels } from './rules.ts';

const context = { signal: new AbortController().signal };
const log = silentLogger();

/** What a kill leaves: the levels of the pins, and the state file as it is at this moment. */
interface Left {
  readonly point: string;
  readonly levels: readonly Level[];
  readonly file: string | undefined;
}

/** The service on pins that outlive it. */
function serviceOn(pins: FakePins, dataDir: string, clock: FakeWallClock, rules: OutputRules): GpioService {
  pins.rest = restLevels(rules);
  return new GpioService({ driver: pins, rules, dataDir, clock, events: new EventBus(log), log });
}

describe('a service that is killed', () => {
  let work: string;
  let clock: FakeWallClock;
  beforeEach(() => {
    work = temporaryFolder('killed');
    clock = new FakeWallClock('2026-03-01T10:00:00Z');
  });

  /**
   * Runs a piece of life of the service and keeps what a kill would leave at every step of it: before and after each
   * file is written, before and after each pin moves.
   */
  async function killedEverywhere(
    rules: OutputRules,
    live: (gpio: GpioService, pins: FakePins, mark: (point: string) => void) => Promise<void>,
    levels: readonly Level[] = [0, 0, 0, 0],
  ): Promise<readonly Left[]> {
    const dataDir = join(work, 'first');
    const path = join(dataDir, 'outputs.json');
    const pins = new FakePins();
    pins.levels.splice(0, 4, ...levels);
    const points: Left[] = [];
    const keep = (point: string) => {
      const file = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
      points.push({ point, levels: [...pins.levels], file });
    };
    pins.onMove = (when, { pin, level }) => keep(`${when} pin ${pin} becomes ${level}`);
    const gpio = serviceOn(pins, dataDir, clock, rules);
    keep('before the start');
    await gpio.start();
    await live(gpio, pins, keep);
    await gpio.stop();
    keep('after the stop');
    return points;
  }

  /** The levels after the next start, and whether a pin moved in a way that the rules forbid. */
  async function afterNextStart(left: Left, index: number, rules: OutputRules): Promise<readonly Level[]> {
    const dataDir = join(work, `next-${index}`);
    mkdirSync(dataDir);
    if (left.file !== undefined) writeFileSync(join(dataDir, 'outputs.json'), left.file);
    const pins = new FakePins();
    pins.levels.splice(0, 4, ...left.levels);
    const next = serviceOn(pins, dataDir, new FakeWallClock('2026-03-01T12:00:00Z'), rules);
    await next.start();
    const levels = [...pins.levels];
    assert.deepEqual(
      (await next.list()).pins.map(({ pulseUntil }) => pulseUntil),
      [null, null, null, null],
    );
    await next.stop();
    return levels;
  }

  test('should end its pulse at the next start, at whatever step of the pulse it was killed', async () => {
    const points = await killedEverywhere(noRules, async (gpio, pins, mark) => {
      mark('before the call');
      await gpio.pulse({ pin: 3, level: 1, ms: 1_000 }, context);
      mark('while it pulses');
      await clock.advance(1_000);
      await until(async () => pins.levels[3] === 0 && (await gpio.list()).pins[3]!.pulseUntil === null);
      mark('when it is over');
    });
    const steps = points.map(({ point }) => point);
    for (const step of [
      'before pin 3 becomes 1',
      'after pin 3 becomes 1',
      'before pin 3 becomes 0',
      'while it pulses',
    ])
      assert.ok(steps.includes(step), `${step}: ${steps.join(', ')}`);
    assert.ok(points.some(({ levels }) => levels[3] === 1));
    for (const [index, left] of points.entries())
      assert.deepEqual(await afterNextStart(left, index, noRules), [0, 0, 0, 0], left.point);
  });

  test('should give a pulse to 0 its level of before, at whatever step it was killed', async () => {
    const levels = [0, 0, 1, 0] as const;
    const points = await killedEverywhere(
      noRules,
      async (gpio, pins) => {
        await gpio.pulse({ pin: 2, level: 0, ms: 1_000 }, context);
        await clock.advance(1_000);
        await until(() => pins.levels[2] === 1);
      },
      levels,
    );
    assert.ok(points.some(({ levels }) => levels[2] === 0));
    for (const [index, left] of points.entries())
      assert.deepEqual(await afterNextStart(left, index, noRules), levels, left.point);
  });

  test('should find every pin at its safe level, at whatever step it was killed', async () => {
    const rules: OutputRules = {
      ...noRules,
      interlock: [[2, 3]],
      maxOnMs: { 1: 5_000 },
      safe: { 2: 0, 3: 0 },
      safeAfterPageLost: 1,
    };
    const points = await killedEverywhere(rules, async (gpio, pins) => {
      await gpio.write({ pin: 1, level: 1 }, context);
      await gpio.write({ pin: 2, level: 1 }, context);
      await gpio.pulse({ pin: 2, level: 1, ms: 500 }, context);
      await gpio.write({ pin: 2, level: 0 }, context);
      await gpio.pulse({ pin: 3, level: 1, ms: 60_000 }, context);
      gpio.pageIs(false);
      await clock.advance(1_000);
      await until(() => pins.levels[3] === 0);
      await clock.advance(4_000);
      await until(() => pins.levels[1] === 0);
    });
    assert.ok(points.length > 20);
    for (const [index, left] of points.entries()) {
      assert.ok(!(left.levels[2] === 1 && left.levels[3] === 1), left.point);
      assert.deepEqual(await afterNextStart(left, index, rules), [0, 0, 0, 0], left.point);
    }
  });

  test('should know where its pins rest before the first one moves, for the program that makes them safe', async () => {
    const rules = { ...noRules, maxOnMs: { 1: 5_000 }, safe: { 3: 1 } } as const;
    const points = await killedEverywhere(rules, async () => {});
    const first = points.find(({ point }) => point.startsWith('before pin'))!;
    assert.deepEqual(JSON.parse(first.file!).value, {
      wiring: null,
      rest: [
        { pin: 1, level: 0 },
        { pin: 3, level: 1 },
      ],
      pulses: [],
    });
  });
});
