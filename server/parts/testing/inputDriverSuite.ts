import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../testing/waiting.ts';
import type { ButtonChange, ButtonsDriver } from '../buttons/driver.ts';
import type { ReaderDriver } from '../readers/driver.ts';

/** A driver under test, and the finger on its buttons `Bell` and `Light`. */
interface ButtonsBench {
  readonly driver: ButtonsDriver;
  press(name: 'Bell' | 'Light', state: ButtonChange['state']): Promise<void>;
}

/** What every driver of buttons must do, simulated or real. */
export function testButtonsDriver(name: string, open: () => Promise<ButtonsBench>): void {
  describe(`buttons driver ${name}`, () => {
    let bench: ButtonsBench;
    const heard: ButtonChange[] = [];
    before(async () => {
      bench = await open();
      bench.driver.onChange((change) => heard.push(change));
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
    });

    test('should tell each press and each release, with the name of the button', async () => {
      const presses = [
        ['Bell', 'down'],
        ['Light', 'down'],
        ['Bell', 'up'],
        ['Light', 'up'],
        ['Bell', 'down'],
        ['Bell', 'up'],
      ] as const;
      for (const [index, [button, state]] of presses.entries()) {
        await bench.press(button, state);
        await until(() => heard.length > index, `${button} ${state}`);
      }
      assert.deepEqual(
        heard.map((change) => [change.name, change.state]),
        presses,
      );
    });
  });
}

/** A driver under test, and what is held before its reader. */
interface ReaderBench {
  readonly driver: ReaderDriver;
  read(text: string): Promise<void>;
}

/** What every driver of a reader must do, simulated or real. */
export function testReaderDriver(name: string, open: () => Promise<ReaderBench>): void {
  describe(`reader driver ${name}`, () => {
    let bench: ReaderBench;
    const heard: string[] = [];
    before(async () => {
      bench = await open();
      bench.driver.onScan((text) => heard.push(text));
      await bench.driver.start();
    });
    after(async () => {
      await bench.driver.stop();
      await bench.driver.stop();
    });

    for (const text of [
      '4006381333931',
      '04:A2/3f',
      'HTTPS://a.example/?q=1&r=~x',
      '!@#$%^*()_+{}|:"<>`[]\\;\'',
    ])
      test(`should tell ${text} once, as it is`, async () => {
        const before = heard.length;
        await bench.read(text);
        await until(() => heard.length > before, text);
        assert.deepEqual(heard.slice(before), [text]);
      });
  });
}
