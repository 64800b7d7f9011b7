import { bytesToHex } from '../../contract/fields.ts';
import { EXCEPTION, EXCEPTION_LENGTH, isAnswer, type Request } from './pdu.ts';

/** Bytes beside the PDU: the unit before it, the checksum behind it. */
const BESIDE = 3;
/** Bytes that are kept of what came while an answer is awaited; the longest frame has 256. */
export const RTU_KEPT = 1_024;
/** Bytes that a sentence shows. */
const SHOWN = 16;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** The checksum of a frame (Modbus over serial line 1.02, 6.2.2); its low byte goes first. */
function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) crc = (crc >> 8) ^ table[(crc ^ byte) & 0xff]!;
  return crc;
}

/** The frame of a request. */
export function rtuFrame(unit: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(pdu.length + BESIDE);
  frame[0] = unit;
  frame.set(pdu, 1);
  const crc = crc16(frame.subarray(0, -2));
  frame[frame.length - 2] = crc & 0xff;
  frame[frame.length - 1] = crc >> 8;
  return frame;
}

/** The PDU of the answer among what came over the line, with noise before it or behind; undefined if it is not there. */
export function findAnswer(bytes: Uint8Array, unit: number, request: Request): Uint8Array | undefined {
  for (let start = 0; start < bytes.length; start++) {
    if (bytes[start] !== unit) continue;
    const frame = frameAt(bytes, start, request);
    if (frame && isWhole(frame) && isAnswer(request, pduOf(frame))) return pduOf(frame);
  }
  return undefined;
}

/** What is wrong with what came instead of an answer, for a sentence. */
export function whatIsWrong(bytes: Uint8Array, unit: number, request: Request): string {
  const shown = `${bytesToHex(bytes.subarray(0, SHOWN))}${bytes.length > SHOWN ? '…' : ''}`;
  for (let start = 0; start < bytes.length; start++) {
    const frame = frameAt(bytes, start, request);
    if (!frame) continue;
    if (frame[0] === unit && !isWhole(frame) && isAnswer(request, pduOf(frame)))
      return `its checksum is wrong (${shown})`;
    if (frame[0] !== unit && isWhole(frame)) return `unit ${frame[0]} answered instead (${shown})`;
  }
  return `${shown} came instead of one: noise, another speed or parity, or a second master on the line`;
}

/** The bytes that would be the answer if one began there; undefined if they have not all come. */
function frameAt(bytes: Uint8Array, start: number, { pdu, length }: Request): Uint8Array | undefined {
  const isException = bytes[start + 1] === (pdu[0]! | EXCEPTION);
  const end = start + (isException ? EXCEPTION_LENGTH : length) + BESIDE;
  return end <= bytes.length ? bytes.subarray(start, end) : undefined;
}

function pduOf(frame: Uint8Array): Uint8Array {
  return frame.subarray(1, -2);
}

/** The checksum over a frame with its own is 0. */
function isWhole(frame: Uint8Array): boolean {
  return crc16(frame) === 0;
}
