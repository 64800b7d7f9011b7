/** Bytes before the PDU (Modbus on TCP/IP 1.0b, 3.1.3): transaction, protocol, length, unit. */
const HEADER = 7;
/** Longest frame. */
const LONGEST = 260;

export interface TcpAnswer {
  readonly transaction: number;
  readonly unit: number;
  readonly pdu: Uint8Array;
}

/** The frame of a request. */
export function tcpFrame(transaction: number, unit: number, pdu: Uint8Array): Uint8Array {
  const frame = new Uint8Array(HEADER + pdu.length);
  const view = new DataView(frame.buffer);
  view.setUint16(0, transaction);
  view.setUint16(4, pdu.length + 1);
  frame[6] = unit;
  frame.set(pdu, HEADER);
  return frame;
}

/** Makes frames of what a connection brings. */
export class TcpFrames {
  #bytes = new Uint8Array(0);

  /** @returns the frames that are whole now; null when this is not Modbus: nothing that follows can be read either */
  push(bytes: Uint8Array): TcpAnswer[] | null {
    let rest = this.#bytes.length === 0 ? bytes : Uint8Array.of(...this.#bytes, ...bytes);
    const answers: TcpAnswer[] = [];
    while (rest.length >= HEADER) {
      const view = new DataView(rest.buffer, rest.byteOffset, rest.byteLength);
      const length = view.getUint16(4);
      const end = HEADER - 1 + length;
      if (view.getUint16(2) !== 0 || length < 3 || end > LONGEST) return null;
      if (rest.length < end) break;
      answers.push({ transaction: view.getUint16(0), unit: rest[6]!, pdu: rest.slice(HEADER, end) });
      rest = rest.subarray(end);
    }
    this.#bytes = rest.slice();
    return answers;
  }
}
