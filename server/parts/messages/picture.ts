/** Largest picture: bytes as it comes, and pixels as it would be decoded. A smaller file can still be a huge picture. */
export const PICTURE_BYTES = 5 * 1024 ** 2;
export const PICTURE_PIXELS = 25_000_000;

interface Facts {
  readonly type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
  readonly width: number;
  readonly height: number;
}

/**
 * A picture as a `data:` address. Its first bytes say what it is, not the server; nothing is decoded here.
 * @throws Error when it is no PNG, JPEG, GIF or WebP, or has too many pixels
 */
export function pictureAddress(bytes: Uint8Array): string {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const facts = factsOf(view);
  if (facts === undefined) throw new Error('It is no PNG, JPEG, GIF or WebP picture.');
  const { type, width, height } = facts;
  if (width === 0 || height === 0) throw new Error('The picture has no pixels.');
  if (width * height > PICTURE_PIXELS) throw new Error(`The picture has ${width} x ${height} pixels.`);
  return `data:${type};base64,${view.toString('base64')}`;
}

function factsOf(bytes: Buffer): Facts | undefined {
  if (bytes.length < 30) return undefined;
  // PNG, section 5.2 and 11.2.2: signature, then IHDR.
  if (bytes.readUInt32BE(0) === 0x89504e47)
    return { type: 'image/png', width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  // GIF89a, section 18: the logical screen.
  const word = bytes.toString('latin1', 0, 6);
  if (word === 'GIF87a' || word === 'GIF89a')
    return { type: 'image/gif', width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (word.startsWith('RIFF') && bytes.toString('latin1', 8, 12) === 'WEBP') return webp(bytes);
  if (bytes.readUInt16BE(0) === 0xffd8) return jpeg(bytes);
  return undefined;
}

/** RFC 9649, section 2: simple, lossless and extended files. */
function webp(bytes: Buffer): Facts | undefined {
  const type = 'image/webp';
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { type, width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return { type, width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { type, width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
  }
  return undefined;
}

/** ITU T.81, annex B: the first frame header says the size. */
function jpeg(bytes: Buffer): Facts | undefined {
  for (let at = 2; at + 9 < bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    // Fill bytes may precede a marker.
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame)
      return { type: 'image/jpeg', width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
