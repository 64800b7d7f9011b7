/** The parts of an RTP packet that we use. `payload` is a view of the original packet. */
export interface RtpPacket {
  readonly payloadType: number;
  readonly marker: boolean;
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Buffer;
}

const FIXED_HEADER = 12;

/** Reads an RTP packet (RFC 3550 section 5.1): CSRCs, extension and padding are cut off; undefined if it is not RTP. */
export function parseRtpPacket(packet: Buffer): RtpPacket | undefined {
  if (packet.length < FIXED_HEADER || packet[0]! >> 6 !== 2) return undefined;
  const hasPadding = (packet[0]! & 0x20) !== 0;
  const hasExtension = (packet[0]! & 0x10) !== 0;
  let start = FIXED_HEADER + 4 * (packet[0]! & 0x0f);
  if (hasExtension) {
    if (packet.length < start + 4) return undefined;
    start += 4 + 4 * packet.readUInt16BE(start + 2);
  }
  const end = packet.length - (hasPadding ? packet[packet.length - 1]! : 0);
  if (end <= start) return undefined;
  return {
    payloadType: packet[1]! & 0x7f,
    marker: (packet[1]! & 0x80) !== 0,
    sequence: packet.readUInt16BE(2),
    timestamp: packet.readUInt32BE(4),
    payload: packet.subarray(start, end),
  };
}

/** How far back a packet may come late or twice; a larger step, either way, means that the camera restarted its stream. */
const LATE = 512;
const FAR = 4_096;
/** Most remembered numbers of ignored packets. */
const MAX_PASSED = 16;

/** Counts the packets that are missing in a sequence of 16-bit numbers. */
export class LossCounter {
  #next: number | undefined;
  #lost = 0;
  /** Numbers from the next one on that packets of another stream have. */
  #passed: number[] = [];

  /**
   * Takes the next sequence number; an older one changes nothing.
   * @returns `gap` if packets before it are missing, `old` if a later one or itself has come before
   */
  add(sequence: number): 'next' | 'gap' | 'old' {
    const next = this.#next ?? sequence;
    const ahead = ((sequence - next) << 16) >> 16;
    if (ahead < 0 && ahead >= -LATE) return 'old';
    this.#next = (sequence + 1) & 0xffff;
    if (ahead === 0) return 'next';
    const passed = this.#passed.filter((other) => ((other - next) & 0xffff) < ahead).length;
    this.#passed = [];
    if (ahead > 0 && ahead < FAR) this.#lost += ahead - passed;
    return ahead === passed ? 'next' : 'gap';
  }

  /** A packet that is not of this stream has this number: it is not missing. */
  pass(sequence: number): void {
    if (this.#passed.includes(sequence)) return;
    this.#passed.push(sequence);
    if (this.#passed.length > MAX_PASSED) this.#passed.shift();
  }

  get lost(): number {
    return this.#lost;
  }
}

/** Header extension by which a sender says how long pictures may wait until they are shown (docs of WebRTC, playout-delay). */
export const PLAYOUT_DELAY = 'http://www.webrtc.org/experiments/rtp-hdrext/playout-delay';

/** Identifiers of extensions with a header of one byte (RFC 8285 section 4.2). */
const LAST_ID = 14;

/** The identifier of the extension by the a=extmap values of a media line (RFC 8285 section 5); undefined without one. */
export function playoutDelayId(extmaps: readonly string[]): number | undefined {
  for (const extmap of extmaps) {
    const [entry = '', uri] = extmap.split(/\s+/, 2);
    const id = Number(/^(\d{1,2})(?:\/(?:sendrecv|recvonly))?$/.exec(entry)?.[1]);
    if (uri === PLAYOUT_DELAY && id >= 1 && id <= LAST_ID) return id;
  }
  return undefined;
}

const extension = (id: number, most: number): Buffer =>
  // The least and the most delay in units of 10 ms, of 12 bits each.
  Buffer.from([0xbe, 0xde, 0, 1, (id << 4) | 2, 0, most >> 8, most & 0xff]);

/** The extension of a packet whose picture is to be shown at once. */
export const shownAtOnce = (id: number): Buffer => extension(id, 0);

/** The extension of a packet whose picture may wait as long as the receiver finds it useful: 10 s, as without the extension. */
export const shownEvenly = (id: number): Buffer => extension(id, 1_000);
