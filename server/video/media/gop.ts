import type { VideoPacket } from '../../webrtc/rtp/h264Source.ts';

/** Most bytes, packets and RTP ticks (90 kHz) of a stored group. Packets of the usual size reach the bytes after 7,000. */
const BYTE_LIMIT = 8 * 1024 * 1024;
const PACKET_LIMIT = 32 * 1024;
const TICK_LIMIT = 10 * 90_000;
/** Memory is taken in pieces of so many bytes: a group at 4 Mbit/s needs four. */
const PIECE_BYTES = 256 * 1024;
/** Packets that a table has room for at first: two seconds at 4 Mbit/s. It doubles when it is full. */
const FIRST_PACKETS = 1_024;
/** Numbers of a packet in the table: where its payload is, bytes of that with the marker as the lowest bit, timestamp. */
const NUMBERS = 3;

/** The packets since a key frame; a list of packets is one too. */
export interface PictureGroup {
  readonly length: number;
  /** @param index below 0 counts from the end. @returns undefined where there is none */
  at(index: number): VideoPacket | undefined;
}

/** @returns a packet of the cache, as long as the group is the last one */
type Read = (index: number) => VideoPacket;

class StoredGroup implements PictureGroup {
  length = 0;
  readonly #read: Read;

  constructor(read: Read) {
    this.#read = read;
  }

  at(index: number): VideoPacket | undefined {
    const place = index < 0 ? this.length + index : index;
    return place >= 0 && place < this.length ? this.#read(place) : undefined;
  }
}

/**
 * Everything since the last key frame, so that a new viewer has a picture at once. The next group reuses the memory of the
 * last. Packets are made of it when they are read: an object for each that lives for a group makes the garbage collector go
 * through the whole heap every few seconds, which was a quarter of the CPU with eight cameras.
 */
export class GopCache {
  readonly #read: Read = (index) => this.#packet(index);
  #group = new StoredGroup(this.#read);
  #table = new Uint32Array(0);
  #bytes = 0;
  readonly #pieces: Buffer[] = [];
  /** The piece that is being filled, and how far it is. */
  #piece = 0;
  #filled = 0;

  /**
   * Empty before the first key frame, and once the group exceeds the limits. It is another object with the next group: this
   * one is empty then, and the payloads that were read of it are overwritten.
   */
  get packets(): PictureGroup {
    return this.#group;
  }

  add(packet: VideoPacket): void {
    if (packet.startsKeyFrame) this.clear();
    else if (this.#group.length === 0) return;
    const { length } = packet.payload;
    const first = this.#group.length === 0 ? packet.timestamp : this.#table[2]!;
    // As a signed difference: a timestamp that steps back is not four hours ahead.
    const ticks = (packet.timestamp - first) | 0;
    const isFull = this.#bytes + length > BYTE_LIMIT || this.#group.length >= PACKET_LIMIT;
    // A payload is far smaller than a piece (`VideoPacket`).
    if (isFull || length > PIECE_BYTES || Math.abs(ticks) > TICK_LIMIT) {
      this.clear();
      return;
    }
    const at = this.#group.length * NUMBERS;
    if (at === this.#table.length) this.#growTable();
    this.#table[at] = this.#keep(packet.payload);
    this.#table[at + 1] = length * 2 + (packet.marker ? 1 : 0);
    this.#table[at + 2] = packet.timestamp;
    this.#group.length++;
    this.#bytes += length;
  }

  clear(): void {
    this.#group.length = 0;
    this.#group = new StoredGroup(this.#read);
    this.#bytes = 0;
    // Frees the pieces that the last group did not need: an unusually large one before it did.
    if (this.#filled > 0) this.#pieces.length = this.#piece + 1;
    this.#piece = 0;
    this.#filled = 0;
  }

  #packet(index: number): VideoPacket {
    const at = index * NUMBERS;
    const [place, size] = [this.#table[at]!, this.#table[at + 1]!];
    const from = place % PIECE_BYTES;
    return {
      payload: this.#pieces[Math.floor(place / PIECE_BYTES)]!.subarray(from, from + (size >>> 1)),
      timestamp: this.#table[at + 2]!,
      marker: (size & 1) === 1,
      startsKeyFrame: index === 0,
    };
  }

  #growTable(): void {
    const larger = new Uint32Array(Math.max(FIRST_PACKETS * NUMBERS, this.#table.length * 2));
    larger.set(this.#table);
    this.#table = larger;
  }

  /** Copies a payload, which is a view of a socket chunk. @returns where it is: pieces before it, and bytes in its own */
  #keep(payload: Buffer): number {
    if (this.#filled + payload.length > PIECE_BYTES) {
      this.#piece++;
      this.#filled = 0;
    }
    this.#pieces[this.#piece] ??= Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#pieces[this.#piece]!.set(payload, this.#filled);
    const place = this.#piece * PIECE_BYTES + this.#filled;
    this.#filled += payload.length;
    return place;
  }
}

/** Packets of the camera that are sent at once: a browser's receive buffer holds 50 to 90, more would be lost. */
const SLICE = 32;
/** Pause behind each, in milliseconds, so that the browser can empty its buffer and decode. */
const PAUSE_MS = 1;
/** Pause behind the first picture, so that it is decoded before the rest comes: on two cores it is shown 5 ms sooner. */
const FIRST_PAUSE_MS = 15;

interface GopReplayOptions {
  /** The current group of pictures: a longer one, or another one after a key frame. */
  readonly recent: () => PictureGroup;
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
  #packets: PictureGroup;
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
      const packet = recent.at(this.#next++)!;
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
