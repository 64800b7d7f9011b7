import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { FaceplateError } from '../../contract/errors.ts';
import { CallQueue } from '../../platform/async.ts';
import type { WallClock } from '../../platform/clock.ts';
import { StateFile, type StateKind } from '../../platform/files/stateFile.ts';
import type { Logger } from '../../platform/log.ts';
import { type PinRecord, pinRecord } from './contract.ts';

export interface PinLockOptions {
  readonly dataDir: string;
  /** The setting kiosk.pin, which wins; empty when it is not set. */
  readonly heldPin: () => string;
  readonly clock: WallClock;
  readonly log: Logger;
}

/** From this wrong try on, each one is followed by a wait that doubles. */
const FREE_TRIES = 2;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * 60_000;

const HASH_BYTES = 32;

export const pinKind: StateKind<PinRecord> = {
  name: 'pin',
  schema: pinRecord,
  defaults: { hash: null, salt: '', wrong: 0, chosenAt: null },
  // A damaged PIN does not count as missing: else the next person could choose a new PIN and see the token.
  keepUnusable: true,
};

/** The PIN of the settings page: set once, stored as a scrypt hash, and slow to guess. */
export class PinLock {
  readonly #options: PinLockOptions;
  readonly #file: StateFile<PinRecord>;
  readonly #turn = new CallQueue();
  /** Wrong tries in a row. Counted here before the file is written, because a full disk can prevent the write. */
  #wrong = 0;
  #waitUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PinLockOptions) {
    this.#options = options;
    this.#file = StateFile.of(pinKind, options.dataDir, options.log);
  }

  async start(): Promise<void> {
    this.#wrong = (await this.#file.load()).wrong;
    // A restart of the panel does not shorten the wait.
    this.#waitUntil = this.#options.clock.now() + waitAfter(this.#wrong);
  }

  /**
   * `held`: by the setting kiosk.pin. A PIN that cannot be read counts as `set`: it matches nothing, so it lets no one
   * in.
   */
  get kind(): 'missing' | 'set' | 'held' {
    if (this.#options.heldPin() !== '') return 'held';
    return this.#file.value.hash === null && this.#isReadable ? 'missing' : 'set';
  }

  /** When the PIN was chosen, ISO 8601 in UTC; null where that is not known, or a setting holds the PIN. */
  get chosenAt(): string | null {
    return this.kind === 'set' ? this.#file.value.chosenAt : null;
  }

  /** Seconds until a PIN is checked again. */
  get waitSeconds(): number {
    return Math.max(0, Math.ceil((this.#waitUntil - this.#options.clock.now()) / 1_000));
  }

  /**
   * Stores a new PIN.
   * @throws FaceplateError CONFLICT (kiosk.pin holds it; `first` although there is one), STORAGE_FULL
   */
  async set(pin: string, { first }: { first: boolean }): Promise<void> {
    await this.#turn.run(new AbortController().signal, async () => {
      if (this.kind === 'held')
        throw new FaceplateError('CONFLICT', 'The setting kiosk.pin holds the PIN. Change it there.');
      if (first && this.kind === 'set') throw new FaceplateError('CONFLICT', 'A PIN is set already.');
      await this.#file.save(await this.#made(pin));
      this.#forgetTries();
    });
  }

  /**
   * Compares in constant time, one try after the other. A try counts before it is checked.
   * @throws FaceplateError FORBIDDEN (wrong), RATE_LIMITED (too early, not checked), CONFLICT (no PIN is set, or it
   * cannot be read), STORAGE_FULL (the try cannot be counted on disk, so it is not checked)
   */
  async check(pin: string): Promise<void> {
    await this.#turn.run(new AbortController().signal, () => this.#check(pin));
  }

  async #check(pin: string): Promise<void> {
    const { kind } = this;
    if (kind === 'missing') throw new FaceplateError('CONFLICT', 'No PIN is set yet.');
    const wait = this.waitSeconds;
    if (wait > 0)
      throw new FaceplateError('RATE_LIMITED', `Too many wrong PINs. Wait ${wait} seconds, then try again.`);
    this.#wrong++;
    this.#waitUntil = this.#options.clock.now() + waitAfter(this.#wrong);
    if (await (kind === 'held' ? this.#isHeld(pin) : this.#isKept(pin))) return;
    this.#options.log.warn({ wrong: this.#wrong }, 'kiosk: wrong PIN on the settings page');
    throw new FaceplateError('FORBIDDEN', 'The PIN is wrong.', { field: 'pin' });
  }

  /** @throws FaceplateError CONFLICT, STORAGE_FULL; the PIN is not checked then */
  async #isKept(pin: string): Promise<boolean> {
    if (!this.#isReadable)
      throw new FaceplateError(
        'CONFLICT',
        'The PIN of this panel cannot be read. Set the setting kiosk.pin, then use that PIN.',
      );
    await this.#file.save({ ...this.#file.value, wrong: this.#wrong });
    const { hash, salt, chosenAt } = this.#file.value;
    const digest = await derive(pin, Buffer.from(salt, 'base64'));
    if (!timingSafeEqual(digest, Buffer.from(hash ?? '', 'base64'))) return false;
    this.#forgetTries();
    await this.#keep({ hash, salt, wrong: 0, chosenAt });
    return true;
  }

  /** The way out when the file cannot be read or written: tries are then counted in memory. */
  async #isHeld(pin: string): Promise<boolean> {
    const isReadable = this.#isReadable;
    const { value } = this.#file;
    if (isReadable) await this.#keep({ ...value, wrong: this.#wrong });
    if (!(await isSame(pin, this.#options.heldPin()))) return false;
    this.#forgetTries();
    // Without a readable PIN this one is stored, so that removing the setting does not leave the panel open.
    await this.#keep(isReadable ? { ...value, wrong: 0 } : await this.#made(pin));
    return true;
  }

  /**
   * A later version may keep its PIN in another place, or hash it in another way. So a missing hash counts only in a
   * file that we know completely, and a hash only when it is one of ours.
   */
  get #isReadable(): boolean {
    const { isUsable, isWhole, value } = this.#file;
    if (value.hash === null) return isUsable && isWhole;
    return isUsable && Buffer.from(value.hash, 'base64').length === HASH_BYTES;
  }

  /** The stored form of a new PIN. */
  async #made(pin: string): Promise<PinRecord> {
    const salt = randomBytes(16);
    const digest = await derive(pin, salt);
    const chosenAt = new Date(this.#options.clock.wall()).toISOString();
    return { hash: digest.toString('base64'), salt: salt.toString('base64'), wrong: 0, chosenAt };
  }

  #forgetTries(): void {
    this.#wrong = 0;
    this.#waitUntil = Number.NEGATIVE_INFINITY;
  }

  /** Writes what may be lost; the file logs a failure. */
  async #keep(state: PinRecord): Promise<void> {
    await this.#file.save(state).catch(() => undefined);
  }
}

/** Milliseconds to wait after this many wrong tries in a row. */
function waitAfter(wrong: number): number {
  if (wrong <= FREE_TRIES) return 0;
  return Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(wrong - FREE_TRIES - 1, 20));
}

async function isSame(pin: string, other: string): Promise<boolean> {
  const salt = randomBytes(16);
  return timingSafeEqual(await derive(pin, salt), await derive(other, salt));
}

/** scrypt (RFC 7914) with Node's own cost (N 16384, r 8, p 1). */
function derive(pin: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(pin, salt, HASH_BYTES, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
