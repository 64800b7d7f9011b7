import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { silentLogger } from '../../platform/log.ts';
import { SimulatedTime } from './driver.ts';
import { TimeService } from './service.ts';

const log = silentLogger();

describe('time service', () => {
  test('should change what is given, and answer with all of it', async () => {
    const time = new TimeService({ driver: new SimulatedTime(), log });
    await time.start();
    const { now, ...changed } = await time.change({ timeZone: 'Europe/Berlin' });
    assert.deepEqual(changed, { timeZone: 'Europe/Berlin', ntp: true, synchronized: true });
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < 10_000);
    assert.equal((await time.change({ ntp: false })).timeZone, 'Europe/Berlin');
    assert.equal((await time.state()).ntp, false);
  });

  test('should refuse a time zone that is none', async () => {
    const time = new TimeService({ driver: new SimulatedTime(), log });
    await time.start();
    await assert.rejects(time.change({ timeZone: 'Mars/Base' }), {
      code: 'INVALID_REQUEST',
      field: 'timeZone',
    });
  });

  test('should change nothing when one of two changes fails', async () => {
    class NoNtp extends SimulatedTime {
      override async setNtp(): Promise<void> {
        throw Object.assign(new Error('no'), { code: 'EIO' });
      }
    }
    const time = new TimeService({ driver: new NoNtp(), log });
    await time.start();
    await assert.rejects(time.change({ timeZone: 'Asia/Tokyo', ntp: true }), { code: 'HARDWARE_ERROR' });
    assert.equal((await time.state()).timeZone, 'UTC');
  });

  test('should answer UNSUPPORTED_HARDWARE without a driver', async () => {
    const time = new TimeService({ driver: null, log });
    await time.start();
    await assert.rejects(time.state(), { code: 'UNSUPPORTED_HARDWARE' });
  });
});
