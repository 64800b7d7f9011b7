import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pictureAddress } from './picture.ts';

/** The beginning of a picture of this size: more is not looked at. */
const made = {
  png: (width: number, height: number) => {
    const bytes = Buffer.alloc(64);
    bytes.write('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1');
    bytes.writeUInt32BE(width, 16);
    bytes.writeUInt32BE(height, 20);
    return bytes;
  },
  gif: (width: number, height: number) => {
    const bytes = Buffer.alloc(64);
    bytes.write('GIF89a', 'latin1');
    bytes.writeUInt16LE(width, 6);
    bytes.writeUInt16LE(height, 8);
    return bytes;
  },
  jpeg: (width: number, height: number) => {
    const bytes = Buffer.alloc(64);
    // An application segment of 16 bytes, fill bytes, then the frame.
    bytes.write('ffd8ffe00010', 'hex');
    bytes.write('ffffffc0001108', 20, 'hex');
    bytes.writeUInt16BE(height, 27);
    bytes.writeUInt16BE(width, 29);
    return bytes;
  },
  webp: (width: number, height: number) => {
    const bytes = Buffer.alloc(64);
    bytes.write('RIFF\0\0\0\0WEBPVP8X', 'latin1');
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
    return bytes;
  },
};

describe('pictures of messages', () => {
  for (const [type, make] of Object.entries(made)) {
    test(`should take ${type} by its bytes`, () => {
      assert.ok(pictureAddress(make(4_000, 3_000)).startsWith(`data:image/${type};base64,`));
    });

    test(`security: should refuse ${type} with more pixels than the layer may decode`, () => {
      assert.throws(() => pictureAddress(make(16_000, 16_000)), /16000 x 16000 pixels/);
      assert.throws(() => pictureAddress(make(16_000, 16_000).subarray(0, 20)));
    });
  }

  test('security: should refuse what is no picture, and what only begins as one', () => {
    for (const text of [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '<html><script>alert(1)</script></html>',
    ])
      assert.throws(() => pictureAddress(Buffer.from(text.padEnd(64))), /no PNG/);
    assert.throws(() => pictureAddress(Buffer.alloc(0)));
    assert.throws(() => pictureAddress(Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(60_000)])));
    // Segments that say they are longer than the file.
    assert.throws(() => pictureAddress(Buffer.from(`ffd8ffe0ffff${'00'.repeat(60)}`, 'hex')));
    // Segments of length 0 must not be read for ever.
    assert.throws(() => pictureAddress(Buffer.from(`ffd8${'ffe00000'.repeat(1_000)}`, 'hex')));
  });
});
