import { H264RtpPayload } from 'werift';
import { aggregated, stripZeros } from '../../webrtc/rtp/h264.ts';

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

/** The NAL units in payloads as Chromium reads them: a fragment that starts begins a new one, all others go on. */
export function nalsOf(payloads: readonly Buffer[]): Buffer[] {
  const nals: Buffer[] = [];
  for (const payload of payloads) {
    const type = payload[0]! & 31;
    if (type === 24) nals.push(...aggregated(payload));
    else if (type !== 28) nals.push(payload);
    else if ((payload[1]! & 0x80) === 0) nals.push(Buffer.concat([nals.pop()!, payload.subarray(2)]));
    else {
      const header = Buffer.from([(payload[0]! & 0xe0) | (payload[1]! & 31)]);
      nals.push(Buffer.concat([header, payload.subarray(2)]));
    }
  }
  return nals.map(stripZeros);
}
