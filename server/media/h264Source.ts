import { aggregate, isPps, isSps, splitPayload, startsIdrPicture, wholeNals } from './rtp/h264.ts';
import { type PictureSize, parameterSetId, parseSpsSize } from './rtp/h264Sps.ts';
import { Refragmenter, type SmallPayload } from './rtp/refragmenter.ts';
import type { RtpPacket } from './rtp/rtpPacket.ts';

/** One payload on its way to the viewers, of at most PAYLOAD_LIMIT bytes. */
export interface VideoPacket {
  readonly payload: Buffer;
  readonly timestamp: number;
  readonly marker: boolean;
  /** A viewer that has seen nothing yet can begin here. */
  readonly startsKeyFrame: boolean;
  /** Known to everyone who is already watching: only for those who begin here. */
  readonly isRepeated: boolean;
}

const plain = (small: SmallPayload): VideoPacket => ({
  payload: small.payload,
  timestamp: small.timestamp,
  marker: small.marker,
  startsKeyFrame: false,
  isRepeated: false,
});

/** Parameter sets remembered of one camera; streams have one or two of each. */
const MAX_SETS = 16;
const MAX_SET_LENGTH = 1024;

/**
 * Watches a camera's H.264 for key frames and puts the parameter sets (SPS, PPS) in front of them: the latest that came
 * in-band, else those of the description. Many cameras send them only once, or not at all. Large payloads are made small
 * here, once for all viewers.
 */
export class H264Source {
  readonly #sets = new Map<string, Buffer>();
  readonly #refragmenter = new Refragmenter();
  #size: PictureSize | undefined;
  #setsSeenInBand = false;
  #keyTimestamp: number | undefined;

  /** @param parameterSets of the camera's description. */
  constructor(parameterSets: readonly Buffer[]) {
    for (const nal of parameterSets) this.#remember(nal);
  }

  /** Picture size by the latest SPS. */
  get size(): PictureSize | undefined {
    return this.#size;
  }

  /** @returns the packet in small payloads, behind the parameter sets where it begins a key frame. */
  push(packet: RtpPacket): VideoPacket[] {
    const held = this.#refragmenter.release(packet);
    const parts = this.#refragmenter.push(packet).map(plain);
    const sets = this.#setsOfKeyFrame(packet);
    const [first, ...others] = [...(sets ?? []), ...parts];
    if (first === undefined) return held === undefined ? [] : [plain(held)];
    const marked = { ...first, startsKeyFrame: sets !== undefined };
    return held === undefined ? [marked, ...others] : [plain(held), marked, ...others];
  }

  /** The parameter sets that have to precede a key frame which begins here, if any are known; undefined where none begins. */
  #setsOfKeyFrame({ payload, timestamp }: RtpPacket): VideoPacket[] | undefined {
    for (const nal of wholeNals(payload)) {
      if (isSps(nal) || isPps(nal)) {
        this.#remember(nal);
        this.#setsSeenInBand = true;
      }
    }
    // A key frame of several slices begins once.
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
    // A copy: the packet's buffer is not ours to keep.
    this.#sets.set(key, Buffer.from(nal));
    if (sps) this.#size = parseSpsSize(nal) ?? this.#size;
  }

  /** A PPS refers to its SPS, so the SPS come first. */
  #inOrder(): Buffer[] {
    const sets = [...this.#sets.values()];
    return [...sets.filter(isSps), ...sets.filter(isPps)];
  }
}
