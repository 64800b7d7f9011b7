import { backgroundClock, type Clock } from './clock.ts';
import type { Logger, LogLine } from './log.ts';
import { StrangerBudget } from './strangerBudget.ts';

/** The log for what strangers cause: a flood of it writes a bounded number of lines, and one that counts the others. */
export class StrangersLog {
  readonly #log: Logger;
  readonly #budget: StrangerBudget;

  constructor(log: Logger, clock: Clock = backgroundClock) {
    this.#log = log;
    this.#budget = new StrangerBudget(clock, (dropped) => {
      if (dropped > 0) log.info({ dropped }, 'commands: too many refusals, some not logged');
    });
  }

  /** @param from the address of the caller, or what else names it */
  info(from: string, details: object, line: LogLine): void {
    if (this.#budget.take(from)) this.#log.info(details, line);
  }

  /** Says what was only counted until now. */
  stop(): void {
    this.#budget.end();
  }
}
