import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type HeardCode, IR_PROTOCOLS, type IrCode, type IrProtocol } from './contract.ts';
import { framesOf } from './driver.ts';
import { decode, encode, sum } from './protocols.ts';

/** A frame as a receiver of 38 kHz sees it: light is longer, darkness shorter. */
const seen = (timings: readonly number[]) => timings.map((us, index) => us + (index % 2 === 0 ? 80 : -80));
const names = Object.keys(IR_PROTOCOLS) as IrProtocol[];

describe('infrared protocols', () => {
  test('should encode NEC as NEC Electronics publishes it', () => {
    const { timings, carrier } = encode({ protocol: 'nec', address: 0x04, command: 0x08 }, 0, false);
    assert.equal(carrier, 38_000);
    assert.equal(timings.length, 67);
    // 9 ms, 4.5 ms, then 04 FB 08 F7 with the lowest bit first.
    assert.deepEqual(timings.slice(0, 2), [9_000, 4_500]);
    const bits = Array.from({ length: 32 }, (_, bit) => (timings[3 + 2 * bit]! > 1_000 ? '1' : '0')).join('');
    assert.equal(bits, '00100000110111110001000011101111');
    // Address and command have their inverse beside them: each frame has the same length.
    assert.ok(Math.abs(sum(timings) - 68_070) < 60, String(sum(timings)));
  });

  test('should follow NEC by its short frame every 108 ms', () => {
    const frame = encode({ protocol: 'nec', address: 4, command: 8 }, 0, false).timings;
    const { timings } = encode({ protocol: 'nec', address: 4, command: 8 }, 2, false);
    assert.deepEqual(timings.slice(67), [
      108_000 - sum(frame),
      9_000,
      2_250,
      563,
      108_000 - 11_813,
      9_000,
      2_250,
      563,
    ]);
  });

  test('should encode RC5 by halves of 889 us, with the seventh bit of the command in the second start bit', () => {
    // Philips: address 5, command 35, toggle 0: 1 1 0 00101 100011.
    const { timings, carrier } = encode({ protocol: 'rc5', address: 5, command: 35 }, 0, false);
    assert.equal(carrier, 36_000);
    assert.deepEqual(
      timings.map((us) => us / 889),
      [1, 1, 2, 1, 1, 1, 1, 2, 2, 2, 1, 1, 2, 1, 1, 1, 1, 2, 1, 1, 1],
    );
    assert.equal(decode(encode({ protocol: 'rc5', address: 5, command: 99 }, 0, true).timings)?.command, 99);
  });

  test('should begin RC6 with 6 and 2 units, and double the toggle', () => {
    const { timings } = encode({ protocol: 'rc6', address: 0, command: 12 }, 0, false);
    const units = timings.map((us) => us / 444);
    assert.deepEqual(units.slice(0, 8), [6, 2, 1, 2, 1, 1, 1, 1]);
    assert.ok(units.includes(3) || units.includes(2));
  });

  test('should send Sony three times at least, 45 ms from begin to begin', () => {
    const { timings, carrier } = encode({ protocol: 'sony12', address: 1, command: 21 }, 0, false);
    assert.equal(carrier, 40_000);
    const frames = framesOf(timings);
    assert.equal(frames.length, 3);
    // Command 21 and address 1, the lowest bit first: 1010100 10000.
    assert.deepEqual(
      frames[0]!.filter((_, index) => index % 2 === 0).slice(1),
      [1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 0, 0].map((bit) => 600 + 600 * bit),
    );
    assert.equal(sum(frames[0]!) + timings[25]!, 45_000);
    assert.equal(
      encode({ protocol: 'sony12', address: 1, command: 21 }, 4, false).timings.length,
      5 * 25 + 4,
    );
  });

  test('should send the address of Samsung twice up to 255, and above it low byte first', () => {
    const bytes = (code: IrCode) =>
      [0, 1, 2, 3].map((byte) =>
        [0, 1, 2, 3, 4, 5, 6, 7].reduce(
          (value, bit) =>
            value + (encode(code, 0, false).timings[3 + 2 * (8 * byte + bit)]! > 1_000 ? 2 ** bit : 0),
          0,
        ),
      );
    assert.deepEqual(bytes({ protocol: 'samsung32', address: 7, command: 2 }), [7, 7, 2, 0xfd]);
    assert.deepEqual(bytes({ protocol: 'samsung32', address: 0x0102, command: 2 }), [2, 1, 2, 0xfd]);
    assert.deepEqual(bytes({ protocol: 'necx', address: 0x1234, command: 1 }), [0x34, 0x12, 1, 0xfe]);
    assert.deepEqual(
      encode({ protocol: 'samsung32', address: 7, command: 2 }, 0, false).timings.slice(0, 2),
      [4_500, 4_500],
    );
  });

  for (const protocol of names)
    test(`should read ${protocol} as a receiver sees it, over its whole range`, () => {
      const { address: mostAddress, command: mostCommand } = IR_PROTOCOLS[protocol];
      for (let step = 0; step <= 64; step++) {
        const code = {
          protocol,
          address: Math.round((mostAddress * ((step * 37) % 65)) / 64),
          command: Math.round((mostCommand * step) / 64),
        };
        for (const toggle of [false, true]) {
          const { timings } = encode(code, 1, toggle);
          // An address of NECX whose bytes are inverse, and one of Samsung whose bytes are equal, are the short form.
          const wanted = shortOf(code);
          assert.deepEqual(decode(timings), wanted);
          assert.deepEqual(decode(seen(timings)), wanted);
          assert.deepEqual(decode(timings.map((us) => Math.round(us * 1.08))), wanted);
        }
      }
    });

  test('should take the short frame of NEC for the key before, and for none where there was none', () => {
    const key: HeardCode = { protocol: 'necx', address: 300, command: 9 };
    assert.deepEqual(decode(seen([9_000, 2_250, 563]), key), { ...key, repeat: true });
    assert.equal(decode([9_000, 2_250, 563]), null);
    assert.equal(decode([9_000, 2_250, 563], { protocol: 'rc5', address: 1, command: 1 }), null);
  });

  test('should read no key in what is none', () => {
    const { timings } = encode({ protocol: 'nec', address: 4, command: 8 }, 0, false);
    assert.equal(decode(timings.slice(0, 65)), null);
    assert.equal(decode(timings.with(41, 563)), null, 'a bit that does not fit its inverse');
    assert.equal(decode([]), null);
    assert.equal(decode([100]), null);
    for (let length = 1; length < 200; length += 2)
      assert.doesNotThrow(() => decode(Array.from({ length }, (_, index) => ((index * 7_919) % 5_000) + 1)));
  });
});

function shortOf({ protocol, address, command }: IrCode): HeardCode {
  const [low, high] = [address & 0xff, address >> 8];
  if (protocol === 'necx' && high === (low ^ 0xff)) return { protocol: 'nec', address: low, command };
  if (protocol === 'samsung32' && address > 255 && low === high) return { protocol, address: low, command };
  return { protocol, address, command };
}
