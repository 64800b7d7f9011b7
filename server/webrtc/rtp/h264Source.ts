import {
  aggregate,
  fragmentsFit,
  isFragment,
  isLastFragment,
  isPps,
  isSps,
  joinFragments,
  PAYLOAD_LIMIT,
  splitPayload,
  startsIdrPicture,
  wholeNals,
} from './h264.ts';
import { type PictureSize, parameterSetId, parseSpsSize } from './h264Sps.ts';
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

/** A payload of at most PAYLOAD_LIMIT bytes. */
interface SmallPayload {
  readonly payload: Buffer;
  readonly timestamp: number;
  readonly marker: boolean;
}

/**
 * Splits a camera's large payloads. Fragments of 1,400 bytes, which most cameras send, are not cut into 1,200 and 200
 * each: the rest of one waits for the next, so that packets stay few and equally long.
 */
export class Refragmenter {
  #held: (SmallPayload & { readonly nextSequence: number }) | undefined;

  /** Call it before `push`. @returns the waiting rest that this packet does not continue. */
  release(packet: RtpPacket): SmallPayload | undefined {
    const held = this.#held;
    if (held === undefined || this.#goesOn(packet)) return undefined;
    this.#held = undefined;
    return held;
  }

  /** @returns the payloads that can be sent now; none if the payload is not H.264. */
  push(packet: RtpPacket): SmallPayload[] {
    // Small already, as most packets are.
    if (this.#held === undefined && packet.payload.length <= PAYLOAD_LIMIT) return [packet];
    const { timestamp, marker, sequence } = packet;
    const held = this.#goesOn(packet) ? this.#held : undefined;
    this.#held = undefined;
    const payload = held === undefined ? packet.payload : joinFragments(held.payload, packet.payload);
    const parts = splitPayload(payload);
    const isHeldBack =
      (parts.length > 1 || held !== undefined) &&
      isFragment(payload) &&
      !isLastFragment(payload) &&
      !marker &&
      parts.at(-1)!.length < PAYLOAD_LIMIT;
    const ready = isHeldBack ? parts.slice(0, -1) : parts;
    if (isHeldBack) {
      const nextSequence = (sequence + 1) & 0xffff;
      this.#held = { payload: parts.at(-1)!, timestamp, marker: false, nextSequence };
    }
    return ready.map((part, index) => ({
      payload: part,
      timestamp,
      marker: marker && index === parts.length - 1,
    }));
  }

  #goesOn({ payload, timestamp, sequence }: RtpPacket): boolean {
    const held = this.#held;
    return (
      held !== undefined &&
      sequence === held.nextSequence &&
      timestamp === held.timestamp &&
      fragmentsFit(held.payload, payload)
    );
  }
}
