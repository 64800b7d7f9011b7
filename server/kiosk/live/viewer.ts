import type { Peer } from '../../contract/command.ts';
import type { Clock } from '../../platform/clock.ts';
import type { PageSize } from '../host.ts';

/** Pictures of one viewer are at least this far apart, in milliseconds: ten a second. */
export const PICTURE_EVERY_MS = 100;

export interface LivePicture {
  readonly jpeg: Uint8Array;
  readonly size: PageSize;
}

/**
 * Sends one viewer its pictures: the newest one whenever it has taken the one before, so that a slow viewer sees fewer
 * pictures instead of late ones.
 */
export class Viewer {
  readonly #peer: Peer;
  readonly #clock: Clock;
  #size: PageSize = { width: 0, height: 0 };
  #newest: LivePicture | undefined;
  #isTaking = false;
  #nextAt = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | undefined;

  constructor(peer: Peer, clock: Clock) {
    this.#peer = peer;
    this.#clock = clock;
  }

  show(picture: LivePicture): void {
    this.#newest = picture;
    this.#send();
  }

  /** Nothing is sent any more. */
  stop(): void {
    this.#newest = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #send(): void {
    if (this.#newest === undefined || this.#isTaking || this.#cancel !== undefined) return;
    const wait = this.#nextAt - this.#clock.now();
    if (wait > 0) {
      this.#cancel = this.#clock.after(wait, () => {
        this.#cancel = undefined;
        this.#send();
      });
      return;
    }
    const { jpeg, size } = this.#newest;
    this.#newest = undefined;
    this.#nextAt = this.#clock.now() + PICTURE_EVERY_MS;
    this.#isTaking = true;
    if (size.width !== this.#size.width || size.height !== this.#size.height) {
      this.#size = size;
      const { width, height } = size;
      this.#peer.send(JSON.stringify({ type: 'size', width, height }));
    }
    this.#peer.send(jpeg, () => {
      this.#isTaking = false;
      this.#send();
    });
  }
}
