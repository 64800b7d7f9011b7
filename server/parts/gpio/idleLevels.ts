import { constants } from 'node:fs';
import { errnoError } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { chipOffsets } from './chipOffsets.ts';
import type { OutputRecords, PinState, PinWiring } from './contract.ts';
import { driveNode } from './controlNode.ts';
import * as uapi from './gpioChipUapi.ts';

/** The name under which a line is held for the moment, as `gpioinfo` shows it. */
const CONSUMER = 'faceplate-safe';

/** A pin that could not be driven. */
export interface RestFailure {
  readonly pin: number;
  readonly error: unknown;
}

/**
 * Drives the pins as they rest without a service: their safe levels, and the ends of pulses that nobody ends any more.
 * Each 0 comes before any 1; when a pin could not be switched off, none is switched on.
 */
export function idleLevels(io: DeviceIo, { wiring, rest, pulses }: OutputRecords): readonly RestFailure[] {
  if (wiring === null) return [];
  const levels = new Map(pulses.map(({ pin, back }) => [pin, back]));
  for (const { pin, level } of rest) levels.set(pin, level);
  const failures: RestFailure[] = [];
  for (const wanted of [0, 1] as const) {
    if (failures.length > 0) break;
    for (const [pin, level] of levels) {
      if (level !== wanted) continue;
      try {
        drive(io, wiring, { pin, level });
      } catch (error) {
        failures.push({ pin, error });
      }
    }
  }
  return failures;
}

function drive(io: DeviceIo, wiring: PinWiring, { pin, level }: PinState): void {
  if (wiring.driver === 'gpio_control') driveNode(io, wiring.path, pin, level);
  else driveLine(io, wiring, { pin, level });
}

/** The kernel lets go of the line at once; where its driver keeps the level, the level stays. */
function driveLine(
  io: DeviceIo,
  { path, lines }: PinWiring & { driver: 'gpiochip' },
  { pin, level }: PinState,
): void {
  const line = lines[pin];
  if (line === undefined) throw errnoError('ENXIO', `no line is stored for pin ${pin}`);
  const chip = io.open(path, constants.O_RDWR);
  try {
    const config = uapi.outputConfig(uapi.lineFlags('output', line), level);
    const request = uapi.lineRequest(chipOffsets(io, chip, [line])[0]!, CONSUMER, config);
    io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINE, request);
    io.close(uapi.requestedFd(request));
  } finally {
    io.close(chip);
  }
}
