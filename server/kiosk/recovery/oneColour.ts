import { inflateSync } from 'node:zlib';

const SIGNATURE_BYTES = 8;

/**
 * Whether all pixels of a screenshot are the same. Made for what browsers write: 8 bits per channel, RGB or RGBA, not
 * interlaced (PNG specification, third edition); anything else counts as a picture.
 */
export function isOneColour(png: Uint8Array): boolean {
  const file = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const width = file.readUInt32BE(16);
  const height = file.readUInt32BE(20);
  const [depth, colourType, , , interlaced] = file.subarray(24, 29);
  const channels = colourType === 6 ? 4 : 3;
  if (depth !== 8 || (colourType !== 2 && colourType !== 6) || interlaced !== 0) return false;
  const rows = inflateSync(Buffer.concat([...dataChunks(file)]));
  const stride = width * channels;
  let above: Uint8Array = new Uint8Array(stride);
  let first: Uint8Array | undefined;
  for (let y = 0; y < height; y++) {
    const start = y * (stride + 1);
    const row = rows.subarray(start + 1, start + 1 + stride);
    unfilter(rows[start]!, row, above, channels);
    first ??= row.slice(0, channels);
    for (let i = 0; i < stride; i++) if (row[i] !== first[i % channels]) return false;
    above = row;
  }
  return true;
}

function* dataChunks(file: Buffer): Generator<Buffer> {
  for (let at = SIGNATURE_BYTES; at + 12 <= file.length; ) {
    const length = file.readUInt32BE(at);
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT') yield file.subarray(at + 8, at + 8 + length);
    at += 12 + length;
  }
}

/** PNG section 9, "Filtering": each byte is stored as its difference from a prediction. */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, channels: number): void {
  if (type === 0) return;
  for (let i = 0; i < row.length; i++) {
    const left = i < channels ? 0 : row[i - channels]!;
    const corner = i < channels ? 0 : above[i - channels]!;
    row[i] = row[i]! + predict(type, left, above[i]!, corner);
  }
}

function predict(type: number, left: number, above: number, corner: number): number {
  if (type === 1) return left;
  if (type === 2) return above;
  if (type === 3) return (left + above) >> 1;
  const [toLeft, toAbove, toCorner] = [above - corner, left - corner, left + above - 2 * corner].map(
    Math.abs,
  );
  if (toLeft! <= toAbove! && toLeft! <= toCorner!) return left;
  return toAbove! <= toCorner! ? above : corner;
}
