import assert from 'node:assert/strict';
import { FaceplateError } from '../../../contract/errors.ts';
import type { Level } from '../contract.ts';
import type { OutputRules } from '../driver.ts';

/** How much later than its limit a pin may be seen on, in milliseconds: a call that failed is tried again in a second. */
const LATE_MS = 1_100;

/**
 * The rules of outputs as an electrician would watch them at the terminals: it sees every level at every moment, and
 * knows nothing of the service.
 */
export class RulesModel {
  readonly #rules: OutputRules;
  readonly #now: () => number;
  /** By pin: since when it is on. */
  readonly #onSince = new Map<number, number>();
  /** The first state that must not be; kept, for the service would take an exception for a fault of the pins. */
  #forbidden: string | undefined;
  /** Calls that an interlock refused. */
  refused = 0;
  /** The longest time that a limited pin was on, in milliseconds. */
  longest = 0;

  constructor(rules: OutputRules, now: () => number) {
    this.#rules = rules;
    this.#now = now;
  }

  /** The levels at the terminals, after every single move. */
  saw(levels: readonly Level[]): void {
    for (const [one, other] of this.#rules.interlock)
      if (levels[one] === 1 && levels[other] === 1)
        this.#forbidden ??= `pins ${one} and ${other} are on together`;
    for (const [pin, level] of levels.entries()) {
      const since = this.#onSince.get(pin);
      if (level === 1 && since === undefined) this.#onSince.set(pin, this.#now());
      if (level === 0) this.#onSince.delete(pin);
      this.#judgeTime(pin, since);
    }
  }

  /** @throws AssertionError when a state was seen that must not be */
  settled(levels: readonly Level[]): void {
    this.saw(levels);
    assert.equal(this.#forbidden, undefined);
  }

  /** @throws AssertionError when a pin does not rest */
  stopped(levels: readonly Level[]): void {
    for (const [pin, level] of Object.entries(this.#rules.safe)) assert.equal(levels[Number(pin)], level);
    for (const pin of Object.keys(this.#rules.maxOnMs)) assert.equal(levels[Number(pin)], 0);
    this.saw(levels);
  }

  /** A write is carried out, or refused because of another pin; a 0 is never refused. */
  async write(call: Promise<unknown>, pin: number, level: Level, levels: readonly Level[]): Promise<void> {
    if (await this.#isDone(call, level)) assert.equal(levels[pin], level, `pin ${pin} was written`);
  }

  async pulse(call: Promise<unknown>, _pin: number, level: Level): Promise<void> {
    await this.#isDone(call, level);
  }

  async #isDone(call: Promise<unknown>, level: Level): Promise<boolean> {
    try {
      await call;
      return true;
    } catch (error) {
      assert.ok(error instanceof FaceplateError && error.code === 'LOCKED_OUT', String(error));
      assert.equal(level, 1, 'a pin may always be switched off');
      this.refused++;
      return false;
    }
  }

  #judgeTime(pin: number, since: number | undefined): void {
    const limit = this.#rules.maxOnMs[pin];
    if (limit === undefined || since === undefined) return;
    const on = this.#now() - since;
    this.longest = Math.max(this.longest, on);
    if (on > limit + LATE_MS) this.#forbidden ??= `pin ${pin} was on for ${on} ms instead of ${limit}`;
  }
}
