import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isStateOf } from '../../platform/files/stateFile.ts';
import { backedUpState } from './part.ts';

describe('the state files of a backup', () => {
  const kinds = Object.values(backedUpState).flat();
  for (const kind of kinds)
    test(`security: should check ${kind.name}.json by what its service declares`, () => {
      const text = (value: unknown) => JSON.stringify({ version: 1 + (kind.steps?.length ?? 0), value });
      assert.ok(isStateOf(kind, text(kind.defaults)));
      for (const value of [5, 'x', null, [1], { unknown: true }, { __proto__: null, version: 1 }])
        assert.ok(!isStateOf(kind, text(value)), JSON.stringify(value));
      for (const raw of ['', '[1]', '{', '{"version":1}']) assert.ok(!isStateOf(kind, raw), raw);
    });

  test('should each be there once', () => {
    assert.deepEqual(kinds.map(({ name }) => name).sort(), [
      ...['calls', 'certificates', 'intercom', 'led', 'pin', 'rtc', 'setup', 'tokens'],
    ]);
  });
});
