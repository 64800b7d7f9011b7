import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../../testing/fakeClock.ts';
import { Reconnection } from './reconnection.ts';

describe('the next try to connect', () => {
  test('should come after 1 to 30 s, doubling, and not at the same moment for all', () => {
    const pauses = (random: number) => {
      const it = new Reconnection(
        new FakeClock(),
        () => random,
        () => {},
      );
      return Array.from({ length: 8 }, () => Math.round(it.pause() / 100) / 10);
    };
    assert.deepEqual(pauses(0), [1, 2, 4, 8, 15, 15, 15, 15]);
    assert.deepEqual(pauses(1), [2, 4, 8, 16, 30, 30, 30, 30]);
  });

  test('should come after 1 s again only when a connection has held a minute', async () => {
    const clock = new FakeClock();
    const it = new Reconnection(
      clock,
      () => 0,
      () => {},
    );
    const connection = async (ms: number) => {
      it.connected();
      await clock.advance(ms);
      it.lost(false);
      return it.pause();
    };
    assert.equal(await connection(59_000), 1_000);
    assert.equal(await connection(59_000), 2_000);
    assert.equal(await connection(60_000), 1_000);
    assert.equal(clock.pending, 0);
  });

  test('should be told apart from a fight: cut off three times, each within a minute, until one holds', async () => {
    const clock = new FakeClock();
    let good = 0;
    const it = new Reconnection(
      clock,
      () => 0,
      () => good++,
    );
    for (let round = 0; round < 3; round++) {
      assert.equal(it.isCutOff, false);
      it.connected();
      await clock.advance(1_000);
      it.lost(false);
    }
    assert.equal(it.isCutOff, true);
    it.connected();
    await clock.advance(59_999);
    assert.equal(it.isCutOff, true);
    await clock.advance(1);
    assert.equal(it.isCutOff, false);
    assert.equal(good, 1);
    it.lost(false);
    // The broker says itself that the session was taken over.
    it.connected();
    it.lost(true);
    assert.equal(it.isCutOff, true);
  });
});
