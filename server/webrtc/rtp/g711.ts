/** The bias of µ-law (ITU-T G.711), in samples of 16 bits. */
const BIAS = 0x84;

/** @param sample of 16 bits */
export function encodePcmu(sample: number): number {
  const magnitude = Math.min(Math.abs(sample), 32_635) + BIAS;
  const exponent = 24 - Math.clz32(magnitude);
  return ~((sample < 0 ? 0x80 : 0) | (exponent << 4) | ((magnitude >> (exponent + 3)) & 0x0f)) & 0xff;
}

/** @returns a sample of 16 bits */
export function decodePcmu(byte: number): number {
  const value = ~byte & 0xff;
  const magnitude = ((((value & 0x0f) << 3) + BIAS) << ((value & 0x70) >> 4)) - BIAS;
  return (value & 0x80) === 0 ? magnitude : -magnitude;
}

function encodePcma(sample: number): number {
  const magnitude = Math.min(sample < 0 ? -sample - 1 : sample, 32_767);
  const exponent = Math.max(0, 24 - Math.clz32(magnitude));
  const mantissa = (magnitude >> (Math.max(1, exponent) + 3)) & 0x0f;
  return ((sample < 0 ? 0 : 0x80) | (exponent << 4) | mantissa) ^ 0x55;
}

function decodePcma(byte: number): number {
  const value = byte ^ 0x55;
  const exponent = (value & 0x70) >> 4;
  const base = ((value & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? base : (base + 0x100) << (exponent - 1);
  return (value & 0x80) === 0 ? -magnitude : magnitude;
}

const bytes = (change: (byte: number) => number) =>
  Buffer.from(Array.from({ length: 256 }, (_, at) => change(at)));
/** Silence stays silence: PCMA has no zero. */
const NEAR_ZERO = 8;
const TO_PCMU = bytes((byte) => {
  const sample = decodePcma(byte);
  return encodePcmu(Math.abs(sample) <= NEAR_ZERO ? 0 : sample);
});
const TO_PCMA = bytes((byte) => encodePcma(decodePcmu(byte)));

function mapped(table: Buffer, payload: Buffer): Buffer {
  const out = Buffer.allocUnsafe(payload.length);
  for (let at = 0; at < out.length; at++) out[at] = table[payload[at]!]!;
  return out;
}

/** A payload of PCMA as PCMU. */
export const pcmaToPcmu = (payload: Buffer): Buffer => mapped(TO_PCMU, payload);
/** A payload of PCMU as PCMA. */
export const pcmuToPcma = (payload: Buffer): Buffer => mapped(TO_PCMA, payload);
