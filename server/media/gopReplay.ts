import type { VideoPacket } from './h264Source.ts';

/** Packets of the camera that are sent at once: a browser's receive buffer holds 50 to 90, more would be lost. */
const SLICE = 32;
/** Pause behind each, in milliseconds, so that the browser can empty its buffer, and decode meanwhile. */
const PAUSE_MS = 1;
/** Pause behind the first picture, so that it is decoded before the rest comes: on two cores it is shown 5 ms sooner. */
const FIRST_PAUSE_MS = 15;

export interface GopReplayOptions {
  /** The group of pictures as it stands now: a longer list, or another one after a key frame. */
  readonly recent: () => readonly VideoPacket[];
  /** The viewer has seen these pictures, or should have: their timestamps have to be new. */
  readonly again: boolean;
  /** @param repeats the timestamp belongs to a picture that was sent before. */
  readonly send: (packet: VideoPacket, repeats: boolean) => void;
  /** The viewer stands where the camera stands; `isComplete` is false when it has to wait for a key frame. */
  readonly onDone: (isComplete: boolean) => void;
}

/** Sends a group of pictures in slices, and what the camera adds to it meanwhile, until nothing is left. */
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

  /** The camera added a packet to the group, or began another one. */
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
      // A key frame came meanwhile: what is left of the old group is of no use.
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
    // Else the rest of a picture is still to come, and belongs to the same timestamp.
    else if (!this.#repeats || recent.at(-1)!.marker) this.#finish(true);
  }

  #finish(isComplete: boolean): void {
    this.#isStopped = true;
    this.#options.onDone(isComplete);
  }
}
