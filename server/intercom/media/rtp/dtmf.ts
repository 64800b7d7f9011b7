import { FaceplateError } from '../../../contract/errors.ts';

/** The digits in the order of their event codes (RFC 4733 section 3.2). */
const DIGITS = '0123456789*#ABCD';
const END = 0x80;
/** Power level of the tone in -dBm0. */
const VOLUME = 10;

/** Milliseconds of one digit: long enough for door stations to detect it. */
export const DIGIT_MS = 160;
/** How often the last packet of an event is sent (RFC 4733 section 2.5.1.4). */
export const END_PACKETS = 3;
/** Most digits that are sent at once. */
const MAX_DIGITS = 64;

/** Event codes of digits. @throws FaceplateError INVALID_REQUEST for anything but 1 to 64 of 0-9 * # A-D. */
export function eventsOf(digits: string): number[] {
  const events = [...digits.toUpperCase()].map((digit) => DIGITS.indexOf(digit));
  if (events.length === 0 || events.length > MAX_DIGITS || events.includes(-1)) {
    throw new FaceplateError('INVALID_REQUEST', `digits must be 1 to ${MAX_DIGITS} of 0-9, *, # and A-D.`, {
      field: 'digits',
    });
  }
  return events;
}

/** The payload of an event (RFC 4733 section 2.3). @param duration in ticks of the RTP timestamp, 16 bits */
export function eventPayload(event: number, isEnd: boolean, duration: number): Buffer {
  const payload = Buffer.from([event, (isEnd ? END : 0) | VOLUME, 0, 0]);
  payload.writeUInt16BE(Math.min(duration, 0xffff), 2);
  return payload;
}

/** Finds the digits in a remote party's events: packets with the same timestamp are one digit. */
export class DigitReader {
  #last: number | undefined;

  /** @returns the digit, if this is its first packet. */
  read(timestamp: number, payload: Buffer): string | undefined {
    // A late packet of an earlier digit is not a new digit.
    const isNew = this.#last === undefined || ((timestamp - this.#last) | 0) > 0;
    if (payload.length < 4 || !isNew) return undefined;
    this.#last = timestamp;
    return DIGITS[payload[0]!];
  }
}
