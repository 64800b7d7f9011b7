import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letPass } from '../../testing/waiting.ts';
import { SteadyTimestamps, TimestampMap } from './timestampMap.ts';

const HZ = 90_000;

test('should keep the steps of the camera, also past the end of the numbers', () => {
  const map = new TimestampMap(HZ);
  const first = map.map(0xffffff00);
  assert.equal(map.map(0xffffff00), first);
  assert.equal(map.map(0x100), (first + 0x200) >>> 0);
  assert.equal(map.translate(0), (first + 0x100) >>> 0);
});

test('should say when the first packet of a picture came', async () => {
  const map = new TimestampMap(HZ);
  assert.equal(map.arrivalPoint(), undefined);
  const mapped = map.map(1_000);
  const point = map.arrivalPoint();
  assert.equal(point?.timestamp, mapped);
  await letPass(20);
  map.map(1_000);
  assert.deepEqual(map.arrivalPoint(), point);
  map.map(1_001);
  assert.notDeepEqual(map.arrivalPoint(), point);
});

test('should go on by the time that has passed when the camera starts anew', async () => {
  const map = new TimestampMap(HZ);
  const before = map.map(5_000);
  map.restart();
  assert.equal(map.translate(5_000), undefined);
  await letPass(50);
  const step = (map.map(77) - before) >>> 0;
  assert.ok(step >= 0.045 * HZ && step < 10 * HZ, `${step}`);
});

test('should begin so that no step back crosses 0, and let none cross it later', () => {
  for (let i = 0; i < 50; i++) {
    const map = new TimestampMap(HZ);
    const first = map.map(0);
    assert.ok(first >= 2 ** 27 && first < 2 ** 31, `${first}`);
    // Thirteen hours later, with a B-frame behind the wrap-around.
    let camera = 0;
    for (; camera + first < 2 ** 32; camera += 2 ** 29) map.map(camera);
    const wrap = 2 ** 32 - first;
    const after = map.map((wrap + 0x100) >>> 0);
    const between = map.map((wrap - 0xe00) >>> 0);
    assert.equal(after, 0x100);
    assert.equal(between, 0x101);
    assert.equal(map.map((wrap - 0xe00) >>> 0), between);
    assert.equal(map.map((wrap + 0x100 + 3_600) >>> 0), 0x101 + 0xf00 + 3_600);
    assert.equal(map.translate((wrap - 0xe00) >>> 0), between);
  }
});

/** Times of arrival in milliseconds, and what becomes of the timestamps. */
function steady(steps: readonly (readonly [at: number, raw: number])[]): { out: number[]; jumps: number } {
  const times = new SteadyTimestamps(HZ);
  return { out: steps.map(([at, raw]) => times.next(raw >>> 0, at, true)), jumps: times.jumps };
}

test('should replace a jump by the time that has passed, in either direction and by any distance', () => {
  for (const jump of [
    -0.5 * HZ,

    3.1 * HZ,
    -3.1 * HZ,
    3_600 * HZ,
    -3_600 * HZ,
    2 ** 31,
    2 ** 31 - 7_200,
    11 * 3_600 * HZ,
  ]) {
    const steps = Array.from(
      { length: 20 },
      (_, i) => [i * 40, 2 ** 31 + i * 3_600 + (i < 10 ? 0 : jump)] as const,
    );
    const { out, jumps } = steady(steps);
    assert.deepEqual(
      out.map((stamp) => stamp - 2 ** 31),
      out.map((_, i) => i * 3_600),
      `${jump}`,
    );
    assert.equal(jumps, 1);
  }
});

test('should leave short steps, long pauses and the backlog of a stall as they are', () => {
  const unchanged = [
    [0, 0],
    [40, 3_600],
    // Two seconds ahead.
    [80, 183_600],
    // A pause of a minute.
    [60_120, 183_600 + 60 * HZ],
    // A stall of 20 s, then all that came meanwhile at once.
    [80_120, 183_600 + 60 * HZ + 3_600],
    ...Array.from({ length: 499 }, (_, i) => [80_121, 183_600 + 60 * HZ + 3_600 * (i + 2)] as const),
  ] as const;
  const { out, jumps } = steady(unchanged);
  assert.deepEqual([out, jumps], [unchanged.map(([, raw]) => raw), 0]);
});

test('should not take the drift of a clock for a jump, fast or slow, in a month', () => {
  for (const rate of [0.9995, 1.0005]) {
    const steps = Array.from(
      { length: 44_640 },
      (_, i) => [i * 60_000, Math.round(i * 60 * HZ * rate)] as const,
    );
    assert.equal(steady(steps).jumps, 0);
  }
});

test('should let pictures step back only where there are B-frames', () => {
  const shown = [0, 10_800, 3_600, 7_200, 21_600, 14_400, 18_000];
  const times = new SteadyTimestamps(HZ);
  assert.deepEqual(
    shown.map((raw, i) => times.next(raw, i * 40, true, true)),
    shown,
  );
  assert.equal(times.jumps, 0);
});
