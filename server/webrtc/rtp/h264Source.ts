import { aggregate, isPps, isSps, splitPayload, startsIdrPicture, wholeNals } from './h264.ts';
import { type PictureSize, parameterSetId, parseSpsSize } from './h264Sps.ts';
import { Refragmenter, type SmallPayload } from './refragmenter.ts';
import type { RtpPacket } from './rtpPacket.ts';

/** One payload on its way to the viewers, of at most PAYLOAD_LIMIT bytes. */
export interface VideoPacket {
  readonly payload: Buffer;
  readonly timestamp: number;
  readonly marker: boolean;
  /** A new viewer can start here. */
  readonly startsKeyFrame: boolean;
  /** Current viewers already have it: only for viewers that start here. */
  readonly isRepeated: boolean;
}

const plain = (small: SmallPayload): VideoPacket => ({
  payload: small.payload,
  timestamp: small.timestamp,
  marker: small.marker,
  startsKeyFrame: false,
  isRepeated: false,
});

/** Most parameter sets remembered per camera; streams have one or two of each. */
const MAX_SETS = 16;
const MAX_SET_LENGTH = 1024;

/**
 * Watches a camera's H.264 for key frames and puts the parameter sets (SPS, PPS) in front of them: the latest in-band
 * ones, else those of the description. Many cameras send them only once, or never. Large payloads are split here, once
 * for all viewers.
 */
export class H264Source {
  readonly #sets = new Map<string, Buffer>();
  readonly #refragmenter = new Refragmenter();
  #size: PictureSize | undefined;
  #setsSeenInBand = false;
  #keyTimestamp: number | undefined;

  /** @param parameterSets from the camera's description. */
  constructor(parameterSets: readonly Buffer[]) {
    for (const nal of parameterSets) this.#remember(nal);
  }

  /** Picture size by the latest SPS. */
  get size(): PictureSize | undefined {
    return this.#size;
  }

  /** @returns the packet in small payloads, preceded by the parameter sets if it starts a key frame. */
  push(packet: RtpPacket): VideoPacket[] {
    const held = this.#refragmenter.release(packet);
    const parts = this.#refragmenter.push(packet).map(plain);
    const sets = this.#setsOfKeyFrame(packet);
    if (held === undefined && sets === undefined) return parts;
    const [first, ...others] = [...(sets ?? []), ...parts];
    if (first === undefined) return held === undefined ? [] : [plain(held)];
    const marked = { ...first, startsKeyFrame: sets !== undefined };
    return held === undefined ? [marked, ...others] : [plain(held), marked, ...others];
  }

  /** The known parameter sets that must precede a key frame that starts here; undefined if none starts. */
  #setsOfKeyFrame({ payload, timestamp }: RtpPacket): VideoPacket[] | undefined {
    for (const nal of wholeNals(payload)) {
      if (isSps(nal) || isPps(nal)) {
        this.#remember(nal);
        this.#setsSeenInBand = true;
      }
    }
    // A key frame of several slices starts only once.
    if (!startsIdrPicture(payload) || timestamp === this.#keyTimestamp) return undefined;
    this.#keyTimestamp = timestamp;
    const isRepeated = this.#setsSeenInBand;
    this.#setsSeenInBand = false;
    const sets = this.#inOrder();
    if (sets.length === 0) return [];
    const parts = splitPayload(aggregate(sets));
    return parts.map((part) => ({ ...plain({ payload: part, timestamp, marker: false }), isRepeated }));
  }

  #remember(nal: Buffer): void {
    const sps = isSps(nal);
    if ((!sps && !isPps(nal)) || nal.length > MAX_SET_LENGTH) return;
    const key = `${sps ? 'sps' : 'pps'}${parameterSetId(nal, sps)}`;
    const known = this.#sets.get(key);
    if (known?.equals(nal) === true || (known === undefined && this.#sets.size >= MAX_SETS)) return;
    // A copy, because we may not keep the packet's buffer.
    this.#sets.set(key, Buffer.from(nal));
    if (sps) this.#size = parseSpsSize(nal) ?? this.#size;
  }

  /** A PPS refers to its SPS, so the SPS come first. */
  #inOrder(): Buffer[] {
    const sets = [...this.#sets.values()];
    return [...sets.filter(isSps), ...sets.filter(isPps)];
  }
}
