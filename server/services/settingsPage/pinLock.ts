import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { join } from 'node:path';
import { FaceplateError } from '../../contract/errors.ts';
import { type PinState, pinState } from '../../contract/settingsPage.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Logger } from '../../observe/log.ts';
import { StateFile } from '../../store/stateFile.ts';
import { CallQueue } from '../callQueue.ts';

export interface PinLockOptions {
  readonly dataDir: string;
  /** The setting kiosk.pin, which wins; empty where it is not set. */
  readonly heldPin: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** From this wrong try on each is followed by a wait, which doubles. */
const FREE_TRIES = 2;
const FIRST_WAIT_MS = 5_000;
const MAX_WAIT_MS = 15 * 60_000;

/** The PIN of the settings page: set once, kept as a scrypt hash, and slow to guess. */
export class PinLock {
  readonly #options: PinLockOptions;
  readonly #file: StateFile<PinState>;
  readonly #turn = new CallQueue();
  #waitUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PinLockOptions) {
    this.#options = options;
    const { dataDir, log } = options;
    this.#file = new StateFile({
      path: join(dataDir, 'pin.json'),
      schema: pinState,
      defaults: { hash: null, salt: '', wrong: 0 },
      log,
    });
  }

  async start(): Promise<void> {
    const { wrong } = await this.#file.load();
    // Whoever restarts the panel does not get around the wait.
    this.#waitUntil = this.#options.clock.now() + waitAfter(wrong);
  }

  /** `held`: by the setting kiosk.pin. */
  get kind(): 'missing' | 'set' | 'held' {
    if (this.#options.heldPin() !== '') return 'held';
    return this.#file.value.hash === null ? 'missing' : 'set';
  }

  /** Seconds until a PIN is looked at again. */
  get waitSeconds(): number {
    return Math.max(0, Math.ceil((this.#waitUntil - this.#options.clock.now()) / 1_000));
  }

  /**
   * Keeps a new PIN.
   * @throws FaceplateError CONFLICT (kiosk.pin holds it; `first` although there is one), STORAGE_FULL
   */
  async set(pin: string, { first }: { first: boolean }): Promise<void> {
    await this.#turn.run(new AbortController().signal, async () => {
      if (this.kind === 'held')
        throw new FaceplateError('CONFLICT', 'The setting kiosk.pin holds the PIN. Change it there.');
      if (first && this.kind === 'set') throw new FaceplateError('CONFLICT', 'A PIN is set already.');
      const salt = randomBytes(16);
      const digest = await derive(pin, salt);
      await this.#file.save({
        hash: digest.toString('base64'),
        salt: salt.toString('base64'),
        wrong: 0,
      });
    });
  }

  /**
   * Compares in constant time, one try after the other.
   * @throws FaceplateError FORBIDDEN (wrong), RATE_LIMITED (too early, not looked at), CONFLICT (no PIN is set)
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
    const { hash, salt, wrong } = this.#file.value;
    const isRight =
      kind === 'held'
        ? await isSame(pin, this.#options.heldPin())
        : timingSafeEqual(await derive(pin, Buffer.from(salt, 'base64')), Buffer.from(hash ?? '', 'base64'));
    if (isRight) return this.#file.save({ hash, salt, wrong: 0 });
    this.#waitUntil = this.#options.clock.now() + waitAfter(wrong + 1);
    this.#options.log.warn({ wrong: wrong + 1 }, 'wrong PIN on the settings page');
    await this.#file.save({ hash, salt, wrong: wrong + 1 });
    throw new FaceplateError('FORBIDDEN', 'The PIN is wrong.', { field: 'pin' });
  }
}

/** Milliseconds to wait after so many wrong tries in a row. */
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
    scrypt(pin, salt, 32, (error, key) => (error ? reject(error) : resolve(key)));
  });
}
