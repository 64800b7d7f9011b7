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
  assert.equal(growthOf(run(12, () => ({}))).length, 7);
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
  const far = run(12, () => ({ inUse: null, serviceFiles: null, browserFiles: null, processes: null }));
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
    /memory of the service +129 to +169 MiB +\+40 {2}at most \+30: TOO MUCH/,
  );
});
