import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { GcmCipher } from '../../webrtc/driver.ts';
import { portableDriver } from '../../webrtc/portableDriver.ts';
import { createNativeCipher } from './gcmCipher.ts';

const KEY = Buffer.from('feffe9928665731c6d6a8f9467308308', 'hex');
const IV = Buffer.from('cafebabefacedbaddecaf888', 'hex');
const TAG = 16;

const kinds: Readonly<Record<string, (key: Buffer) => GcmCipher>> = {
  'of the system': createNativeCipher,
  'of Node': portableDriver.createCipher,
};

/** A packet with a header of `start` bytes, encrypted. */
function sealed(cipher: GcmCipher, start: number, text: Buffer, iv = IV): Buffer {
  const packet = Buffer.alloc(start + text.length + TAG, 0xab);
  cipher.seal(iv, packet, start, text);
  return packet;
}

for (const [kind, create] of Object.entries(kinds)) {
  describe(`a cipher ${kind}`, () => {
    test('should encrypt as NIST says (GCM test case 4)', () => {
      const header = Buffer.from('feedfacedeadbeeffeedfacedeadbeefabaddad2', 'hex');
      const text = Buffer.from(
        'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
        'hex',
      );
      const packet = Buffer.concat([header, Buffer.alloc(text.length + TAG)]);
      create(KEY).seal(IV, packet, header.length, text);
      assert.equal(
        packet.toString('hex', header.length),
        '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47',
      );
    });

    test('should write what the other ciphers open, whatever the lengths', () => {
      const writer = create(KEY);
      for (const other of Object.values(kinds)) {
        const reader = other(KEY);
        for (const [start, length] of [
          [12, 0],
          [12, 1],
          [0, 17],
          [28, 1_200],
          [16, 1_572],
        ] as const) {
          const text = Buffer.from(Array.from({ length }, (_, i) => i % 251));
          const packet = sealed(writer, start, text);
          const opened = reader.open(IV, packet, start);
          assert.deepEqual(opened?.subarray(0, start), packet.subarray(0, start));
          assert.deepEqual(opened?.subarray(start), text);
        }
      }
    });

    test('security: should open no packet that was changed, cut, or encrypted with another key or vector', () => {
      const cipher = create(KEY);
      const packet = sealed(cipher, 12, Buffer.from('sound and picture'));
      for (let at = 0; at < packet.length; at++) {
        const changed = Buffer.from(packet);
        changed[at]! ^= 1;
        assert.equal(cipher.open(IV, changed, 12), undefined, `byte ${at}`);
        assert.equal(cipher.open(IV, packet.subarray(0, at), 12), undefined, `${at} bytes`);
      }
      assert.equal(cipher.open(Buffer.alloc(12, 1), packet, 12), undefined);
      assert.equal(create(Buffer.alloc(16, 1)).open(IV, packet, 12), undefined);
      // A failed packet must not affect the next one.
      assert.ok(cipher.open(IV, packet, 12));
    });

    test('security: should never write past the end of the packet', () => {
      const room = Buffer.alloc(64, 7);
      const packet = room.subarray(0, 12 + 20 + TAG - 1);
      assert.throws(() => create(KEY).seal(IV, packet, 12, Buffer.alloc(20)), RangeError);
      assert.deepEqual(room.subarray(packet.length), Buffer.alloc(64 - packet.length, 7));
    });

    test('security: should refuse keys and vectors of other lengths', () => {
      assert.throws(() => create(Buffer.alloc(15)).seal(IV, Buffer.alloc(40), 12, Buffer.alloc(1)));
      const cipher = create(KEY);
      assert.throws(() => cipher.seal(Buffer.alloc(0), Buffer.alloc(40), 12, Buffer.alloc(1)));
    });

    test('should be safe to close twice', () => {
      const cipher = create(KEY);
      cipher.close();
      cipher.close();
    });
  });
}

test('security: should not touch the memory of a cipher that is closed', () => {
  const cipher = createNativeCipher(KEY);
  const packet = sealed(cipher, 12, Buffer.alloc(10));
  cipher.close();
  assert.throws(() => cipher.seal(IV, packet, 12, Buffer.alloc(10)), /closed/);
  assert.throws(() => cipher.open(IV, packet, 12), /closed/);
});
