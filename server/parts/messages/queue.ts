import { FaceplateError } from '../../contract/errors.ts';
import { WAITING_MESSAGES } from './contract.ts';

/** What the order of messages depends on. */
export interface Queued {
  readonly id: string;
  readonly isAlarm: boolean;
  /** Counts up; one that replaces another takes its number. */
  readonly turn: number;
}

/**
 * The messages that are shown or wait, in their order: alarms first, then by turn. One that an alarm displaces keeps its
 * turn, and so it is the next after the alarms.
 */
export class MessageQueue<M extends Queued> {
  #all: M[] = [];
  #turn = 0;

  nextTurn(): number {
    return ++this.#turn;
  }

  get size(): number {
    return this.#all.length;
  }

  byId(id: string): M | undefined {
    return this.#all.find((message) => message.id === id);
  }

  /** The one to show. @param alarmsOnly the others wait */
  first(alarmsOnly: boolean): M | undefined {
    const first = this.#all[0];
    return first !== undefined && alarmsOnly && !first.isAlarm ? undefined : first;
  }

  /**
   * Takes a message; one of the same id makes room for it.
   * @returns the one that had to go for it: an alarm pushes out the newest that is none
   * @throws FaceplateError CONFLICT when there is no room
   */
  add(message: M, alarmsOnly: boolean): M | undefined {
    const before = this.#all;
    const others = before.filter(({ id }) => id !== message.id);
    this.#all = [...others, message].sort(byTurn);
    if (others.length < before.length) return undefined;
    const waiting = this.#all.length - (this.first(alarmsOnly) === undefined ? 0 : 1);
    if (waiting <= WAITING_MESSAGES) return undefined;
    const newest = message.isAlarm ? others.findLast(({ isAlarm }) => !isAlarm) : undefined;
    if (newest !== undefined) {
      this.remove(newest);
      return newest;
    }
    this.#all = before;
    const sentence = `${WAITING_MESSAGES} messages wait already. Remove one, or wait until one has been shown.`;
    throw new FaceplateError('CONFLICT', sentence);
  }

  /** @returns whether it was there */
  remove(message: M): boolean {
    const before = this.#all.length;
    this.#all = this.#all.filter((other) => other !== message);
    return this.#all.length < before;
  }

  clear(): M[] {
    const all = this.#all;
    this.#all = [];
    return all;
  }
}

function byTurn(one: Queued, other: Queued): number {
  return Number(other.isAlarm) - Number(one.isAlarm) || one.turn - other.turn;
}
