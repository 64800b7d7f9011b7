import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex, hexToBytes } from '../contract/fields.ts';
import { bytesOfHex, upperHex } from './hex.ts';

test('should write and read the same as the contract does', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(20), (bytes, from) => {
      const part = bytes.subarray(from);
      assert.equal(upperHex(part), bytesToHex(part));
      const spaced = bytesToHex(part).toLowerCase().replaceAll(/../g, '$&  ');
      assert.deepEqual([...bytesOfHex(spaced)], [...hexToBytes(spaced)]);
    }),
  );
});
