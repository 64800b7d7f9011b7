import type { VideoPacket } from '../webrtc/rtp/h264Source.ts';

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
