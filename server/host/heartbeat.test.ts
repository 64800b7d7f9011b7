import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FakeClock } from '../testing/fakeClock.ts';
import { Heartbeat } from './heartbeat.ts';
import { defaultLimits } from './recovery.ts';

describe('Heartbeat', () => {
  test('should call itself unwell when no page has answered for ten minutes, and well when one does again', async () => {
    const clock = new FakeClock();
    let answers = true;
    const page = { answersWithin: async () => answers };
    let hung = 0;
    const heartbeat = new Heartbeat(defaultLimits, clock, { patient: () => page, onHung: () => hung++ });
    assert.equal(heartbeat.isWell, true);
    heartbeat.start();
    await clock.advance(20 * 60_000);
    assert.equal(heartbeat.isWell, true);
    assert.equal(hung, 0);
    answers = false;
    await clock.advance(9 * 60_000);
    assert.equal(heartbeat.isWell, true);
    assert.ok(hung > 0);
    await clock.advance(2 * 60_000);
    assert.equal(heartbeat.isWell, false);
    answers = true;
    await clock.advance(10_000);
    assert.equal(heartbeat.isWell, true);
    heartbeat.stop();
    assert.equal(clock.pending, 0);
  });
});
