import assert from 'node:assert/strict';
import { test } from 'node:test';
import { letPass } from '../../testing/waiting.ts';
import { TimestampMap } from './timestampMap.ts';

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
