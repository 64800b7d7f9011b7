import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type GcmCipher, portableDriver } from '../../webrtc/driver.ts';
import { createNativeCipher, nativeCiphers } from './gcmCipher.ts';
import { loadLibrary, loadProgram, type Program } from './program.ts';

const KEY = Buffer.from('feffe9928665731c6d6a8f9467308308', 'hex');
const IV = Buffer.from('cafebabefacedbaddecaf888', 'hex');
const TAG = 16;

const kinds: Readonly<Record<string, (key: Buffer) => GcmCipher>> = {
  'of the program': createNativeCipher,
  'of the library of the system': nativeCiphers([() => loadLibrary('libcrypto.so.3')]),
  'of Node': portableDriver.createCipher,
};

/** A cipher whose next packet has the vector. */
const withIv = (cipher: GcmCipher, iv = IV): GcmCipher => {
  cipher.iv.set(iv);
  return cipher;
};

/** A packet with a header of `start` bytes, encrypted. */
function sealed(cipher: GcmCipher, start: number, text: Buffer): Buffer {
  const packet = Buffer.concat([Buffer.alloc(start, 0xab), text, Buffer.alloc(TAG)]);
  withIv(cipher).seal(packet, 0, start, text.length);
  return packet;
}

/** Another library, such as the one inside Electron, which lacks functions. */
const lacking = (name: string): Program => ({
  ...loadProgram(),
  bind: (declaration: string, ...rest: readonly unknown[]) => {
    if (declaration.includes(name)) throw new Error(`no ${name}`);
    return (loadProgram().bind as (...args: readonly unknown[]) => never)(declaration, ...rest);
  },
});

/** One that has all functions, of which one does not work. */
const wrong = (name: string): Program => ({
  ...loadProgram(),
  bind: (declaration: string, ...rest: readonly unknown[]) => {
    const bound = (loadProgram().bind as (...args: readonly unknown[]) => never)(declaration, ...rest);
    return declaration.includes(name) ? ((() => 1) as never) : bound;
  },
});

for (const [kind, create] of Object.entries(kinds)) {
  describe(`a cipher ${kind}`, () => {
    test('should encrypt as NIST says (GCM test case 4)', () => {
      const header = Buffer.from('feedfacedeadbeeffeedfacedeadbeefabaddad2', 'hex');
      const text = Buffer.from(
        'd9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39',
        'hex',
      );
      const packet = Buffer.concat([header, text, Buffer.alloc(TAG)]);
      withIv(create(KEY)).seal(packet, 0, header.length, text.length);
      assert.equal(
        packet.toString('hex', header.length),
        '42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47',
      );
    });

    test('should write what the other ciphers open, whatever the lengths', () => {
      const writer = create(KEY);
      for (const other of Object.values(kinds)) {
        const reader = withIv(other(KEY));
        for (const [start, length] of [
          [12, 0],
          [12, 1],
          [0, 17],
          [28, 1_200],
          [16, 1_572],
        ] as const) {
          const text = Buffer.from(Array.from({ length }, (_, i) => i % 251));
          const packet = sealed(writer, start, text);
          const opened = reader.open(packet, start);
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
        assert.equal(cipher.open(changed, 12), undefined, `byte ${at}`);
        assert.equal(cipher.open(packet.subarray(0, at), 12), undefined, `${at} bytes`);
      }
      assert.equal(withIv(cipher, Buffer.alloc(12, 1)).open(packet, 12), undefined);
      assert.equal(withIv(create(Buffer.alloc(16, 1))).open(packet, 12), undefined);
      // A failed packet must not affect the next one.
      assert.ok(withIv(cipher).open(packet, 12));
    });

    test('should encrypt where the packet is, and leave the memory around it as it was', () => {
      const cipher = create(KEY);
      const text = Buffer.from('a picture');
      const alone = sealed(cipher, 12, text);
      const memories = [Buffer.alloc(3_000, 7), Buffer.alloc(3_000, 8)];
      for (const at of [0, 1_600, 3_000 - alone.length]) {
        for (const [index, memory] of memories.entries()) {
          const expected = Buffer.from(memory);
          expected.set(alone, at);
          memory.fill(0xab, at, at + 12);
          memory.set(text, at + 12);
          cipher.seal(memory, at, 12, text.length);
          assert.deepEqual(memory, expected, `memory ${index} at ${at}`);
        }
      }
    });

    test('security: should never write outside of the memory', () => {
      const room = Buffer.alloc(128, 7);
      const memory = room.subarray(32, 96);
      const cipher = create(KEY);
      for (const [at, start, length] of [
        [0, 12, 37],
        [1, 12, 36],
        [64, 0, 0],
        [-1, 12, 20],
        [12, -12, 20],
        [0, 12, -1],
        [0, 12, Number.NaN],
      ] as const) {
        assert.throws(() => cipher.seal(memory, at, start, length), RangeError, `${at} ${start} ${length}`);
      }
      assert.deepEqual(room, Buffer.alloc(128, 7));
      cipher.seal(memory, 0, 12, 36);
      // Whose memory went to another thread: its place is no longer ours.
      const gone = Buffer.allocUnsafeSlow(100);
      cipher.seal(gone, 0, 12, 20);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      assert.throws(() => cipher.seal(gone, 0, 12, 20), RangeError);
    });

    test('security: should refuse keys of another length', () => {
      assert.throws(() => create(Buffer.alloc(15)).seal(Buffer.alloc(40), 0, 12, 1));
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
  assert.throws(() => cipher.seal(packet, 0, 12, 10), /closed/);
  assert.throws(() => cipher.open(packet, 12), /closed/);
  const robbed = createNativeCipher(KEY);
  structuredClone(robbed.iv.buffer, { transfer: [robbed.iv.buffer as ArrayBuffer] });
  assert.throws(() => robbed.seal(packet, 0, 12, 10), RangeError);
  assert.throws(() => robbed.open(packet, 12), RangeError);
});

test('security: should find the memory again after V8 has moved its objects', () => {
  const cipher = withIv(createNativeCipher(KEY));
  // So small that V8 puts its bytes into its own heap.
  const memories = Array.from({ length: 20 }, () => Buffer.alloc(12 + 4 + TAG));
  const ciphers = memories.map((memory) => {
    const one = withIv(createNativeCipher(KEY));
    one.seal(memory, 0, 12, 4);
    return one;
  });
  const kept: object[] = [];
  for (let i = 0; i < 1_000_000; i++) if (i % 10 === 0) kept.push({ i });
  for (const [index, memory] of memories.entries()) {
    memory.fill(0);
    ciphers[index]!.seal(memory, 0, 12, 4);
    assert.deepEqual(cipher.open(memory, 12), Buffer.alloc(16), `memory ${index}`);
  }
});

test('should take all functions from the first place that has them all and is right on a known text', () => {
  const asked: string[] = [];
  const place = (name: string, open: () => Program) => () => {
    asked.push(name);
    return open();
  };
  const create = nativeCiphers([
    place('without koffi', () => {
      throw new Error('no koffi');
    }),
    place('without a function', () => lacking('EVP_DecryptFinal_ex')),
    place('wrong', () => wrong('EVP_EncryptUpdate')),
    place('right', loadProgram),
    place('never asked', loadProgram),
  ]);
  assert.deepEqual(asked, []);
  for (let n = 0; n < 2; n++) {
    const packet = sealed(create(KEY), 12, Buffer.from('a picture'));
    assert.ok(withIv(portableDriver.createCipher(KEY)).open(packet, 12));
  }
  // The second cipher looked for nothing.
  assert.deepEqual(asked, ['without koffi', 'without a function', 'wrong', 'right']);
});

test('should say for each place why it has no OpenSSL', () => {
  const create = nativeCiphers([
    () => lacking('EVP_aes_128_gcm'),
    () => wrong('EVP_EncryptUpdate'),
    () => loadLibrary('libnowhere.so.3'),
  ]);
  const words = /no EVP_aes_128_gcm; .*errs on a known text; .*libnowhere\.so\.3/;
  assert.throws(() => create(KEY), { code: 'ENOSYS', message: words });
});
