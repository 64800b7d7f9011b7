/** 16-bit samples of a PCMU or PCMA byte (ITU-T G.711). */
export function decodeG711(law: 'PCMU' | 'PCMA', byte: number): number {
  if (law === 'PCMU') {
    const value = ~byte & 0xff;
    const magnitude = ((((value & 0x0f) << 3) + 0x84) << ((value & 0x70) >> 4)) - 0x84;
    return (value & 0x80) !== 0 ? -magnitude : magnitude;
  }
  const value = byte ^ 0x55;
  const exponent = (value & 0x70) >> 4;
  const base = ((value & 0x0f) << 4) + 8;
  const magnitude = exponent === 0 ? base : (base + 0x100) << (exponent - 1);
  return (value & 0x80) !== 0 ? magnitude : -magnitude;
}

/** A PCMU byte for a sample of 16 bits. */
function encodePcmu(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0;
  const magnitude = Math.min(Math.abs(sample), 32_635) + 0x84;
  const exponent = Math.floor(Math.log2(magnitude)) - 7;
  const mantissa = (magnitude >> (exponent + 3)) & 0x0f;
  return ~(sign | (exponent << 4) | mantissa) & 0xff;
}

/** Share of a tone in the energy of samples, from 0 to 1 (Goertzel). */
export function toneShare(samples: readonly number[], hertz: number, rate: number): number {
  const coefficient = 2 * Math.cos((2 * Math.PI * hertz) / rate);
  let [before, last, energy] = [0, 0, 0];
  for (const sample of samples) {
    [before, last] = [last, sample + coefficient * last - before];
    energy += sample * sample;
  }
  if (energy === 0) return 0;
  const power = last * last + before * before - coefficient * last * before;
  return (2 * power) / (samples.length * energy);
}

/** The nearest byte for a sample of 16 bits. */
const encodePcma = (sample: number): number => {
  let best = 0;
  for (let byte = 1; byte < 256; byte++) {
    const distance = (value: number): number => Math.abs(decodeG711('PCMA', value) - sample);
    if (distance(byte) < distance(best)) best = byte;
  }
  return best;
};

/** 20 ms of a tone. @param index of the packet */
const tone = (hertz: number, index: number, encode: (sample: number) => number): Buffer => {
  const sample = (n: number): number => Math.round(8_000 * Math.sin((2 * Math.PI * hertz * n) / 8000));
  return Buffer.from(Array.from({ length: 160 }, (_, i) => encode(sample(index * 160 + i))));
};

export const pcmuTone = (hertz: number, index: number): Buffer => tone(hertz, index, encodePcmu);
export const pcmaTone = (hertz: number, index: number): Buffer => tone(hertz, index, encodePcma);

/** Samples of the first channel of a 16-bit WAV file, and their rate. */
export function readWav(file: Buffer): { samples: number[]; rate: number } {
  const channels = file.readUInt16LE(22);
  const samples: number[] = [];
  for (let at = file.indexOf('data') + 8; at + 2 <= file.length; at += 2 * channels)
    samples.push(file.readInt16LE(at));
  return { samples, rate: file.readUInt32LE(24) };
}
