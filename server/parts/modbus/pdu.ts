import type { ParamsOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { bytesToHex } from '../../contract/fields.ts';

type Kind = ParamsOf<'modbus.read'>['kind'];

/** A request, and what its answer must be (Modbus application protocol 1.1b3, 6). */
export interface Request {
  /** Function code and data. */
  readonly pdu: Uint8Array;
  /** What an answer without exception begins with. */
  readonly prefix: Uint8Array;
  /** Length of such an answer in bytes. */
  readonly length: number;
}

const READ: Readonly<Record<Kind, number>> = { coil: 1, discrete: 2, holding: 3, input: 4 };
const WRITE = { coil: { one: 5, several: 15 }, holding: { one: 6, several: 16 } } as const;
/** The last function code of those that only read. */
export const LAST_READING = 4;
/** Set in the function code of an answer that is an exception. */
const EXCEPTION = 0x80;
/** Bytes of an exception: function code and its number. */
const EXCEPTION_LENGTH = 2;

/** Names of the specification, section 7. */
const EXCEPTIONS: Readonly<Record<number, string>> = {
  1: 'ILLEGAL_FUNCTION',
  2: 'ILLEGAL_DATA_ADDRESS',
  3: 'ILLEGAL_DATA_VALUE',
  4: 'SERVER_DEVICE_FAILURE',
  5: 'ACKNOWLEDGE',
  6: 'SERVER_DEVICE_BUSY',
  8: 'MEMORY_PARITY_ERROR',
  10: 'GATEWAY_PATH_UNAVAILABLE',
  11: 'GATEWAY_TARGET_DEVICE_FAILED_TO_RESPOND',
};

/** A request to read so many values of a kind. */
export function readRequest(kind: Kind, address: number, count: number): Request {
  const bytes = isBit(kind) ? Math.ceil(count / 8) : 2 * count;
  const code = READ[kind];
  return {
    pdu: Uint8Array.of(code, address >> 8, address, count >> 8, count),
    prefix: Uint8Array.of(code, bytes),
    length: 2 + bytes,
  };
}

/** A request to write these values: one by the function for one, more by the function for several. */
export function writeRequest(kind: 'coil' | 'holding', address: number, values: readonly number[]): Request {
  const { one, several } = WRITE[kind];
  if (values.length === 1) {
    const value = isBit(kind) && values[0] === 1 ? 0xff00 : values[0]!;
    const pdu = Uint8Array.of(one, ...word(address), ...word(value));
    return { pdu, prefix: pdu, length: pdu.length };
  }
  const data = isBit(kind) ? bitsToBytes(values) : values.flatMap(word);
  const prefix = Uint8Array.of(several, ...word(address), ...word(values.length));
  return { pdu: Uint8Array.of(...prefix, data.length, ...data), prefix, length: prefix.length };
}

/** The values in the answer to a request to read. */
export function valuesOf(kind: Kind, count: number, answer: Uint8Array): number[] {
  const values = new Array<number>(count);
  const areBits = isBit(kind);
  // Behind function code and number of bytes.
  for (let index = 0; index < count; index++) {
    values[index] = areBits
      ? (answer[2 + (index >> 3)]! >> (index & 7)) & 1
      : (answer[2 + 2 * index]! << 8) | answer[3 + 2 * index]!;
  }
  return values;
}

/** Whether an answer is one to this request; an exception is. */
export function isAnswer({ pdu, prefix, length }: Request, answer: Uint8Array): boolean {
  if (isException(answer, pdu)) return answer.length === EXCEPTION_LENGTH;
  return answer.length === length && prefix.every((byte, index) => answer[index] === byte);
}

/** @throws FaceplateError HARDWARE_ERROR with the name of the exception, if the answer is one */
export function throwException(answer: Uint8Array, who: string): void {
  if ((answer[0]! & EXCEPTION) === 0) return;
  const name = EXCEPTIONS[answer[1]!] ?? `EXCEPTION_${answer[1]}`;
  throw new FaceplateError('HARDWARE_ERROR', `${who} refused the request: ${name}.`);
}

function isException(answer: Uint8Array, pdu: Uint8Array): boolean {
  return answer[0] === (pdu[0]! | EXCEPTION);
}

function isBit(kind: Kind): boolean {
  return kind === 'coil' || kind === 'discrete';
}

function word(value: number): [number, number] {
  return [value >> 8, value & 0xff];
}

function bitsToBytes(bits: readonly number[]): number[] {
  const bytes = new Array<number>(Math.ceil(bits.length / 8)).fill(0);
  for (const [index, bit] of bits.entries()) bytes[index >> 3]! |= bit << (index & 7);
  return bytes;
}

/** Bytes beside the PDU: the unit before it, the checksum behind it. */
const BESIDE = 3;
/** Bytes that a sentence shows. */
const SHOWN = 16;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** The checksum of a frame (Modbus over serial line 1.02, 6.2.2); its low byte comes first. */
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
  return answerIn(bytes, unit, request)?.pdu;
}

/** As `findAnswer`, with the place behind it. */
export function answerIn(
  bytes: Uint8Array,
  unit: number,
  request: Request,
): { readonly pdu: Uint8Array; readonly end: number } | undefined {
  for (let start = 0; start < bytes.length; start++) {
    if (bytes[start] !== unit) continue;
    const frame = frameAt(bytes, start, request);
    if (frame && isWhole(frame) && isAnswer(request, pduOf(frame)))
      return { pdu: pduOf(frame), end: start + frame.length };
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
