import { scopes as allScopes, opens, type Scope } from '../../contract/access.ts';
import { commands as allCommands, type CommandName } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { WallClock } from '../../platform/clock.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { plainAddress } from '../../platform/net/addresses.ts';
import {
  MAX_TOKENS,
  type NewToken,
  scopesLacking,
  type TokenEntry,
  type TokensState,
  tokensState,
} from './contract.ts';
import {
  descendants,
  type Holder,
  type LastUse,
  makeToken,
  type OwnerToken,
  storedUse,
  TokenList,
  useOf,
  without,
} from './tokenList.ts';

/** The id of a person at the unlocked glass, who has no token. */
const AT_THE_GLASS = 'panel';

/** Uses are written at most this often, in milliseconds: a caller who asks every second must not wear out the disk. */
const WRITE_USES_MS = 60_000;
/** How often expired tokens are looked for, in milliseconds; not once at the right time, since clocks are set. */
const LOOK_MS = 1_000;

export interface TokensOptions {
  readonly owner: OwnerToken;
  /** The tokens are stored in `<dataDir>/tokens.json`. */
  readonly dataDir: string;
  readonly clock: WallClock;
  /** A token is no longer valid: what its holder has open has to end. */
  readonly onEnded: (holder: Holder) => void;
  readonly log: Logger;
}

/** What a new token is to be. */
interface Wanted {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Instead of scopes. */
  readonly commands?: readonly string[] | undefined;
  /** Milliseconds since 1970. */
  readonly expiresAt?: number | undefined;
  readonly isFromSetup?: boolean;
}

export const tokensKind: StateKind<TokensState> = {
  name: 'tokens',
  schema: tokensState,
  // Version 2 has who made each, and which one the first set-up made; version 3 the commands that one opens alone.
  steps: [(value) => value, (value) => value],
  defaults: { tokens: [], owner: { lastUsedAt: null, lastAddress: null } },
};

/** The tokens of this panel: the owner's and up to 64 named ones, of which only the SHA-256 is stored. */
export class Tokens {
  readonly #options: TokensOptions;
  readonly #file: StateFile<TokensState>;
  readonly #list = new TokenList();
  #owner: Holder = { id: 'owner', name: 'owner', scopes: allScopes };
  #ownerUse: LastUse = { at: null, address: null };
  /** Changes are made one after the other. */
  #changing: Promise<unknown> = Promise.resolve();
  #cancelWrite: (() => void) | undefined;
  #cancelLook = (): void => {};

  constructor(options: TokensOptions) {
    this.#options = options;
    this.#file = StateFile.of(tokensKind, options.dataDir, options.log);
  }

  async start(): Promise<void> {
    const { tokens, owner } = await this.#file.load();
    this.#list.set(tokens);
    this.#ownerUse = useOf(owner);
    this.#look();
  }

  /** Writes the uses that are not on disk yet. */
  async stop(): Promise<void> {
    this.#cancelLook();
    const isUnwritten = this.#cancelWrite !== undefined;
    this.#cancelWrite?.();
    this.#cancelWrite = undefined;
    if (isUnwritten) this.#writeUses();
    await this.#changing;
  }

  /** Whose token this is, and notes its use; undefined for a wrong, revoked or expired one. */
  identify(token: string, address: string): Holder | undefined {
    if (this.#options.owner.matches(token)) {
      this.#noteUse(this.#ownerUse, address);
      return this.#owner;
    }
    const found = this.#list.find(token);
    if (found === undefined || this.#isExpired(found.expiresAt)) return undefined;
    this.#noteUse(found.use, address);
    return found.holder;
  }

  /** The owner's token first, then the others from the oldest to the newest. */
  list(): TokenEntry[] {
    const { id, name, scopes } = this.#owner;
    const createdAt = new Date(this.#options.owner.madeAt).toISOString();
    return [
      {
        id,
        name,
        scopes: [...scopes],
        commands: null,
        createdAt,
        by: null,
        expiresAt: null,
        ...storedUse(this.#ownerUse),
      },
      ...this.#list.all.map(({ kept: { hash: _secret, isFromSetup: _origin, ...entry }, use }) => ({
        ...entry,
        ...storedUse(use),
      })),
    ];
  }

  /** @throws FaceplateError CONFLICT when all 64 are in use; expired ones do not count */
  mustHaveRoom(): void {
    if (this.#list.all.length - this.#expiredIds().size >= MAX_TOKENS)
      throw new FaceplateError('CONFLICT', `There are ${MAX_TOKENS} tokens already. Revoke one first.`);
  }

  /**
   * Makes a token. When there are 64 already, those that have expired make room.
   * @param giver must have all the scopes that it gives, and may call the commands
   * @throws FaceplateError FORBIDDEN, INVALID_REQUEST (expiresAt is past, commands), UNAUTHORIZED (the giver's token ended
   * meanwhile), CONFLICT, STORAGE_FULL
   */
  async create({ name, scopes, commands, expiresAt, isFromSetup }: Wanted, giver: Holder): Promise<NewToken> {
    mustMayGive(commands ?? [], giver);
    const [lacking] = scopesLacking(giver.scopes, scopes);
    if (lacking !== undefined)
      throw new FaceplateError('FORBIDDEN', `Only who holds the scope "${lacking}" may give it.`);
    if (expiresAt !== undefined && expiresAt <= this.#options.clock.wall())
      throw new FaceplateError('INVALID_REQUEST', 'expiresAt is past.', { field: 'expiresAt' });
    const { id, token, hash } = makeToken();
    const given = allScopes.filter((scope) => scopes.includes(scope));
    await this.#change((kept) => {
      // It would outlive the revocation of its maker.
      if (
        giver.id !== this.#owner.id &&
        giver.id !== AT_THE_GLASS &&
        !kept.some((one) => one.id === giver.id)
      )
        throw new FaceplateError('UNAUTHORIZED', 'The token was revoked or has expired.');
      this.mustHaveRoom();
      const made = {
        id,
        name,
        scopes: given,
        commands: commands === undefined ? null : [...new Set(commands)],
        createdAt: new Date(this.#options.clock.wall()).toISOString(),
        by: giver.id,
        expiresAt: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
        ...storedUse({ at: null, address: null }),
        hash,
        ...(isFromSetup && { isFromSetup: true as const }),
      };
      const others = kept.length < MAX_TOKENS ? kept : without(kept, this.#expiredIds());
      return [...others, made];
    });
    this.#options.log.info({ id, name, scopes: given, commands, by: giver.id }, 'access: token created');
    this.#look();
    return { id, name, scopes: given, token };
  }

  /**
   * Ends a token, and all that were made with it, and with those.
   * @param keepChildren only this one; who made it counts as the maker of what it made
   * @returns what ended, the token first
   * @throws FaceplateError FORBIDDEN (the owner's), NOT_FOUND, STORAGE_FULL (they are still valid then)
   */
  async revoke(id: string, keepChildren = false): Promise<string[]> {
    if (id === this.#owner.id)
      throw new FaceplateError(
        'FORBIDDEN',
        "The owner's token cannot be revoked. The panel's own settings make another.",
      );
    let ended: string[] = [];
    let holders: Holder[] = [];
    await this.#change((kept) => {
      if (!kept.some((token) => token.id === id))
        throw new FaceplateError('NOT_FOUND', 'No token has this id.');
      ended = keepChildren ? [id] : [id, ...descendants(kept, id)];
      holders = ended.flatMap((each) => this.#list.byId(each)?.holder ?? []);
      return without(kept, new Set(ended));
    });
    this.#options.log.info({ id, revoked: ended }, 'access: token revoked');
    for (const holder of holders) this.#options.onEnded(holder);
    return ended;
  }

  /** The owner's token is another one now: what the old one let in ends. */
  ownerChanged(): void {
    const before = this.#owner;
    this.#owner = { ...before };
    this.#options.onEnded(before);
  }

  #expiredIds(): Set<string> {
    const expired = this.#list.all.filter(({ expiresAt }) => this.#isExpired(expiresAt));
    return new Set(expired.map(({ kept }) => kept.id));
  }

  #isExpired(expiresAt: number | null): boolean {
    return expiresAt !== null && expiresAt <= this.#options.clock.wall();
  }

  #noteUse(use: LastUse, address: string): void {
    use.at = this.#options.clock.wall();
    if (use.address !== address) use.address = plainAddress(address);
    this.#cancelWrite ??= this.#options.clock.after(WRITE_USES_MS, () => {
      this.#cancelWrite = undefined;
      this.#writeUses();
    });
  }

  #writeUses(): void {
    this.#change((kept) => kept).catch((error: unknown) =>
      this.#options.log.warn({ err: error }, 'access: could not write when tokens were last used'),
    );
  }

  /** Writes the tokens that `change` makes of the present ones; they count as soon as they are on disk. */
  #change(change: (kept: TokensState['tokens']) => TokensState['tokens']): Promise<void> {
    const done = this.#changing.then(async () => {
      const tokens = change(this.#file.value.tokens).map((kept) => {
        const use = this.#list.byId(kept.id)?.use;
        return use ? { ...kept, ...storedUse(use) } : kept;
      });
      await this.#file.save({ tokens, owner: storedUse(this.#ownerUse) });
      this.#list.set(tokens);
    });
    this.#changing = done.catch(() => undefined);
    return done;
  }

  /** Ends what holders of expired tokens have open; looks again while a token may still expire. */
  #look(): void {
    this.#cancelLook();
    for (const token of this.#list.all) {
      const isOver = this.#isExpired(token.expiresAt);
      if (isOver && !token.isOver) {
        const { holder } = token;
        // Another object: should the clock be set back, the token is valid again, and what was open stays ended.
        token.holder = { ...holder };
        this.#options.onEnded(holder);
      }
      token.isOver = isOver;
    }
    this.#cancelLook = this.#list.all.some(({ expiresAt }) => expiresAt !== null)
      ? this.#options.clock.after(LOOK_MS, () => this.#look())
      : () => {};
  }
}

/** @throws FaceplateError INVALID_REQUEST (no command over HTTP), FORBIDDEN (the giver may not call it) */
function mustMayGive(names: readonly string[], giver: Holder): void {
  const isHere = (name: string): name is CommandName => {
    const command = Object.hasOwn(allCommands, name) ? allCommands[name as CommandName] : undefined;
    return (
      command !== undefined &&
      'http' in command &&
      command.http !== undefined &&
      command.access.http !== undefined
    );
  };
  for (const name of names) {
    if (!isHere(name))
      throw new FaceplateError('INVALID_REQUEST', `There is no command "${name}" over HTTP.`, {
        field: 'commands',
      });
  }
  const other = names.filter(isHere).find((name) => !opens(allCommands[name].access, giver, name));
  if (other !== undefined) throw new FaceplateError('FORBIDDEN', `Only who may call ${other} may give it.`);
}
