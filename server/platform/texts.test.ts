import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import fc from 'fast-check';
import { bytesToHex, hexToBytes } from '../contract/fields.ts';
import { bytesOfHex, compareSemver, isSemver, upperHex } from './texts.ts';

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

/** From the earliest to the latest (semver.org, 11). */
const ORDER = [
  '0.0.9',
  '0.1.0-1',
  '0.1.0-2',
  '0.1.0-10',
  '0.1.0',
  '0.9.0',
  '0.10.0',
  '1.0.0-alpha',
  '1.0.0-alpha.1',
  '1.0.0-alpha.beta',
  '1.0.0-beta.2',
  '1.0.0-beta.11',
  '1.0.0-rc.1',
  '1.0.0',
  '10.0.0',
];

describe('versions', () => {
  it('should be ordered as semver.org says', () => {
    for (const [index, one] of ORDER.entries())
      for (const [place, other] of ORDER.entries())
        assert.equal(Math.sign(compareSemver(one, other)), Math.sign(index - place), `${one} ${other}`);
  });

  it('should be ordered without what follows the plus sign', () => {
    assert.equal(compareSemver('1.0.0+1', '1.0.0+2'), 0);
    assert.ok(compareSemver('1.0.0-a+9', '1.0.0') < 0);
  });

  it('should be distinguished from other texts', () => {
    for (const text of ['0.1.0', '1.2.3-beta.1+build.5']) assert.ok(isSemver(text), text);
    for (const text of ['', '1.2', 'v1.2.3', '1.2.3.4', '01.2.3', '1.2.3-', '1.2.3 ', 'bench']) {
      assert.ok(!isSemver(text), text);
      assert.throws(() => compareSemver(text, '1.0.0'), RangeError);
    }
  });
});
