import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ledProfile } from './profile.ts';

const ledRow = ledProfile.row.unwrap();

/** Places and messages of the mistakes of a row; empty when it is accepted. */
function mistakes(row: unknown): string[] {
  const parsed = ledRow.safeParse(row);
  return parsed.success
    ? []
    : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('led of a board profile', () => {
  test('should accept ledjni with scale 255 or 15, and use 255 when none is given', () => {
    const path = '/dev/ledjni';
    assert.deepEqual(ledRow.parse({ driver: 'ledjni', path }), { driver: 'ledjni', path, scale: 255 });
    assert.deepEqual(ledRow.parse({ driver: 'ledjni', path, scale: 15 }), {
      driver: 'ledjni',
      path,
      scale: 15,
    });
    assert.deepEqual(mistakes({ driver: 'ledjni', path, scale: 16 }), ['scale: must be 15 or 255']);
  });

  test('should accept sysfs with one folder or with three', () => {
    const three = { red: '/sys/class/leds/r', green: '/sys/class/leds/g', blue: '/sys/class/leds/b' };
    for (const path of ['/sys/class/leds/rgb:status', three]) {
      assert.deepEqual(ledRow.parse({ driver: 'sysfs', path }), { driver: 'sysfs', path });
    }
    for (const path of ['rgb:status', { red: '/sys/class/leds/r' }, { ...three, white: '/w' }]) {
      assert.match(mistakes({ driver: 'sysfs', path })[0] ?? '', /^path(\.\w+)?: /);
    }
  });
});
