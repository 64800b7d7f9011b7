import assert from 'node:assert/strict';
import { promises, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
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

describe('outputs beside a disk that takes its time', () => {
  let pins: FakePins;
  let gpio: GpioService;
  let clock: FakeWallClock;
  let dataDir: string;
  let isDiskBack: () => void;

  async function start(rules: Partial<OutputRules>): Promise<void> {
    const all = { ...noRules, ...rules };
    pins.rest = restLevels(all);
    gpio = new GpioService({ driver: pins, rules: all, dataDir, clock, events: new EventBus(log), log });
    await gpio.start();
  }
  const write = (pin: number, level: Level) => gpio.write({ pin, level }, context);
  const pulse = (pin: number, level: Level, ms: number) => gpio.pulse({ pin, level, ms }, context);
  const pulsesOnDisk = () => JSON.parse(readFileSync(join(dataDir, 'outputs.json'), 'utf8')).value.pulses;
  /** A pulse at pin 0 that waits for the disk from now on, until `isDiskBack`. */
  async function callThatWaits(): Promise<() => Promise<unknown>> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { rename } = promises;
    isDiskBack = resolve;
    const { mock: renames } = mock.method(promises, 'rename', (from: string, to: string) =>
      promise.then(() => rename(from, to)),
    );
    syncBuiltinESMExports();
    const call = pulse(0, 1, 60_000);
    await until(() => renames.callCount() > 0);
    return () => call;
  }

  beforeEach(() => {
    isDiskBack = () => {};
    dataDir = temporaryFolder('slow-disk');
    clock = new FakeWallClock('2026-03-01T10:00:00Z');
    pins = new FakePins();
    pins.levels.fill(0);
  });
  afterEach(async () => {
    isDiskBack();
    await gpio.stop();
    mock.restoreAll();
    syncBuiltinESMExports();
    assert.equal(clock.pending, 0, 'a stop leaves no timer');
  });

  test('should switch a pin off that was on for as long as it may', async () => {
    await start({ maxOnMs: { 2: 500 } });
    await write(2, 1);
    const call = await callThatWaits();
    await clock.advance(499);
    assert.equal(pins.levels[2], 1);
    await clock.advance(1);
    await until(() => pins.levels[2] === 0);
    isDiskBack();
    await call();
    assert.deepEqual(pins.levels, [1, 0, 0, 0]);
  });

  test('should end a pulse that ends with 0, and take it off the disk later', async () => {
    await start({});
    await pulse(2, 1, 500);
    const call = await callThatWaits();
    await clock.advance(500);
    await until(() => pins.levels[2] === 0);
    assert.deepEqual(
      pulsesOnDisk().map(({ pin }: { pin: number }) => pin),
      [2],
    );
    isDiskBack();
    await call();
    await until(() => pulsesOnDisk().every(({ pin }: { pin: number }) => pin === 0));
    assert.deepEqual(pins.levels, [1, 0, 0, 0]);
  });

  test('should let a pulse that ends with 1 wait, for another pin of its interlock may be on its way', async () => {
    await start({ interlock: [[2, 3]] });
    await write(2, 1);
    await pulse(2, 0, 500);
    const call = await callThatWaits();
    await clock.advance(500);
    assert.equal(pins.levels[2], 0);
    isDiskBack();
    await call();
    await until(() => pins.levels[2] === 1);
  });

  test('should switch off at once what a caller switches off, and leave the turns of the calls as they are', async () => {
    await start({});
    await write(2, 1);
    const call = await callThatWaits();
    const later = [write(2, 0), write(2, 1), write(0, 0), write(99, 0).catch(({ code }) => code)];
    await until(() => pins.levels[2] === 0);
    isDiskBack();
    await call();
    assert.equal((await Promise.all(later)).at(-1), 'INVALID_REQUEST');
    assert.deepEqual(pins.levels, [0, 0, 1, 0]);
  });

  test('should switch off what must be when the page is lost', async () => {
    await start({ safe: { 1: 1, 2: 0 }, safeAfterPageLost: 5 });
    await write(1, 0);
    await write(2, 1);
    const call = await callThatWaits();
    gpio.pageIs(true);
    gpio.pageIs(false);
    await clock.advance(5_000);
    await until(() => pins.levels[2] === 0);
    assert.equal(pins.levels[1], 0);
    isDiskBack();
    await call();
    await until(() => pins.levels[1] === 1);
  });
});
