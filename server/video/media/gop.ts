import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';

/** Most bytes and RTP ticks (90 kHz) of a stored group. */
const BYTE_LIMIT = 8 * 1024 * 1024;
const TICK_LIMIT = 10 * 90_000;
/** Memory is taken in pieces of so many bytes: a group at 4 Mbit/s needs four. */
const PIECE_BYTES = 256 * 1024;

/**
 * Everything since the last key frame, so that a new viewer has a picture at once. The next group reuses the memory of the
 * last: new memory for each packet would be work for the garbage collector.
 */
export class GopCache {
  #packets: VideoPacket[] = [];
  #bytes = 0;
  readonly #pieces: Buffer[] = [];
  /** The piece that is being filled, and how far it is. */
  #piece = 0;
  #filled = 0;

  /**
   * Empty before the first key frame, and once the group exceeds the limits. It is another array with the next group, and
   * the payloads of this one are overwritten then.
   */
  get packets(): readonly VideoPacket[] {
    return this.#packets;
  }

  add(packet: VideoPacket): void {
    if (packet.startsKeyFrame) this.clear();
    else if (this.#packets.length === 0) return;
    const first = this.#packets[0]?.timestamp ?? packet.timestamp;
    // As a signed difference: a timestamp that steps back is not four hours ahead.
    const ticks = (packet.timestamp - first) | 0;
    if (this.#bytes + packet.payload.length > BYTE_LIMIT || Math.abs(ticks) > TICK_LIMIT) {
      this.clear();
      return;
    }
    // A copy: the payload is a view of a socket chunk that may hold much more.
    const { timestamp, marker, startsKeyFrame } = packet;
    const payload = this.#keep(packet.payload);
    this.#packets.push({ payload, timestamp, marker, startsKeyFrame });
    this.#bytes += packet.payload.length;
  }

  clear(): void {
    this.#packets = [];
    this.#bytes = 0;
    // Frees the pieces that the last group did not need: an unusually large one before it did.
    if (this.#filled > 0) this.#pieces.length = this.#piece + 1;
    this.#piece = 0;
    this.#filled = 0;
  }

  #keep(payload: Buffer): Buffer {
    if (payload.length > PIECE_BYTES) return Buffer.from(payload);
    if (this.#filled + payload.length > PIECE_BYTES) {
      this.#piece++;
      this.#filled = 0;
    }
    this.#pieces[this.#piece] ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    const piece = this.#pieces[this.#piece]!;
    const kept = piece.subarray(this.#filled, this.#filled + payload.length);
    kept.set(payload);
    this.#filled += payload.length;
    return kept;
  }
}

/** Packets of the camera that are sent at once: a browser's receive buffer holds 50 to 90, more would be lost. */
const SLICE = 32;
/** Pause behind each, in milliseconds, so that the browser can empty its buffer and decode. */
const PAUSE_MS = 1;
/** Pause behind the first picture, so that it is decoded before the rest comes: on two cores it is shown 5 ms sooner. */
const FIRST_PAUSE_MS = 15;

interface GopReplayOptions {
  /** The current group of pictures: a longer list, or another one after a key frame. */
  readonly recent: () => readonly VideoPacket[];
  /** The viewer has seen (or should have seen) these pictures: they need new timestamps. */
  readonly again: boolean;
  /** @param repeats the timestamp belongs to a picture that was sent before. */
  readonly send: (packet: VideoPacket, repeats: boolean) => void;
  /** The viewer has caught up with the camera; `isComplete` is false if it must wait for a key frame. */
  readonly onDone: (isComplete: boolean) => void;
}

/** Sends a group of pictures in slices, including what the camera adds in between, until all is sent. */
export class GopReplay {
  readonly #options: GopReplayOptions;
  #packets: readonly VideoPacket[];
  #next = 0;
  #repeats: boolean;
  #turn: NodeJS.Timeout | undefined;
  #isStopped = false;
  #hasSentPicture = false;

  constructor(options: GopReplayOptions) {
    this.#options = options;
    this.#packets = options.recent();
    this.#repeats = options.again;
  }

  start(): void {
    this.#step();
  }

  /** The camera added a packet to the group, or started a new group. */
  onAppended(): void {
    if (this.#turn === undefined) this.#step();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#turn);
  }

  #step(): void {
    this.#turn = undefined;
    const recent = this.#options.recent();
    if (recent !== this.#packets) {
      // A key frame arrived: the rest of the old group is useless.
      this.#packets = recent;
      this.#next = 0;
      this.#repeats = false;
    }
    const end = Math.min(this.#next + SLICE, recent.length);
    const hadPicture = this.#hasSentPicture;
    while (this.#next < end && !this.#isStopped && this.#hasSentPicture === hadPicture) {
      const packet = recent[this.#next++]!;
      this.#options.send(packet, this.#repeats);
      this.#hasSentPicture ||= packet.marker;
    }
    if (this.#isStopped) return;
    const pause = this.#hasSentPicture === hadPicture ? PAUSE_MS : FIRST_PAUSE_MS;
    if (this.#next < recent.length) this.#turn = setTimeout(() => this.#step(), pause);
    else if (recent.length === 0) this.#finish(false);
    // Otherwise more of the picture will follow with the same timestamp.
    else if (!this.#repeats || recent.at(-1)!.marker) this.#finish(true);
  }

  #finish(isComplete: boolean): void {
    this.#isStopped = true;
    this.#options.onDone(isComplete);
  }
}
