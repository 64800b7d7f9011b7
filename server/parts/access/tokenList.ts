import { hash, randomBytes } from 'node:crypto';
import type { Scope } from '../../contract/access.ts';
import type { KeptToken } from './contract.ts';

/** A caller as a token names it. Each token has one object for as long as it is valid: the object represents it. */
export interface Holder {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Names of the commands that it opens alone; it has no scopes then. */
  readonly commands?: readonly string[];
  /** Whether the token was made by the code that the first set-up shows: it may set the first PIN. */
  readonly isFromSetup?: true;
}

/** The owner's token, which has its own file or setting. */
export interface OwnerToken {
  /** In constant time. */
  matches(candidate: string): boolean;
  /** When it was made, in milliseconds since 1970. */
  readonly madeAt: number;
}

/** Characters of a token that the panel makes: 32 random bytes in base64url. */
const TOKEN_CHARS = 43;

/** When and from where a token was used last; null before its first use. */
export interface LastUse {
  /** Milliseconds since 1970. */
  at: number | null;
  address: string | null;
}

/** A named token in use. */
export interface NamedToken {
  kept: KeptToken;
  readonly use: LastUse;
  /** Milliseconds since 1970; null: it stays valid. */
  readonly expiresAt: number | null;
  holder: Holder;
  /** Whether it was noticed that it has expired. */
  isOver: boolean;
}

/** @returns a new token and its SHA-256. 256 random bits cannot be guessed, so they need no slow hash. */
export function makeToken(): { readonly id: string; readonly token: string; readonly hash: string } {
  const token = randomBytes(32).toString('base64url');
  return { id: randomBytes(8).toString('hex'), token, hash: digestOf(token) };
}

/**
 * The named tokens by their digest. Finding one costs one SHA-256, however many there are. The time of the search in
 * the map reveals something about digests only, and no one can choose the digest of a text.
 */
export class TokenList {
  #byDigest = new Map<string, NamedToken>();

  /** Takes what is stored. Of tokens that are known already, holder and use stay. */
  set(tokens: readonly KeptToken[]): void {
    const known = new Map(this.all.map((token) => [token.kept.id, token]));
    for (const kept of tokens) {
      const token = known.get(kept.id) ?? inUse(kept);
      token.kept = kept;
      known.set(kept.id, token);
    }
    this.#byDigest = new Map(tokens.map(({ hash, id }) => [hash, known.get(id)!]));
  }

  /** The token of this text; undefined for a wrong one. A text of another length is not hashed at all. */
  find(text: string): NamedToken | undefined {
    return text.length === TOKEN_CHARS ? this.#byDigest.get(digestOf(text)) : undefined;
  }

  byId(id: string): NamedToken | undefined {
    return this.all.find(({ kept }) => kept.id === id);
  }

  get all(): readonly NamedToken[] {
    return [...this.#byDigest.values()];
  }
}

function inUse(kept: KeptToken): NamedToken {
  const { id, name, scopes, commands, expiresAt, isFromSetup } = kept;
  return {
    kept,
    use: useOf(kept),
    expiresAt: expiresAt === null ? null : Date.parse(expiresAt),
    holder: { id, name, scopes, ...(commands && { commands }), ...(isFromSetup && { isFromSetup }) },
    isOver: false,
  };
}

/** Ids of the tokens that were made with this one, and with those, and so on. */
export function descendants(tokens: readonly KeptToken[], id: string): string[] {
  const found = new Set([id]);
  for (let before = 0; before < found.size; ) {
    before = found.size;
    for (const { id: one, by } of tokens) if (by !== null && found.has(by)) found.add(one);
  }
  found.delete(id);
  return [...found];
}

/** The others. What was made with one that is left out counts as made by its maker, so that no chain breaks. */
export function without(tokens: readonly KeptToken[], ids: ReadonlySet<string>): KeptToken[] {
  const makers = new Map(tokens.map(({ id, by }) => [id, by]));
  return tokens
    .filter(({ id }) => !ids.has(id))
    .map((token) => {
      let { by } = token;
      // A file that somebody wrote may have a circle.
      for (let hops = 0; by !== null && ids.has(by) && hops < tokens.length; hops++)
        by = makers.get(by) ?? null;
      return by === token.by ? token : { ...token, by };
    });
}

/** What is stored of the last use. */
type StoredUse = Pick<KeptToken, 'lastUsedAt' | 'lastAddress'>;

export function useOf({ lastUsedAt, lastAddress }: StoredUse): LastUse {
  return { at: lastUsedAt === null ? null : Date.parse(lastUsedAt), address: lastAddress };
}

export function storedUse({ at, address }: LastUse): StoredUse {
  return { lastUsedAt: at === null ? null : new Date(at).toISOString(), lastAddress: address };
}

function digestOf(token: string): string {
  return hash('sha256', token, 'base64url');
}
