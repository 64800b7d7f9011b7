import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputRecords } from '../../parts/gpio/contract.ts';
import { idleLevels } from '../../parts/gpio/idleLevels.ts';
import { errnoOf } from '../../platform/errno.ts';
import type { DeviceIo } from '../../platform/native/deviceIo.ts';
import { readStored } from '../../platform/storedValue.ts';

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
