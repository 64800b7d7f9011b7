import { FaceplateError } from '../../contract/errors.ts';

/** Who a port is open for: callers who write and read bytes, or Modbus, which must have the line alone. */
export type Use = 'bytes' | 'modbus';

/** PORT_BUSY for a port that is open for the other use. */
export function busyError(port: string, use: Use): FaceplateError {
  const sentence =
    use === 'modbus'
      ? `The serial port ${port} is in use by Modbus: close it with serial/close, or wait until it has been quiet for 5 s.`
      : `The serial port ${port} is open for bytes: close it with serial/close before Modbus uses it.`;
  return new FaceplateError('PORT_BUSY', sentence);
}

/** HARDWARE_ERROR for a port whose device is gone. @param errno of the loss */
export function lostError(port: string, errno: string): FaceplateError {
  const sentence = `The serial port ${port} is gone (${errno}, unplugged?); it is opened again when it is back.`;
  return new FaceplateError('HARDWARE_ERROR', sentence);
}
