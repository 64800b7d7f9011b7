import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { FakeClock } from '../../testing/fakeClock.ts';
import { RestartService } from './part.ts';

describe('a restart of the service', () => {
  test('should answer first, and end the service once', async () => {
    let ended = 0;
    const clock = new FakeClock();
    const service = new RestartService({ restart: () => ended++, log: silentLogger(), clock });
    assert.deepEqual(service.restart(), { status: 'restarting' });
    assert.deepEqual(service.restart(), { status: 'restarting' });
    assert.equal(ended, 0);
    await clock.advance(500);
    assert.equal(ended, 1);
    assert.equal(clock.pending, 0);
  });

  test('should be refused where nobody would start the service again', () => {
    const service = new RestartService({ restart: null, log: silentLogger() });
    assert.throws(() => service.restart(), { code: 'UNSUPPORTED_HARDWARE' });
  });
});
