import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leftOf, leftText, type Rest } from './rest.ts';

const before: Rest = {
  service: 100,
  inUse: 40,
  browser: 300,
  serviceFiles: 40,
  sockets: 12,
  resources: 20,
  browserFiles: 400,
  processes: 12,
  disk: 5,
  streams: 0,
};
const tooMuch = (after: Partial<Rest>) =>
  leftOf(before, { ...before, ...after })
    .filter(({ isTooMuch }) => isTooMuch)
    .map(({ label }) => label);

test('should find nothing left where a panel rests as before, with more memory or without', () => {
  assert.deepEqual(tooMuch({}), []);
  assert.deepEqual(tooMuch({ service: 300, inUse: 90, browser: 600, disk: 30 }), []);
  assert.deepEqual(tooMuch({ serviceFiles: 41, sockets: 13 }), []);
});

test('should name what stayed behind: streams, sockets, timers', () => {
  assert.deepEqual(tooMuch({ streams: 1 }), ['streams']);
  assert.deepEqual(tooMuch({ sockets: 40, serviceFiles: 68 }), [
    'file descriptors of the service',
    'sockets of the service',
  ]);
  assert.deepEqual(tooMuch({ resources: 200 }), ['timers and handles of the service']);
});

test('should leave out what is not known of a panel on the network', () => {
  const far = { ...before, serviceFiles: null, sockets: null, resources: null, processes: null };
  assert.deepEqual(
    leftOf(far, far).map((left) => leftText(left)),
    ['  streams                              0 to 0, at most +0: ok'],
  );
});
