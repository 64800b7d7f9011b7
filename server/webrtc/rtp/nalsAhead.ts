import { isPps, isSps, NAL_DELIMITER, NAL_SEI } from './h264.ts';

/** Most bytes and NAL units that wait for the picture they belong to. */
const MOST_BYTES = 16 * 1024;
const MOST_NALS = 32;
const SEI_RECOVERY_POINT = 6;

/** NAL units that wait for the picture they come before: parameter sets, delimiters, SEI. */
export class NalsAhead {
  #nals: Buffer[] = [];
  #bytes = 0;

  get isEmpty(): boolean {
    return this.#nals.length === 0;
  }

  /** Whether one of them says that decoding can begin with the picture. */
  get hasRecoveryPoint(): boolean {
    return this.#nals.some(isRecoveryPoint);
  }

  /** Copies one more; drops it when too much waits. */
  push(nal: Buffer): void {
    if (this.#nals.length >= MOST_NALS || this.#bytes + nal.length > MOST_BYTES) return;
    this.#nals.push(Buffer.from(nal));
    this.#bytes += nal.length;
  }

  /** All of them; nothing waits any more. */
  take(): Buffer[] {
    const nals = this.#nals;
    this.#nals = [];
    this.#bytes = 0;
    return nals;
  }

  /** As `take`, with these parameter sets in place of their own: after the one delimiter, before all else. */
  takeAround(sets: readonly Buffer[]): Buffer[] {
    const others = this.take().filter((nal) => !isSet(nal));
    const delimiters = others.filter(isDelimiter).slice(0, 1);
    const infos = others.filter((nal) => !isDelimiter(nal));
    return [...delimiters, ...sets, ...infos];
  }
}

/** Whether it is a parameter set. */
export const isSet = (nal: Buffer): boolean => isSps(nal) || isPps(nal);
const isDelimiter = (nal: Buffer): boolean => (nal[0]! & 0x1f) === NAL_DELIMITER;

/** Whether an SEI says that decoding can begin here (ITU-T H.264 annex D.2.8); only its first message is read. */
const isRecoveryPoint = (nal: Buffer): boolean =>
  (nal[0]! & 0x1f) === NAL_SEI && nal[1] === SEI_RECOVERY_POINT;
