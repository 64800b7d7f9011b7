import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { SettingsCall } from './settingsCall.ts';

describe('the call for the settings page', () => {
  let clock: FakeClock;
  let calls: number;
  let call: SettingsCall;
  beforeEach(() => {
    clock = new FakeClock();
    calls = 0;
    call = new SettingsCall(clock, () => calls++);
  });

  test('should be five fingers that rest for five seconds, and count once', async () => {
    for (const count of [1, 3, 5]) call.fingers('a', count);
    await clock.advance(4_999);
    assert.equal(calls, 0);
    await clock.advance(1);
    assert.equal(calls, 1);
    call.fingers('a', 6);
    await clock.advance(20_000);
    assert.equal(calls, 1);
    call.fingers('a', 0);
    assert.equal(clock.pending, 0);
  });

  test('should not be five fingers if one is lifted', async () => {
    call.fingers('a', 5);
    await clock.advance(4_000);
    call.fingers('a', 4);
    call.fingers('a', 5);
    await clock.advance(4_000);
    assert.equal(calls, 0);
    await clock.advance(1_000);
    assert.equal(calls, 1);
  });

  test('should count the fingers of all frames, and drop those of frames that are gone', async () => {
    call.fingers('one/1', 3);
    call.fingers('two/1', 2);
    await clock.advance(5_000);
    assert.equal(calls, 1);
    call.forget((frame) => frame.startsWith('one/'));
    call.fingers('two/1', 4);
    await clock.advance(10_000);
    assert.equal(calls, 1);
    call.forget();
    assert.equal(clock.pending, 0);
  });

  test('should be Ctrl+Alt+S at once', () => {
    call.keys();
    assert.equal(calls, 1);
  });
});
