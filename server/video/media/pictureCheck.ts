import { isPps, isSps, wholeNals } from '../../webrtc/rtp/h264.ts';
import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';
import { parsePps, parseSpsSize } from '../../webrtc/rtp/h264Sps.ts';
import type { PictureGroup } from './gop.ts';

/** Why a viewer has no picture. */
export type PictureFault =
  /** No key frame came. */
  | 'noKeyFrame'
  /** Key frames came, without the parameter sets that they need. */
  | 'noParameterSets'
  /** Parts of each key frame are missing, or its end. */
  | 'incomplete';

/** A key frame that is not complete. */
interface KeyFrame {
  readonly timestamp: number;
  /** Packets that were missing when it began. */
  readonly lost: number;
  hasSps: boolean;
  hasPps: boolean;
}

/**
 * Checks whether the packets to a viewer are pictures. The first picture is a whole key frame with usable parameter sets in
 * front and a marker at its end. After it, each whole picture counts.
 */
export class PictureCheck {
  #keyFrame: KeyFrame | undefined;
  #hasPicture = false;
  #fault: PictureFault | undefined = 'noKeyFrame';
  #keyFrames = 0;

  /** Why there is no picture; undefined once there is one. */
  get fault(): PictureFault | undefined {
    return this.#fault;
  }

  /** Key frames that began. */
  get keyFrames(): number {
    return this.#keyFrames;
  }

  /**
   * Takes the next packet. @param lost packets of the camera that are missing so far
   * @returns whether it is the end of a picture that a browser can decode
   */
  add({ payload, timestamp, marker, startsKeyFrame }: VideoPacket, lost = 0): boolean {
    if (startsKeyFrame) {
      this.#keyFrames++;
      // The one before never ended.
      if (this.#keyFrame !== undefined) this.#miss('incomplete');
      this.#keyFrame = { timestamp, lost, hasSps: false, hasPps: false };
    }
    const key = this.#keyFrame;
    if (key === undefined) return marker && this.#hasPicture;
    if (key.timestamp !== timestamp) {
      this.#keyFrame = undefined;
      this.#miss('incomplete');
      return false;
    }
    // Only what comes before the picture counts.
    if (!key.hasSps || !key.hasPps) this.#readSets(payload, key);
    if (!marker) return false;
    this.#keyFrame = undefined;
    if (!key.hasSps || !key.hasPps) return this.#miss('noParameterSets');
    if (lost !== key.lost) return this.#miss('incomplete');
    this.#hasPicture = true;
    this.#fault = undefined;
    return true;
  }

  /** Notes a gap: only a key frame is a picture again. */
  restart(): void {
    this.#keyFrame = undefined;
    this.#miss('noKeyFrame');
  }

  #miss(fault: PictureFault): false {
    this.#hasPicture = false;
    this.#fault = fault;
    return false;
  }

  #readSets(payload: Buffer, key: KeyFrame): void {
    for (const nal of wholeNals(payload)) {
      if (isSps(nal)) key.hasSps ||= parseSpsSize(nal) !== undefined;
      else if (isPps(nal)) key.hasPps ||= parsePps(nal) !== undefined;
    }
  }
}

/** The packets of a group of pictures among which its SPS is. */
const FIRST = 4;

/**
 * The profile-level-id of a stream, six hex digits, by its SPS; undefined while none is known.
 * @param recent its last group of pictures
 * @param sets those of its description
 */
export function profileOf(recent: PictureGroup, sets: readonly Buffer[]): string | undefined {
  const first = Array.from({ length: Math.min(recent.length, FIRST) }, (_, index) => recent.at(index)!);
  const sent = first.flatMap(({ payload }) => [...wholeNals(payload)]);
  return [...sent, ...sets].find((nal) => isSps(nal) && nal.length > 3)?.toString('hex', 1, 4);
}
