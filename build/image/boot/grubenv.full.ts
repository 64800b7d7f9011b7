import assert from 'node:assert/strict';
import { test } from 'node:test';
import { grubenv, NEW_IMAGE } from './grubenv.ts';

test('should be a block of exactly 1024 bytes with one variable a line', () => {
  const block = grubenv({ ORDER: 'A B', A_OK: '1' });
  assert.equal(block.length, 1024);
  assert.match(block.toString(), /^# GRUB Environment Block\nORDER=A B\nA_OK=1\n#+$/);
});

test('should escape what would end a value', () => {
  assert.match(grubenv({ A: 'x\\y\nz' }).toString(), /^.*\nA=x\\\\y\\\nz\n#+$/);
});

test('should refuse what does not fit, and names that GRUB does not know', () => {
  assert.throws(() => grubenv({ A: 'x'.repeat(1024) }), /bytes/);
  assert.throws(() => grubenv({ 'A-B': '' }), /no name/);
  assert.throws(() => grubenv({ '': '' }), /no name/);
});

test('should start a new image on slot A, which is proven', () => {
  const { ORDER, A_OK, B_OK, PROVING } = NEW_IMAGE;
  assert.deepEqual([ORDER, A_OK, B_OK, PROVING], ['A B', '1', '0', '']);
});
