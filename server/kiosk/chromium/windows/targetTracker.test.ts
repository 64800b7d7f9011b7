import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { FakeClock } from '../../../testing/fakeClock.ts';
import { browserLimits } from '../chromiumHostOptions.ts';
import type { CdpSend } from '../process/cdpProtocol.ts';
import { TargetTracker } from './targetTracker.ts';

const opener = { sessionId: 's', targetId: 't' };

describe('a bare window of a slow browser', () => {
  test('should fail alone, not the service, when its time is over before the browser answers at all', async () => {
    const clock = new FakeClock();
    const limits = browserLimits();
    const asked = Promise.withResolvers<never>();
    const send = (() => asked.promise) as unknown as CdpSend;
    const targets = new TargetTracker({ send, clock, limits, onForeign: () => {}, onLate: () => {} });
    const unhandled: unknown[] = [];
    const listen = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', listen);
    try {
      const opened = targets.openBare(opener);
      await clock.advance(limits.bareWindow.ms);
      await turn();
      await turn();
      asked.reject(new Error('The browser ended.'));
      await assert.rejects(opened, /The browser ended/);
      assert.deepEqual(unhandled, []);
    } finally {
      process.off('unhandledRejection', listen);
    }
    assert.equal(limits.bareWindow.ms, 2 * browserLimits().bareWindow.ms);
  });
});
