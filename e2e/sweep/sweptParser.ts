import { mutated, mutatedJson } from './mutations.ts';

/** One parser of bytes from outside, and the messages that its mutations start from. */
export interface SweptParser {
  readonly name: string;
  /** Makes the next input of whole messages, as they really come. */
  readonly next: (random: () => number) => Buffer;
  /**
   * Reads one input as the service does. @returns whether it was accepted
   * @throws FaceplateError where that is how it refuses, and nothing else
   */
  readonly read: (data: Buffer, random: () => number) => boolean;
}

/** Inputs that are mutations of these messages. */
export const mutationsOf =
  (...messages: readonly Buffer[]): SweptParser['next'] =>
  (random) =>
    mutated(messages, random);

/** The same for values that are sent as JSON. */
export const jsonMutationsOf =
  (...values: readonly unknown[]): SweptParser['next'] =>
  (random) =>
    mutatedJson(values, random);
