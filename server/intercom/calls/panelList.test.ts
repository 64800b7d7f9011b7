import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanName } from './panelList.ts';

test('security: should leave no control, hidden or direction characters in a name, and at most 64 in all', () => {
  assert.equal(cleanName('  Front\r\n\tdoor\u0000 '), 'Front door');
  assert.equal(cleanName('\u202eecilA\u200b'), 'ecilA');
  assert.equal(cleanName('a\u2028b'), 'a b');
  assert.equal(cleanName('Küche 🚪'), 'Küche 🚪');
  assert.equal(cleanName('🚪'.repeat(100)), '🚪'.repeat(64));
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 2000 }), (text) => {
      const name = cleanName(text);
      assert.ok(Array.from(name).length <= 64 && !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}]/u.test(name));
    }),
  );
});
