import { crc32 } from 'node:zlib';
import type { Clock } from '../../platform/clock.ts';

/** How many acknowledged messages are remembered; no broker has more of them under way. */
const MOST_REMEMBERED = 1_024;
/** The session ends after a minute without a connection (session expiry), in milliseconds. */
const REMEMBERED_MS = 60_000;

interface Seen {
  readonly digest: number;
  readonly at: number;
}

/** A message with QoS 1 as it arrives. */
interface Arrived {
  readonly topic: string;
  readonly payload: Uint8Array;
  readonly messageId: number;
  readonly isDuplicate: boolean;
}

/**
 * Tells messages that the broker sends once more, because the connection was lost before it had the acknowledgement: they
 * were carried out already.
 */
export class Redelivered {
  readonly #clock: Clock;
  readonly #seen = new Map<number, Seen>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the message. @returns whether it was acknowledged before */
  note({ topic, payload, messageId, isDuplicate }: Arrived): boolean {
    // Not against forgery, and looked at only when the broker itself says that it sends a message again.
    const digest = crc32(payload, crc32(topic));
    const at = this.#clock.now();
    const seen = this.#seen.get(messageId);
    if (isDuplicate && seen?.digest === digest && at - seen.at < REMEMBERED_MS) return true;
    // Deleted first, so that the oldest one stands first.
    this.#seen.delete(messageId);
    this.#seen.set(messageId, { digest, at });
    if (this.#seen.size > MOST_REMEMBERED) this.#seen.delete(this.#seen.keys().next().value!);
    return false;
  }
}
