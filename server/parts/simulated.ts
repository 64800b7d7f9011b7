import { FaceplateError } from '../contract/errors.ts';

/**
 * The driver of a part, known to be simulated.
 * @param what begins the sentence, such as `The pins of this board are`
 * @throws FaceplateError UNSUPPORTED_HARDWARE when the part is real
 */
export function simulated<D extends { simulate?: unknown }>(
  driver: D,
  what: string,
): D & { simulate: NonNullable<D['simulate']> } {
  if (driver.simulate === undefined)
    throw new FaceplateError('UNSUPPORTED_HARDWARE', `${what} real: nothing to simulate.`);
  return driver as D & { simulate: NonNullable<D['simulate']> };
}
