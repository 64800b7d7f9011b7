import {
  fragmentsFit,
  isFragment,
  isLastFragment,
  joinFragments,
  PAYLOAD_LIMIT,
  splitPayload,
} from './h264.ts';
import type { RtpPacket } from './rtpPacket.ts';

/** A payload of at most PAYLOAD_LIMIT bytes. */
export interface SmallPayload {
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
