import type { Identity } from '../../commands/access.ts';

/** Why a stream is ended by the panel: its token is no longer valid, or the service stops. */
export type EndReason = 'revoked' | 'stopping';

/** The answers that stay open, and whose they are: event streams, feeds, sockets. */
export class OpenStreams {
  readonly #open = new Map<(why: EndReason) => void, string>();

  /** Notes one. @returns the function that forgets it, for when its caller has left */
  add(identity: Identity, end: (why: EndReason) => void): () => void {
    this.#open.set(end, identity.id);
    return () => this.#open.delete(end);
  }

  /** Ends those of one token. */
  endOf(id: string): void {
    this.#end((holder) => holder === id, 'revoked');
  }

  /** Ends all of them. */
  endAll(): void {
    this.#end(() => true, 'stopping');
  }

  #end(which: (holder: string) => boolean, why: EndReason): void {
    for (const [end, holder] of this.#open) {
      if (!which(holder)) continue;
      this.#open.delete(end);
      end(why);
    }
  }
}
