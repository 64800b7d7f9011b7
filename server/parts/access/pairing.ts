import { randomInt, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../../contract/access.ts';
import type { ResultOf } from '../../contract/commands.ts';
import { FaceplateError } from '../../contract/errors.ts';
import type { WallClock } from '../../platform/clock.ts';
import { WrongTries } from '../../platform/limits.ts';
import type { Holder } from './tokenList.ts';

const VALID_MS = 10 * 60_000;
/** An address that enters so many wrong codes within a minute has to wait for a minute, also with a right one. */
const MAX_WRONG_OF_ADDRESS = 5;
/** So many wrong codes, from wherever they come, end the code that they were meant to be. */
const MAX_WRONG_OF_CODE = 500;
/** So many wrong codes within a minute are no slip of a person: somebody tries codes. */
const MANY_WRONG = 3;
const MANY_WITHIN_MS = 60_000;
/** What a code can give: what its maker holds of these. */
const PAIRED: readonly Scope[] = ['view', 'control', 'manage'];

interface Code {
  readonly digits: string;
  readonly maker: Holder;
  readonly isForSetup: boolean;
  /** By both clocks, in milliseconds: one stops while the panel sleeps, the other one can be set. */
  readonly until: { readonly steady: number; readonly wall: number };
  wrong: number;
}

/** What became of the code of somebody who shows it. */
export interface ShownPairing {
  /** The one to show from now on; null where theirs was used, or somebody else has made another. */
  readonly code: ResultOf<'pairing.start'> | null;
  /** The name of who used theirs last; null until somebody has. */
  readonly usedBy: string | null;
  readonly isTried: boolean;
}

/** How a code is shown. */
export interface Showing {
  /** Whether the first set-up shows it: what it gives may set the first PIN. */
  readonly isForSetup?: boolean;
  /** Whether one is made where the viewer has none. */
  readonly renew?: boolean;
}

interface PairingOptions {
  readonly clock: WallClock;
  /** The address of the panel for browsers in the house, without a slash at its end. */
  readonly panelUrl: () => string;
}

/** The pairing code: one at a time, in memory only. */
export class Pairing {
  readonly #options: PairingOptions;
  readonly #wrong: WrongTries;
  #code: Code | undefined;
  /** The last code, where it ended by itself: too many wrong ones, or its time. */
  #spent: Code | undefined;
  /** Whose code was used last, and by whom. */
  #used: { readonly maker: string; readonly by: string } | undefined;
  /** When the last wrong codes came, refused unread or not, in milliseconds. */
  #wrongAt: number[] = [];

  constructor(options: PairingOptions) {
    this.#options = options;
    this.#wrong = new WrongTries(MAX_WRONG_OF_ADDRESS, () => options.clock.now());
  }

  /** Makes a code, which ends the one before it. */
  begin(maker: Holder, isForSetup = false): ResultOf<'pairing.start'> {
    const { clock } = this.#options;
    const digits = String(randomInt(10 ** 8)).padStart(8, '0');
    const until = { steady: clock.now() + VALID_MS, wall: clock.wall() + VALID_MS };
    this.#code = { digits, maker, isForSetup, until, wrong: 0 };
    this.#spent = undefined;
    this.#used = undefined;
    return this.#written(this.#code);
  }

  /** For views that show a code: one that ended by itself is followed by another. */
  shown(maker: Holder, { isForSetup = false, renew = false }: Showing = {}): ShownPairing {
    const isTried =
      this.#wrongAt.length === MANY_WRONG && this.#options.clock.now() - this.#wrongAt[0]! < MANY_WITHIN_MS;
    const code = this.#valid();
    const usedBy = this.#used?.maker === maker.id ? this.#used.by : null;
    if (code?.maker.id === maker.id) return { code: this.#written(code), usedBy, isTried };
    const isSpent = code === undefined && this.#spent?.maker.id === maker.id;
    if (isSpent || renew) return { code: this.begin(maker, isForSetup), usedBy: null, isTried };
    return { code: null, usedBy, isTried };
  }

  /** @throws FaceplateError RATE_LIMITED for an address that has to wait */
  mustNotWait(address: string): void {
    if (!this.#wrong.isBlocked(address)) return;
    this.#noteTry();
    throw new FaceplateError('RATE_LIMITED', 'Too many wrong codes from this address. Wait a minute.');
  }

  /**
   * Judges a code that someone entered. A right one is used up, unless `mayUse` throws.
   * @param name of who entered it
   * @returns who made it, and what it gives
   * @throws FaceplateError UNAUTHORIZED, RATE_LIMITED, and what `mayUse` throws
   */
  take(
    digits: string,
    address: string,
    mayUse: () => void,
    name = '',
  ): {
    readonly maker: Holder;
    readonly scopes: readonly Scope[];
    readonly commands?: readonly string[];
    readonly isFromSetup: boolean;
  } {
    this.mustNotWait(address);
    const code = this.#valid();
    if (code === undefined || !timingSafeEqual(Buffer.from(code.digits), Buffer.from(digits))) {
      this.#wrong.note(address);
      this.#noteTry();
      if (code !== undefined && ++code.wrong >= MAX_WRONG_OF_CODE) this.#end();
      throw new FaceplateError(
        'UNAUTHORIZED',
        'The code is wrong, used or expired. Let the panel make a new one.',
      );
    }
    mayUse();
    this.#code = undefined;
    const { maker, isForSetup } = code;
    this.#used = { maker: maker.id, by: name };
    const scopes = PAIRED.filter((scope) => maker.scopes.includes(scope));
    const { commands } = maker;
    return { maker, scopes, ...(commands && { commands }), isFromSetup: isForSetup };
  }

  /** A token is no longer valid: neither is the code that its holder made. */
  endOf({ id }: Holder): void {
    if (this.#code?.maker.id === id) this.#code = undefined;
    if (this.#spent?.maker.id === id) this.#spent = undefined;
  }

  #noteTry(): void {
    this.#wrongAt = [...this.#wrongAt, this.#options.clock.now()].slice(-MANY_WRONG);
  }

  #end(): void {
    this.#spent = this.#code;
    this.#code = undefined;
  }

  #written({ digits, until, isForSetup }: Code): ResultOf<'pairing.start'> {
    return {
      code: digits,
      // A phone that the first set-up pairs goes through its steps.
      url: `${this.#options.panelUrl()}/manage/${isForSetup ? '?setup' : ''}#pair=${digits}`,
      expiresAt: new Date(until.wall).toISOString(),
    };
  }

  #valid(): Code | undefined {
    const { clock } = this.#options;
    const until = this.#code?.until;
    if (until && (clock.now() >= until.steady || clock.wall() >= until.wall)) this.#end();
    return this.#code;
  }
}
