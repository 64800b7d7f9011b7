import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { samplesOf, strengthOf } from '../../testing/recordedSound.ts';
import { soundNames } from './contract.ts';
import { tone } from './tones.ts';

describe('built-in sounds', () => {
  for (const name of soundNames) {
    test(`should make ${name} loud, without a click at its ends and without overdriving`, async () => {
      const { format, chunks } = tone(name);
      const samples = await samplesOf(chunks);
      const seconds = samples.length / format.rate;
      assert.ok(seconds >= 1 && seconds <= 4, `${seconds} s`);
      const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0) / 32_768;
      assert.ok(peak > 0.3 && peak <= 0.7, `peak ${peak}`);
      assert.ok(Math.abs(samples[0]!) < 50 && Math.abs(samples.at(-1)!) < 50);
      // A jump between neighbours is a click; the highest partial at the peak makes less than this.
      let jump = 0;
      for (let i = 1; i < samples.length; i++) jump = Math.max(jump, Math.abs(samples[i]! - samples[i - 1]!));
      assert.ok(jump < 10_000, `jump of ${jump}`);
    });
  }

  test('should strike the two notes of the chime one after the other', async () => {
    const { format, chunks } = tone('chime');
    const samples = await samplesOf(chunks);
    const part = (from: number, to: number) => samples.subarray(from * format.rate, to * format.rate);
    const first = part(0, 0.4);
    const second = part(0.9, 1.3);
    assert.ok(strengthOf(659.26, first, format.rate) > 0.2);
    assert.ok(strengthOf(659.26, first, format.rate) > 10 * strengthOf(523.25, first, format.rate));
    assert.ok(strengthOf(523.25, second, format.rate) > 1.5 * strengthOf(659.26, second, format.rate));
  });

  test('should alternate in the alarm and end in a pause', async () => {
    const { format, chunks } = tone('alarm');
    const samples = await samplesOf(chunks);
    const part = (from: number, to: number) => samples.subarray(from * format.rate, to * format.rate);
    assert.ok(strengthOf(880, part(0.02, 0.18), format.rate) > 0.1);
    assert.ok(strengthOf(659.26, part(0.32, 0.45), format.rate) > 0.1);
    assert.ok(part(1.8, 2).every((sample) => Math.abs(sample) < 40));
  });

  test('should be made a little at a time', () => {
    const [first] = tone('bell').chunks as Iterable<Uint8Array>;
    assert.equal(first?.length, 4_800);
  });
});
