import type { Identity } from '../../contract/identity.ts';

/** Why a stream is ended by the panel: its token is no longer valid, or the service stops. */
export type EndReason = 'revoked' | 'stopping';

/** The answers that stay open, and whose they are: event streams, feeds, sockets. */
export class OpenStreams {
  readonly #open = new Map<(why: EndReason) => void, Identity>();
  /** Tokens that ended: a stream that was asked for before, and begins only now, ends at once. */
  readonly #ended = new WeakSet<Identity>();

  /** Notes one. @returns the function that forgets it, for when its caller has left */
  add(identity: Identity, end: (why: EndReason) => void): () => void {
    if (this.#ended.has(identity)) end('revoked');
    else this.#open.set(end, identity);
    return () => this.#open.delete(end);
  }

  /** Ends those of one token. @param identity the very object that callers with this token got */
  endOf(identity: Identity): void {
    this.#ended.add(identity);
    this.#end((holder) => holder === identity, 'revoked');
  }

  /** Ends all of them. */
  endAll(): void {
    this.#end(() => true, 'stopping');
  }

  #end(which: (holder: Identity) => boolean, why: EndReason): void {
    for (const [end, holder] of this.#open) {
      if (!which(holder)) continue;
      this.#open.delete(end);
      end(why);
    }
  }
}
