import { defaultMediaLimits } from '../../video/limits.ts';
import { type Feed, Viewer } from '../../video/viewer.ts';
import { parseOffer } from '../../webrtc/offer.ts';
import type { PageShared } from './page/pageLink.ts';

/** The viewers of a call in the kiosk page: one of the remote party's picture, one of our own. */
export class CallViewers {
  readonly #shared: PageShared;
  readonly #viewers = new Map<'remote' | 'local', Viewer>();

  constructor(shared: PageShared) {
    this.#shared = shared;
  }

  /** Replaces the previous viewer. @returns the SDP answer. @throws FaceplateError INVALID_REQUEST. */
  show(which: 'remote' | 'local', feed: Feed, sdp: string): string {
    const offer = parseOffer(sdp);
    const { socket, certificate } = this.#shared;
    const viewer: Viewer = new Viewer({
      feed,
      socket,
      certificate,
      offer,
      limits: defaultMediaLimits,
      onFirstFrame: () => {},
      onGone: () => {
        if (this.#viewers.get(which) === viewer) this.#viewers.delete(which);
      },
    });
    this.#viewers.get(which)?.close();
    this.#viewers.set(which, viewer);
    return viewer.open();
  }

  /** Call it every second: removes viewers that are gone, sends sender reports. */
  tick(): void {
    for (const viewer of [...this.#viewers.values()]) viewer.tick(performance.now());
  }

  close(): void {
    for (const viewer of this.#viewers.values()) viewer.close();
    this.#viewers.clear();
  }
}
