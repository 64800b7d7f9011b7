import { H264RtpPayload } from 'werift';

/** Puts RTP payloads together again with werift's depacketizer. @returns NAL units in Annex B */
export function depacketize(payloads: readonly Buffer[]): Buffer {
  let fragment: Buffer | undefined;
  const parts: Buffer[] = [];
  for (const payload of payloads) {
    const parsed = H264RtpPayload.deSerialize(payload, fragment);
    fragment = parsed.fragment;
    if (parsed.payload !== undefined) parts.push(parsed.payload);
  }
  return Buffer.concat(parts);
}

/** NAL units as a byte stream (ITU-T H.264 Annex B). */
export const annexB = (nals: readonly Buffer[]): Buffer =>
  Buffer.concat(nals.flatMap((nal) => [Buffer.from([0, 0, 0, 1]), nal]));

/** A NAL unit whose bytes all differ from their neighbours, so that a misplaced one shows. */
export const numberedNal = (header: number, length: number): Buffer =>
  Buffer.concat([
    Buffer.from([header, 0x88]),
    Buffer.from(Array.from({ length: length - 2 }, (_, i) => i % 251)),
  ]);
