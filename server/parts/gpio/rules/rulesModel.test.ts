import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EventBus } from '../../../platform/eventBus.ts';
import { silentLogger } from '../../../platform/log.ts';
import { chanceOf } from '../../../testing/chance.ts';
import { FakeWallClock } from '../../../testing/fakeClock.ts';
import { temporaryFolder } from '../../../testing/temporaryFolder.ts';
import type { OutputRules } from '../driver.ts';
import { GpioService } from '../service.ts';
import { FakePins } from '../testing/fakePins.ts';
import { RulesModel } from '../testing/rulesModel.ts';
import { noRules, restLevels } from './rules.ts';

/** 100,000 with FACEPLATE_MODEL_STEPS=100000. */
const STEPS = Number(process.env.FACEPLATE_MODEL_STEPS ?? 5_000);
const log = silentLogger();

const RULES: OutputRules = {
  ...noRules,
  interlock: [
    [2, 3],
    [0, 3],
  ],
  maxOnMs: { 2: 700, 1: 5_000 },
  safe: { 2: 0, 3: 0 },
  safeAfterPageLost: 3,
};

test(`should keep the rules of outputs through ${STEPS} steps of chance, also between two writes`, async () => {
  const seed = Number(process.env.FACEPLATE_MODEL_SEED ?? Date.now() % 1e9);
  const chance = chanceOf(seed);
  const pick = (count: number) => Math.floor(chance() * count);
  const dataDir = temporaryFolder('model');
  const clock = new FakeWallClock('2026-03-01T10:00:00Z');
  const pins = new FakePins({ isQuick: true });
  pins.levels.fill(0);
  pins.rest = restLevels(RULES);
  const model = new RulesModel(RULES, () => clock.now());
  pins.onMove = (when) => when === 'after' && model.saw(pins.levels);
  const make = () =>
    new GpioService({ driver: pins, rules: RULES, dataDir, clock, events: new EventBus(log), log });
  let gpio = make();
  await gpio.start();
  try {
    for (let step = 0; step < STEPS; step++) {
      const signal = new AbortController().signal;
      const pin = pick(4);
      const level = pick(2) as 0 | 1;
      const ways: readonly (readonly [weight: number, run: () => Promise<unknown>])[] = [
        [40, () => model.write(gpio.write({ pin, level }, { signal }), pin, level, pins.levels)],
        [12, () => model.pulse(gpio.pulse({ pin, level, ms: 10 + pick(2_000) }, { signal }), pin, level)],
        // Several surfaces at once.
        [
          12,
          () =>
            Promise.allSettled(
              Array.from({ length: 4 }, () =>
                gpio.write({ pin: pick(4), level: pick(2) as 0 | 1 }, { signal }),
              ),
            ),
        ],
        // A caller that hangs up at once.
        [
          5,
          async () => {
            const caller = new AbortController();
            const call = gpio.write({ pin, level }, { signal: caller.signal });
            caller.abort(new Error('gone'));
            await call.catch(() => {});
          },
        ],
        [25, () => clock.advance(pick(400))],
        [3, async () => gpio.pageIs(pick(2) === 1)],
        [1, async () => clock.jump(-3_600_000)],
        [
          1,
          async () => {
            pins.fails = Object.assign(new Error('EIO'), { code: 'EIO' });
            await gpio.write({ pin, level }, { signal }).catch(() => {});
            pins.fails = undefined;
          },
        ],
        [
          0.3,
          async () => {
            await gpio.stop();
            model.stopped(pins.levels);
            gpio = make();
            await gpio.start();
          },
        ],
      ];
      let at = chance() * ways.reduce((sum, [weight]) => sum + weight, 0);
      const way = ways.find(([weight]) => {
        at -= weight;
        return at < 0;
      });
      await way![1]();
      model.settled(pins.levels);
    }
    assert.ok(model.refused > STEPS / 200, `only ${model.refused} were refused: the steps try nothing`);
    assert.ok(model.longest > 0);
  } catch (error) {
    throw new Error(`with FACEPLATE_MODEL_SEED=${seed}: ${(error as Error).message}`, { cause: error });
  } finally {
    await gpio.stop();
  }
});
