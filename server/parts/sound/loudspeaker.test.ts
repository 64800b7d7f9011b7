import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { beforeEach, describe, test } from 'node:test';
import { systemClock } from '../../platform/clock.ts';
import { errnoOf } from '../../platform/errno.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { NoCard, RecordingCard, sine, strengthOf, wavFile } from '../../testing/recordedSound.ts';
import { until } from '../../testing/waiting.ts';
import { AlsaSound } from './alsa.ts';
import { SimulatedSound, type SoundDriver } from './driver.ts';

const MONO = { rate: 48_000, channels: 1 } as const;
/** So many seconds of 440 Hz. */
const tone = (seconds: number) => wavFile(seconds, sine(440)).subarray(44);

const on = (card: RecordingCard | NoCard) => ({ ...process.env, ...card.env });

describe('loudspeakers', () => {
  let card: RecordingCard;
  beforeEach(async () => {
    card = await RecordingCard.make();
  });

  const ways: [string, () => SoundDriver][] = [
    ['ALSA', () => new AlsaSound(on(card))],
    ['the simulated board with a sound card', () => new SimulatedSound(new AlsaSound(on(card)), systemClock)],
  ];
  for (const [name, make] of ways) {
    test(`${name} should play what it is given, tone and length`, async () => {
      const driver = make();
      await driver.start();
      const output = await driver.open(MONO);
      const bytes = tone(0.5);
      // In the middle of a sample too.
      await output.write(bytes.subarray(0, 10_001));
      await output.write(bytes.subarray(10_001));
      await output.end();
      const samples = await card.samples();
      assert.ok(Math.abs(samples.length - 24_000) <= 2_400, `${samples.length} samples`);
      assert.ok(Math.abs(strengthOf(440, samples.subarray(0, 24_000), 48_000) - 0.5) < 0.05);
      assert.ok(strengthOf(660, samples, 48_000) < 0.02);
      await driver.stop();
    });

    test(`${name} should be silent at once when it is cut or stopped, and leave no process`, async () => {
      const driver = make();
      await driver.start();
      const output = await driver.open(MONO);
      await output.write(tone(0.1));
      output.cut();
      output.cut();
      await assert.rejects(
        (async () => {
          for (let i = 0; i < 100; i++) await output.write(tone(0.1));
          await output.end();
        })(),
      );
      await driver.open(MONO);
      await driver.stop();
      const own = () =>
        execFileSync('ps', ['--ppid', String(process.pid), '-o', 'comm='], { encoding: 'utf8' });
      await until(() => !own().includes('aplay'), 'the end of the program', { everyMs: 100 });
    });
  }

  test('ALSA should report a missing card and a missing program as a device that does not exist', async () => {
    const none = new NoCard();
    const missing = (error: unknown) => errnoOf(error) === 'ENOENT';
    await assert.rejects(new AlsaSound(on(none)).start(), missing);
    await assert.rejects(new AlsaSound({ PATH: '/nowhere' }).start(), missing);
  });

  test('the simulated board without a sound card should take as long as a loudspeaker', async () => {
    const clock = new FakeClock();
    const driver = new SimulatedSound(new AlsaSound(on(new NoCard())), clock);
    await driver.start();
    /** How long it takes, to 10 ms. */
    const timeOf = async (work: Promise<void>) => {
      const began = clock.now();
      let isDone = false;
      const done = work.finally(() => {
        isDone = true;
      });
      for (await clock.advance(0); !isDone; ) await clock.advance(10);
      await done;
      return clock.now() - began;
    };
    const output = await driver.open(MONO);
    const write = async () => {
      for (let i = 0; i < 10; i++) await output.write(tone(0.06));
    };
    // It holds 300 of the 600 ms.
    const times = [await timeOf(write()), await timeOf(output.end())];
    for (const time of times) assert.ok(Math.abs(time - 300) <= 20, `${times} ms`);
    const cut = await driver.open(MONO);
    await cut.write(tone(0.2));
    const end = cut.end();
    cut.cut();
    // The clock stands still.
    await end;
    assert.equal(clock.pending, 0);
    await driver.stop();
  });
});
