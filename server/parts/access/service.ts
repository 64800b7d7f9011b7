import type { ParamsOf, ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import { Pairing, type Showing, type ShownPairing } from './pairing.ts';
import type { Holder } from './tokenList.ts';
import { Tokens, type TokensOptions } from './tokens.ts';

interface AccessOptions extends TokensOptions {
  /** The address of the panel for browsers in the house, without a slash at its end. */
  readonly panelUrl: () => string;
}

/** Who may call: tokens with a name and scopes, and the code by which a person gives one away. */
export class AccessService {
  readonly #tokens: Tokens;
  readonly #pairing: Pairing;
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
    this.#pairing = new Pairing(options);
    this.#tokens = new Tokens({
      ...options,
      onEnded: (holder) => {
        this.#pairing.endOf(holder);
        options.onEnded(holder);
      },
    });
  }

  start(): Promise<void> {
    return this.#tokens.start();
  }

  stop(): Promise<void> {
    return this.#tokens.stop();
  }

  /** Whose token this is; undefined for a wrong, revoked or expired one. @param address of the caller */
  identify(token: string, address: string): Holder | undefined {
    return this.#tokens.identify(token, address);
  }

  /** When a token was made, in milliseconds since 1970; undefined for what is none. */
  madeAt(id: string): number | undefined {
    const found = this.#tokens.list().find((token) => token.id === id);
    return found && Date.parse(found.createdAt);
  }

  /** The owner's token was changed: what the old one let in ends. */
  ownerChanged(): void {
    this.#tokens.ownerChanged();
  }

  list(): ResultOf<'token.list'> {
    return { tokens: this.#tokens.list() };
  }

  /** @throws FaceplateError FORBIDDEN, INVALID_REQUEST, CONFLICT, STORAGE_FULL */
  create(
    { name, scopes = [], commands, expiresAt }: ParamsOf<'token.create'>,
    giver: Holder,
  ): Promise<ResultOf<'token.create'>> {
    const until = expiresAt === undefined ? undefined : Date.parse(expiresAt);
    return this.#tokens.create({ name, scopes, commands, expiresAt: until }, giver);
  }

  /**
   * @param isOwner who may keep what was made with the token
   * @throws FaceplateError FORBIDDEN (the owner's, keepChildren), NOT_FOUND, STORAGE_FULL
   */
  async revoke(
    { id, keepChildren }: ParamsOf<'token.revoke'>,
    isOwner: boolean,
  ): Promise<ResultOf<'token.revoke'>> {
    if (keepChildren && !isOwner)
      throw new FaceplateError('FORBIDDEN', 'Only the owner may keep what was made with a revoked token.', {
        field: 'keepChildren',
      });
    return { status: 'revoked', revoked: await this.#tokens.revoke(id, keepChildren) };
  }

  /** @param isForSetup whether the first set-up shows the code: what it gives may set the first PIN */
  startPairing(maker: Holder, isForSetup = false): ResultOf<'pairing.start'> {
    this.#options.log.info({ by: maker.id }, 'access: pairing code created');
    return this.#pairing.begin(maker, isForSetup);
  }

  /** What became of the code that somebody shows. */
  shownPairing(maker: Holder, how: Showing = {}): ShownPairing {
    return this.#pairing.shown(maker, how);
  }

  /** @throws FaceplateError RATE_LIMITED for an address that entered too many wrong codes */
  mustNotWaitToPair(from: string): void {
    this.#pairing.mustNotWait(from);
  }

  /**
   * @param from address of the caller
   * @throws FaceplateError UNAUTHORIZED, RATE_LIMITED, CONFLICT (64 tokens; the code stays valid), STORAGE_FULL
   */
  async finishPairing(
    { code, name }: ParamsOf<'pairing.finish'>,
    from: string,
  ): Promise<ResultOf<'pairing.finish'>> {
    const { maker, ...given } = this.#pairing.take(code, from, () => this.#tokens.mustHaveRoom(), name);
    return this.#tokens.create({ name, ...given }, maker);
  }
}
