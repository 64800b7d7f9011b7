/** Bytes before the PDU (Modbus on TCP/IP 1.0b, 3.1.3): transaction, protocol, length, unit. */
const HEADER = 7;
/** Longest frame. */
const LONGEST = 260;
const NOTHING = new Uint8Array(0);

export interface TcpAnswer {
  readonly transaction: number;
  readonly unit: number;
  readonly pdu: Uint8Array;
}

/** The frame of a request. */
export function tcpFrame(transaction: number, unit: number, pdu: Uint8Array): Uint8Array {
  // Of the pool: what goes to a socket is outside the heap anyway.
  const frame = Buffer.allocUnsafe(HEADER + pdu.length);
  frame[0] = transaction >> 8;
  frame[1] = transaction;
  frame[2] = 0;
  frame[3] = 0;
  frame[4] = (pdu.length + 1) >> 8;
  frame[5] = pdu.length + 1;
  frame[6] = unit;
  frame.set(pdu, HEADER);
  return frame;
}

/** Makes frames of what a connection brings. */
export class TcpFrames {
  #bytes = NOTHING;

  /** @returns the frames that are whole now; null when this is not Modbus: nothing that follows can be read either */
  push(bytes: Uint8Array): TcpAnswer[] | null {
    const all = this.#bytes.length === 0 ? bytes : Uint8Array.of(...this.#bytes, ...bytes);
    const answers: TcpAnswer[] = [];
    let start = 0;
    while (start + HEADER <= all.length) {
      const length = word(all, start + 4);
      const end = start + HEADER - 1 + length;
      if (word(all, start + 2) !== 0 || length < 3 || end - start > LONGEST) return null;
      if (all.length < end) break;
      const pdu = all.subarray(start + HEADER, end);
      answers.push({ transaction: word(all, start), unit: all[start + 6]!, pdu });
      start = end;
    }
    this.#bytes = start === all.length ? NOTHING : Uint8Array.from(all.subarray(start));
    return answers;
  }
}

function word(bytes: Uint8Array, at: number): number {
  return (bytes[at]! << 8) | bytes[at + 1]!;
}
