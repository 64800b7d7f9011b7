import { createHash } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import type { CodedPicture } from '../../kiosk/glass/contract.ts';
import { aggregated, FU_A, FU_START, isSps, STAP_A } from '../../webrtc/rtp/h264.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { type PictureSize, parseSpsSize } from '../../webrtc/rtp/h264Sps.ts';
import type { PictureGroup } from '../media/gop.ts';

/** Most bytes of a picture of a camera. */
export const MAX_PICTURE = 8 * 2 ** 20;
/** Most pixels that are decoded: memory for them is taken at once. */
const MAX_PIXELS = 64_000_000;
/** Widths of one picture that are remembered. */
const MAX_WIDTHS = 8;

/** Makes a JPEG of a picture. @throws FaceplateError */
export type Decode = (picture: CodedPicture) => Promise<Uint8Array>;

/** What a camera sent: a key frame, or a JPEG. */
export class Picture {
  readonly kind: CodedPicture['kind'];
  readonly bytes: Uint8Array;
  readonly size: PictureSize;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
  readonly #made = new Map<number | undefined, Promise<Uint8Array>>();

  constructor(kind: Picture['kind'], bytes: Uint8Array, size: PictureSize, takenAt: number) {
    if (size.width * size.height > MAX_PIXELS)
      throw new FaceplateError('TOO_LARGE', "The camera's picture has more than 64 million pixels.");
    this.kind = kind;
    this.bytes = bytes;
    this.size = size;
    this.takenAt = takenAt;
  }

  /**
   * The picture as a JPEG: the camera's own where that is narrow enough, or where nothing here can make it smaller. Each width is
   * made once.
   * @throws FaceplateError as `decode`
   */
  asJpeg(width: number | undefined, decode: Decode): Promise<Uint8Array> {
    const most = width !== undefined && width < this.size.width ? width : undefined;
    const known = this.#made.get(most);
    if (known !== undefined) return known;
    const made = this.#make(most, decode);
    this.#made.set(most, made);
    if (this.#made.size > MAX_WIDTHS) this.#made.delete(this.#made.keys().next().value);
    // The next caller tries again.
    made.catch(() => this.#made.get(most) === made && this.#made.delete(most));
    return made;
  }

  async #make(most: number | undefined, decode: Decode): Promise<Uint8Array> {
    const { kind, bytes } = this;
    if (kind === 'jpeg' && most === undefined) return bytes;
    try {
      return await decode({ kind, bytes, width: most });
    } catch (error) {
      const isMissing = error instanceof FaceplateError && error.code === 'UNSUPPORTED_HARDWARE';
      if (kind === 'jpeg' && isMissing) return bytes;
      throw error;
    }
  }
}

/** Names a state of a picture (RFC 9110 section 8.8.3). */
export function etagOf(jpeg: Uint8Array): string {
  return `"${createHash('sha256').update(jpeg).digest('base64url').slice(0, 22)}"`;
}

/** A JPEG as a camera sends it. @throws FaceplateError CAMERA_PROTOCOL for anything else, TOO_LARGE */
export function jpegPicture(bytes: Buffer, takenAt: number): Picture {
  const size = jpegSize(bytes);
  if (size === undefined) throw new FaceplateError('CAMERA_PROTOCOL', 'The camera sent no JPEG there.');
  return new Picture('jpeg', bytes, size, takenAt);
}

const START_OF_IMAGE = 0xd8;
const START_OF_SCAN = 0xda;

/** The size in the frame header of a JPEG (ITU-T T.81 annex B); undefined for anything else. */
export function jpegSize(bytes: Buffer): PictureSize | undefined {
  if (bytes.length < 4 || bytes[0] !== 0xff || bytes[1] !== START_OF_IMAGE) return undefined;
  for (let at = 2; at + 9 <= bytes.length; ) {
    if (bytes[at] !== 0xff) return undefined;
    const marker = bytes[at + 1]!;
    // Fill bytes may stand before a marker.
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === START_OF_SCAN) return undefined;
    // SOF0 to SOF15 without DHT, JPG and DAC, which lie between them.
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)) {
      const [height, width] = [bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 7)];
      return width > 0 && height > 0 ? { width, height } : undefined;
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

/** Packets of the key frame at the start of a group of pictures; undefined while it is not complete. */
export function keyFrameOf(recent: PictureGroup): readonly VideoPacket[] | undefined {
  const packets: VideoPacket[] = [];
  for (let index = 0; index < recent.length; index++) {
    const packet = recent.at(index)!;
    if (packet.timestamp !== (packets[0] ?? packet).timestamp) return undefined;
    packets.push(packet);
    if (packet.marker) return packets;
  }
  return undefined;
}

const START = Buffer.from([0, 0, 0, 1]);

/** A key frame as a byte stream (ITU-T H.264 annex B). @throws FaceplateError CAMERA_PROTOCOL, TOO_LARGE */
export function keyFramePicture(packets: readonly VideoPacket[], takenAt: number): Picture {
  const parts: Buffer[] = [];
  let size: PictureSize | undefined;
  const add = (nal: Buffer): void => {
    if (isSps(nal)) size = parseSpsSize(nal) ?? size;
    parts.push(START, nal);
  };
  for (const { payload } of packets) {
    const type = payload[0]! & 31;
    if (type === STAP_A) for (const nal of aggregated(payload)) add(nal);
    else if (type !== FU_A) add(payload);
    else if ((payload[1]! & FU_START) === 0) parts.push(payload.subarray(2));
    else parts.push(START, Buffer.from([(payload[0]! & 0xe0) | (payload[1]! & 31)]), payload.subarray(2));
  }
  if (size === undefined)
    throw new FaceplateError('CAMERA_PROTOCOL', "The camera's key frame says nothing of its size.");
  return new Picture('h264', Buffer.concat(parts), size, takenAt);
}
