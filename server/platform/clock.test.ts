import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { skipWithoutMounts } from '../testing/mountNamespace.ts';
import { localIso } from './clock.ts';

const zoneBefore = process.env.TZ;
after(() => {
  if (zoneBefore === undefined) delete process.env.TZ;
  else process.env.TZ = zoneBefore;
});

describe('local time', () => {
  const moment = Date.parse('2026-07-01T10:20:30.400Z');
  const expected = {
    UTC: '2026-07-01T10:20:30+00:00',
    'Europe/Berlin': '2026-07-01T12:20:30+02:00',
    'America/St_Johns': '2026-07-01T07:50:30-02:30',
    'Asia/Kathmandu': '2026-07-01T16:05:30+05:45',
    'Pacific/Kiritimati': '2026-07-02T00:20:30+14:00',
  };
  for (const [zone, text] of Object.entries(expected)) {
    test(`should be written with the offset of ${zone}`, () => {
      process.env.TZ = zone;
      assert.equal(localIso(moment), text);
      assert.equal(Date.parse(localIso(moment)), moment - 400);
    });
  }

  test('should tell apart the two passes of an hour that comes twice', () => {
    process.env.TZ = 'Europe/Berlin';
    assert.equal(localIso(Date.parse('2026-10-25T00:30:00Z')), '2026-10-25T02:30:00+02:00');
    assert.equal(localIso(Date.parse('2026-10-25T01:30:00Z')), '2026-10-25T02:30:00+01:00');
  });

  test("should follow a change of the system's time zone while it runs", { skip: skipWithoutMounts }, () => {
    // In its own mount namespace, the program sees its own /etc, whose zone it changes.
    const program = `
      import { rmSync, symlinkSync } from 'node:fs';
      import { followSystemTimeZone, localIso } from ${JSON.stringify(join(import.meta.dirname, 'clock.ts'))};
      for (const zone of ['Europe/Berlin', 'Asia/Kolkata', 'America/New_York']) {
        rmSync('/etc/localtime', { force: true });
        symlinkSync('/usr/share/zoneinfo/' + zone, '/etc/localtime');
        followSystemTimeZone();
        console.log(localIso(${moment}));
      }`;
    const shell = 'mount -t tmpfs none /etc && exec "$0" --input-type=module -e "$1"';
    const { TZ: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
    const child = spawnSync('unshare', ['-m', 'sh', '-c', shell, process.execPath, program], {
      env,
      encoding: 'utf8',
      timeout: 20_000,
    });
    assert.deepEqual(
      child.stdout.trim().split('\n'),
      ['2026-07-01T12:20:30+02:00', '2026-07-01T15:50:30+05:30', '2026-07-01T06:20:30-04:00'],
      child.stderr,
    );
  });
});
