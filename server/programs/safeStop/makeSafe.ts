import { constants, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputRecords, PinState, PinWiring } from '../../parts/gpio/contract.ts';
import * as uapi from '../../parts/gpio/gpioChipUapi.ts';
import { driveNode } from '../../parts/gpio/gpioControl.ts';
import { errnoError, errnoOf } from '../../platform/errno.ts';
import { readStored } from '../../platform/files/storedValue.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';

/**
 * Drives the pins as the service has stored it in `<dataDir>/outputs.json`.
 * @param say takes one line for each thing that failed
 * @returns the status of the program: 0, or 1 when a pin may not be safe
 */
export function makeSafe(dataDir: string | undefined, io: DeviceIo, say: (line: string) => void): 0 | 1 {
  if (dataDir === undefined || dataDir === '') {
    say('FACEPLATE_DATA_DIR is not set: systemd starts this program.');
    return 1;
  }
  try {
    const records = recordsOf(readStored(readFileSync(join(dataDir, 'outputs.json'), 'utf8')).value);
    const failures = idleLevels(io, records);
    for (const { pin, error } of failures) say(`pin ${pin} may not be safe: ${wordsOf(error)}`);
    return failures.length === 0 ? 0 : 1;
  } catch (error) {
    // A board without pins, or a service that has never run.
    if (errnoOf(error) === 'ENOENT') return 0;
    say(`outputs.json cannot be used, pins may not be safe: ${wordsOf(error)}`);
    return 1;
  }
}

/**
 * Checked by hand: the schema would take longer to load than the pins take to drive.
 * @throws Error when the file was not written by the service
 */
function recordsOf(value: unknown): OutputRecords {
  const { wiring, rest, pulses } = value as OutputRecords;
  const isLevel = (level: unknown) => level === 0 || level === 1;
  const isFine =
    (wiring === null ||
      (typeof wiring.path === 'string' && ['gpio_control', 'gpiochip'].includes(wiring.driver))) &&
    rest.every(({ pin, level }) => Number.isSafeInteger(pin) && isLevel(level)) &&
    pulses.every(({ pin, back }) => Number.isSafeInteger(pin) && isLevel(back));
  if (!isFine) throw new Error('it holds no levels of pins');
  return { wiring, rest, pulses };
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The consumer name of a line while this program uses it, as `gpioinfo` shows it. */
const CONSUMER = 'faceplate-safe';

/** A pin that could not be driven. */
interface RestFailure {
  readonly pin: number;
  readonly error: unknown;
}

/**
 * Drives the pins as they rest without a service: their safe levels, and the end of pulses that nothing else would end.
 * Each 0 comes before any 1; when a pin could not be switched off, none is switched on.
 */
function idleLevels(io: DeviceIo, { wiring, rest, pulses }: OutputRecords): readonly RestFailure[] {
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
    const request = uapi.lineRequest(uapi.chipOffsets(io, chip, [line])[0]!, CONSUMER, config);
    io.ioctlPointer(chip, uapi.GPIO_V2_GET_LINE, request);
    io.close(uapi.requestedFd(request));
  } finally {
    io.close(chip);
  }
}
