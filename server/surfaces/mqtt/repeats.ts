import { hash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';

/** How long a command is remembered, in milliseconds. */
const REMEMBERED_MS = 60_000;
/** Beyond so many the oldest are forgotten earlier, about 10 MiB. */
const MOST_REMEMBERED = 100_000;

/** Commands of the last minute that carried correlation data: a sender that repeats one does not mean it twice. */
export class Repeats {
  readonly #clock: Clock;
  /** Oldest first. */
  readonly #seen = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Remembers the command. @returns whether it was there within the last minute */
  note(command: string, responseTopic: string | undefined, correlationData: Buffer | undefined): boolean {
    if (correlationData === undefined) return false;
    const now = this.#clock.now();
    for (const [key, at] of this.#seen) {
      if (now - at < REMEMBERED_MS && this.#seen.size <= MOST_REMEMBERED) break;
      this.#seen.delete(key);
    }
    const sender = Buffer.from(`${command}\0${responseTopic ?? ''}\0`);
    const key = hash('sha1', Buffer.concat([sender, correlationData]), 'base64');
    if (this.#seen.has(key)) return true;
    this.#seen.set(key, now);
    return false;
  }
}
