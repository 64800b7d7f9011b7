import assert from 'node:assert/strict';
import { test } from 'node:test';
import { growthOf, growthText, type Sample } from './growth.ts';

/** A run of some samples; only the given measures change. */
function run(count: number, at: (index: number) => Partial<Sample>): Sample[] {
  const still = {
    service: 100,
    inUse: 40,
    browser: 300,
    serviceFiles: 40,
    sockets: 20,
    resources: 30,
    browserFiles: 400,
    processes: 12,
    disk: 5,
  };
  return Array.from({ length: count }, (_, index) => ({ hours: index / 60, ...still, ...at(index) }));
}
const tooMuch = (samples: readonly Sample[]) =>
  growthOf(samples)
    .filter(({ isTooMuch }) => isTooMuch)
    .map(({ measure }) => measure);

test('should find nothing in a run that stands still, or that only warms up', () => {
  assert.equal(growthOf(run(12, () => ({}))).length, 9);
  assert.deepEqual(tooMuch(run(12, () => ({}))), []);
  assert.deepEqual(tooMuch(run(40, (index) => ({ service: index < 9 ? 50 + index * 20 : 230 }))), []);
});

test('should name each measure that goes on growing past its limit, and no other', () => {
  assert.deepEqual(tooMuch(run(40, (index) => ({ service: 100 + index * 2 }))), ['service']);
  assert.deepEqual(tooMuch(run(40, (index) => ({ serviceFiles: 40 + index, disk: 5 + index * 4 }))), [
    'serviceFiles',
    'disk',
  ]);
  assert.deepEqual(tooMuch(run(40, (index) => ({ processes: index < 30 ? 12 : 16 }))), ['processes']);
});

test('should not take a single high or low moment for growth', () => {
  assert.deepEqual(tooMuch(run(40, (index) => ({ service: index === 39 ? 900 : 100 }))), []);
  assert.deepEqual(tooMuch(run(40, (index) => ({ service: index === 12 ? 0 : 100 }))), []);
});

test('should leave out what is not known, and judge nothing by fewer than four samples', () => {
  const far = run(12, () => ({
    inUse: null,
    serviceFiles: null,
    sockets: null,
    resources: null,
    browserFiles: null,
    processes: null,
  }));
  assert.deepEqual(
    growthOf(far).map(({ measure }) => measure),
    ['service', 'browser', 'disk'],
  );
  assert.deepEqual(growthOf(run(3, () => ({}))), []);
});

test('should say from where to where, and the limit', () => {
  const [service] = growthOf(run(40, (index) => ({ service: 100 + index * 2 })));
  assert.match(
    growthText(service!),
    /memory of the service +129 to +169 MiB +\+40 {2}at most \+30: TOO MUCH; \+120 an hour \(\+120\.0 to \+120\)/,
  );
});

test('should not take for growth what only swings, however far the quarters are apart', () => {
  // A busy machine: garbage is collected late, now and then.
  const swings = [0, 20, 70, 10, 60, 10, 5, 0, 80, 70, 75, 60, 60, 45, 40, 5];
  const samples = run(swings.length, (index) => ({ service: 100 + swings[index]! }));
  const service = growthOf(samples).find(({ measure }) => measure === 'service')!;
  assert.ok(service.grown > service.atMost, `the quarters are ${service.grown} apart`);
  assert.equal(service.isTooMuch, false);
  assert.ok(service.perHour.least < 0 && service.perHour.most > 0);
});

test('should say how fast a small leak grows that stays below the limit of a short run', () => {
  const noise = [0, 1, -1, 2, 0, -2];
  const samples = run(60, (index) => ({ inUse: 40 + (index / 60) * 6 + noise[index % noise.length]! }));
  const inUse = growthOf(samples).find(({ measure }) => measure === 'inUse')!;
  assert.equal(inUse.isTooMuch, false);
  assert.ok(inUse.perHour.least > 3 && inUse.perHour.most < 9, JSON.stringify(inUse.perHour));
  assert.ok(Math.abs(inUse.perHour.median - 6) < 1);
});
