// `npm run probe`, and `faceplate-probe` of the Debian package: lists the hardware of this machine, and writes a first
// board profile. It changes nothing.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { errnoOf, errnoWords } from '../../platform/errno.ts';
import { systemDeviceIo } from '../../platform/native/ioctl.ts';
import { firstProfile } from './firstProfile.ts';
import { machineFacts } from './machine.ts';
import { report } from './report.ts';

const USAGE = `Usage: faceplate-probe [--json] [--profile <file>]

Lists what this machine has: GPIO chips with their lines, LEDs, serial ports, clocks, sound cards, sensors, inputs.
Nothing is changed. As root it can read more.

  --json             prints what was found as JSON
  --profile <file>   writes a first board profile; "-" prints it. A file that is there stays as it is
  --help             prints this
`;

process.exitCode = run(process.argv.slice(2));

/** @returns exit status: 0; 1 when the file could not be written; 2 when used wrongly */
function run(args: string[]): 0 | 1 | 2 {
  const options = optionsOf(args);
  if (options === undefined) return 2;
  if (options.help) return print(USAGE);
  const facts = machineFacts(systemDeviceIo);
  if (options.profile === undefined) return print(options.json ? jsonText(facts) : report(facts));
  const text = jsonText(firstProfile(facts));
  for (const sentence of facts.unread) process.stderr.write(`Could not be read: ${sentence}\n`);
  return options.profile === '-' ? print(text) : write(options.profile, text);
}

function optionsOf(args: string[]) {
  try {
    const { values } = parseArgs({
      args,
      options: { json: { type: 'boolean' }, profile: { type: 'string' }, help: { type: 'boolean' } },
    });
    if (values.json && values.profile !== undefined)
      throw new Error('--json and --profile exclude each other');
    return values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
}

function print(text: string): 0 {
  process.stdout.write(text);
  return 0;
}

function write(path: string, text: string): 0 | 1 {
  try {
    writeFileSync(path, text, { flag: 'wx' });
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === undefined) throw error;
    process.stderr.write(`${path} was not written: ${errnoWords(errno)}\n`);
    return 1;
  }
  process.stdout.write(
    `${path} is written. Try it: faceplate --board ${path.includes('/') ? path : `./${path}`}\n`,
  );
  return 0;
}

function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
