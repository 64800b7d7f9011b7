/** Most packets that wait while an earlier one is missing. */
const WINDOW = 16;
/** How long the oldest of them waits, in milliseconds: more would be visible as delay. */
const HOLD_MS = 60;
/** A larger step of the sequence numbers means that the camera restarted its stream. */
const FAR = 512;

interface Held {
  readonly sequence: number;
  readonly packet: Buffer;
  readonly at: number;
}

/**
 * Puts RTP packets that came over UDP back into the camera's order. It needs no timer: it gives up a missing packet
 * when a later one finds the window full or too old.
 */
export class ReorderWindow {
  readonly #deliver: (packet: Buffer) => void;
  #next: number | undefined;
  /** In order of their sequence numbers. */
  #held: Held[] = [];

  constructor(deliver: (packet: Buffer) => void) {
    this.#deliver = deliver;
  }

  /** Takes a packet as it arrives. @param now milliseconds of a monotonic clock. */
  push(packet: Buffer, now: number): void {
    if (packet.length < 4) return;
    const sequence = packet.readUInt16BE(2);
    const ahead = this.#next === undefined ? 0 : ((sequence - this.#next) << 16) >> 16;
    const isAnew = Math.abs(ahead) > FAR;
    // Late or twice.
    if (ahead < 0 && !isAnew) return;
    if (isAnew) this.#flush();
    if (isAnew || ahead === 0) this.#pass(sequence, packet);
    else this.#hold({ sequence, packet, at: now });
    while (this.#isOver(now)) this.#passFirst();
    while (this.#held[0]?.sequence === this.#next && this.#held.length > 0) this.#passFirst();
  }

  #isOver(now: number): boolean {
    const oldest = this.#held[0];
    if (oldest === undefined) return false;
    return this.#held.length > WINDOW || this.#held.some(({ at }) => now - at > HOLD_MS);
  }

  #hold(held: Held): void {
    const distance = ({ sequence }: Held): number => (sequence - this.#next!) & 0xffff;
    const at = this.#held.findIndex((other) => distance(other) >= distance(held));
    if (at < 0) this.#held.push(held);
    else if (this.#held[at]!.sequence !== held.sequence) this.#held.splice(at, 0, held);
  }

  #flush(): void {
    while (this.#held.length > 0) this.#passFirst();
  }

  #passFirst(): void {
    const first = this.#held.shift()!;
    this.#pass(first.sequence, first.packet);
  }

  #pass(sequence: number, packet: Buffer): void {
    this.#next = (sequence + 1) & 0xffff;
    this.#deliver(packet);
  }
}
